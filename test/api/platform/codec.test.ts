/** Histories are sealed; the codec endpoint opens them for whoever holds the permission, and writes down that it did. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { openBank, TransferAnswer, type Bank } from '../../support/bank/bank.ts';
import { untilStarted } from '../../support/processes/started.ts';
import { stack } from '../../support/stack/stack.ts';

const SEALED = 'binary/encrypted';
const Decoded = z.looseObject({ payloads: z.array(z.looseObject({ data: z.string() })) });

let bank: Bank;
let connection: Connection;
beforeAll(async () => {
  bank = openBank();
  connection = await Connection.connect({ address: stack.temporal.address });
});
afterAll(async () => {
  await connection.close();
  await bank.close();
});

/** The input of a transfer's process as Temporal holds it. */
async function sealedInput(): Promise<{
  payload: Payload;
  order: { id: string; kind: string; customerId: string };
}> {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '20000.00'), await bank.account(customer)];
  const { id } = (
    await bank.transfer(customer, { from: from.id, to: to.id, amount: '12345.67', description: 'for Ada' })
  ).as(TransferAnswer);
  const client = new Client({ connection, namespace: stack.temporal.namespace });
  const handle = client.workflow.getHandle(`transfer/${id}`);
  await untilStarted(handle);
  const { events } = await handle.fetchHistory();
  const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  if (!payload) throw new Error('the history has no input');
  return { payload, order: { id, kind: 'transfer', customerId: customer.id } };
}

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
const onTheWire = ({ metadata, data }: Payload) => ({
  payloads: [
    {
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
      ),
      data: base64(data),
    },
  ],
});

test('what Temporal holds is sealed, and opens for an administrator with the permission', async () => {
  const { payload, order } = await sealedInput();
  expect(Buffer.from(payload.metadata?.['encoding'] ?? []).toString()).toBe(SEALED);
  expect(Buffer.from(payload.data ?? []).toString('latin1')).not.toContain(order.customerId);

  const admin = await bank.admin('processes:read');
  const answer = await admin.client.call('POST', '/v1/admin/codec/decode', {
    token: admin.token,
    body: onTheWire(payload),
  });
  const opened = Buffer.from(answer.as(Decoded).payloads[0]?.data ?? '', 'base64').toString();
  expect(JSON.parse(opened)).toEqual(order);

  const [seen] = await bank.asOwner(`select action, subject_type from audit_log where actor_id = $1`, [
    admin.id,
  ]);
  expect(seen).toEqual({ action: 'payloads.decrypted', subject_type: 'payloads' });
});

test('without the permission it stays sealed', async () => {
  const { payload } = await sealedInput();
  const [customer, admin] = [await bank.customer(), await bank.admin('transfers:read')];
  for (const { client, token } of [customer, admin]) {
    const answer = await client.call('POST', '/v1/admin/codec/decode', { token, body: onTheWire(payload) });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  }
});

test('a payload that was tampered with is refused without saying why', async () => {
  const { payload } = await sealedInput();
  const bytes = Buffer.from(payload.data ?? []);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  const admin = await bank.admin('processes:read');
  const answer = await admin.client.call('POST', '/v1/admin/codec/decode', {
    token: admin.token,
    body: onTheWire({ ...payload, data: bytes }),
  });
  expect(answer.status).toBe(400);
});
