/** One thread: from a request to its process and back, in the Temporal Web UI, at the admin API and in the rows. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { dataConverter } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import { openBank, transferBody, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered } from '../../support/client.ts';
import { untilStarted } from '../../support/processes/started.ts';
import { stack } from '../../support/stack/stack.ts';

const Made = z.looseObject({ id: z.uuid() });
const Ticket = Made.extend({ number: z.string() });
const Linked = z.looseObject({ process: z.strictObject({ workflow_id: z.string(), url: z.url() }) });

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

/** What the Web UI shows of a run to whoever may read it. */
async function shown(workflowId: string) {
  const { namespace } = stack.temporal;
  const cipher = createCipher(loadConfig(stack.serviceEnv).ENCRYPTION_KEYS);
  const { workflow } = new Client({ connection, namespace, dataConverter: dataConverter(cipher) });
  const handle = workflow.getHandle(workflowId);
  await untilStarted(handle);
  const run = await handle.describe();
  return { summary: await run.staticSummary(), details: await run.staticDetails(), memo: run.memo };
}

/** The page of a run, as administrators get its address. */
const linkTo = (workflowId: string) => ({
  workflow_id: workflowId,
  url: `${stack.temporal.uiUrl}/namespaces/${stack.temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`,
});

const newRequest = (): { id: string; headers: Record<string, string> } => {
  const id = `thread-${newKey()}`;
  return { id, headers: { 'X-Request-Id': id } };
};

async function asAdmin(permission: string, path: string): Promise<Answered> {
  const { client, token } = await bank.admin(permission);
  return client.call('GET', path, { token });
}

/** What is behind the run is told, with its request and the operation that shows it, and nothing of people. */
function expectThread(
  { details, memo }: Awaited<ReturnType<typeof shown>>,
  about: { readonly path: string; readonly request: string; readonly customer: Person },
): void {
  expect(memo).toEqual({ request_id: about.request });
  for (const part of [`${stack.api}${about.path}`, about.request, about.customer.id])
    expect(details).toContain(part);
  const ofCustomer = encodeURIComponent(`TellerCustomerId="${about.customer.id}"`);
  expect(details).toContain(`/namespaces/${stack.temporal.namespace}/workflows?query=${ofCustomer})`);
  expect(details).not.toContain('@');
}

test('a transfer that waits says how much it moves, which request began it, and where the admin API shows it', async () => {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '20000.00'), await bank.account(customer)];
  const request = newRequest();
  const body = transferBody({ from: from.id, to: to.id, amount: '12345.67', description: 'for Ada' });
  const answer = await customer.client.call('POST', '/v1/transfers', {
    ...{ token: customer.token, key: newKey(), body, headers: request.headers },
    stepUp: await customer.stepUp('createTransfer', body),
  });
  const { id } = answer.as(Made);
  const path = `/v1/admin/transfers/${id}`;
  const run = await shown(`transfer/${id}`);
  expect(run.summary).toBe('Transfer of 12345.67 EUR, type own');
  expectThread(run, { path, request: request.id, customer });
  expect((await asAdmin('transfers:read', path)).as(Linked).process).toEqual(linkTo(`transfer/${id}`));
  const [row] = await bank.asOwner('select origin_request_id from transfers where id = $1', [id]);
  expect(row).toEqual({ origin_request_id: request.id });
});

test('an adjustment says which way it goes, and the log which request asked for it', async () => {
  const customer = await bank.customer();
  const account = await bank.account(customer);
  const admin = await bank.admin('adjustments:write');
  const request = newRequest();
  const answer = await admin.client.call('POST', '/v1/admin/adjustments', {
    ...{ token: admin.token, key: newKey(), headers: request.headers },
    body: {
      ...{
        account_id: account.id,
        direction: 'credit',
        reason: 'goodwill of Ann Smith',
        description: 'Goodwill',
      },
      amount: { amount: '5.00', currency: 'EUR' },
    },
  });
  const { id } = answer.as(Made);
  const run = await shown(`adjustment/${id}`);
  expect(run.summary).toBe('Adjustment: credit of 5.00 EUR');
  expectThread(run, { path: `/v1/admin/transfers/${id}`, request: request.id, customer });
  expect(
    await bank.asOwner(`select action from audit_log where request_id = $1 and subject_id = $2`, [
      request.id,
      id,
    ]),
  ).toEqual([{ action: 'adjustment.requested' }]);
});

test('a ticket says its number and category, and nothing that its customer wrote', async () => {
  const customer = await bank.customer();
  const request = newRequest();
  const answer = await customer.client.call('POST', '/v1/tickets', {
    ...{ token: customer.token, key: newKey(), headers: request.headers },
    body: { subject: 'My sister Ada is missing', body: 'Since Monday.', category: 'account' },
  });
  const { id, number } = answer.as(Ticket);
  expect(answer.body).not.toHaveProperty('process');
  const path = `/v1/admin/tickets/${id}`;
  const run = await shown(`ticket/${id}`);
  expect(run.summary).toBe(`Ticket ${number}, category account`);
  expectThread(run, { path, request: request.id, customer });
  expect((await asAdmin('tickets:read', path)).as(Linked).process).toEqual(linkTo(`ticket/${id}`));
});

test('an account request says of which type, and customers see no process', async () => {
  const customer = await bank.customer();
  const request = newRequest();
  const [type] = await bank.asOwner(
    `select id, code, asset from account_types where openable_by = 'request' and enabled order by code limit 1`,
  );
  const answer = await customer.client.call('POST', '/v1/account-requests', {
    ...{ token: customer.token, key: newKey(), headers: request.headers },
    body: { account_type_id: type?.['id'], nickname: 'Shop of Ada' },
  });
  const { id } = answer.as(Made);
  expect(answer.body).not.toHaveProperty('process');
  const path = `/v1/admin/account-requests/${id}`;
  const run = await shown(`account-request/${id}`);
  expect(run.summary).toBe(
    `Request to open an account of type ${String(type?.['code'])} in ${String(type?.['asset'])}`,
  );
  expectThread(run, { path, request: request.id, customer });
  expect((await asAdmin('accounts:read', path)).as(Linked).process).toEqual(linkTo(`account-request/${id}`));
});
