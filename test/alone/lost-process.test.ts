/** A waiting transfer whose process an operator has ended is not forgotten: its time, or a cleared flag, moves it on all the same. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { createProcesses } from '../../services/platform/processes.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { transferWatch } from '../../workers/transfer-watch.ts';
import { openBank, TransferAnswer, type Bank } from '../support/bank/bank.ts';
import { newKey } from '../support/client.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';
import { pay, transferType } from '../support/bank/transfers.ts';

let bank: Bank;
let look: () => Promise<void>;
let close: () => Promise<unknown>;
beforeAll(() => {
  bank = openBank();
  const config = loadConfig(stack.serviceEnv);
  const orm = openOrm(config);
  const log = pino({ level: 'silent' });
  const em = () => orm.em.fork();
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  look = transferWatch({ em, log, processes: createProcesses({ temporal, config, log, em }) }, 0);
  close = () => Promise.all([temporal.close(), orm.close(true)]);
});
afterAll(async () => {
  await close();
  await bank.expectBooksBalanced();
  await bank.close();
});

async function terminate(id: string): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporal.address });
  const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
  await workflow.getHandle(`transfer/${id}`).terminate('by a test');
  await connection.close();
}

test('a lost process is begun again once its time is over, and lets the money go', async () => {
  const type = await transferType(bank, { approvalAbove: 0 });
  await bank.asOwner('update transfer_types set approval_seconds = 3 where code = $1', [type]);
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '10.00'), await bank.account(customer)];
  const answer = await pay(customer, { type, from: from.id, to: { account_id: to.id }, amount: '4.00' });
  const { id } = answer.as(TransferAnswer);
  await terminate(id);
  await until(async () => {
    await look();
    return (await bank.look(customer, from)).held.amount === '0.00';
  });
  const seen = await customer.client.call('GET', `/v1/transfers/${id}`, { token: customer.token });
  expect(seen.body).toMatchObject({ status: 'expired' });
});

/** A transfer that a flag holds, its process gone. */
async function heldAndLost(): Promise<{ from: string; goesOn: () => Promise<boolean> }> {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '10.00'), await bank.account(customer)];
  await bank.asOwner(`select account_flag($1, null, 'many small credits', false)`, [from.id]);
  const answer = await pay(customer, { from: from.id, to: { account_id: to.id }, amount: '4.00' });
  await terminate(answer.as(TransferAnswer).id);
  return {
    from: from.id,
    goesOn: async () => (await bank.look(customer, to)).balance.amount === '4.00',
  };
}

test('what a flag held goes on when it is cleared, though its process is gone', async () => {
  const { from, goesOn } = await heldAndLost();
  const officer = await bank.admin('aml:review');
  const cleared = await officer.client.call('POST', `/v1/admin/accounts/${from}/aml-flag/clear`, {
    token: officer.token,
    key: newKey(),
    body: { reason: 'invoices were shown' },
  });
  expect(cleared.status).toBe(200);
  await until(goesOn);
});

test('what a flag held is found where the word that it is cleared was lost too, and not before', async () => {
  const { from, goesOn } = await heldAndLost();
  const officer = await bank.admin('aml:review');
  await look();
  await bank.asOwner(`select account_clear_flag($1, $2, 'invoices were shown')`, [from, officer.id]);
  expect(await goesOn()).toBe(false);
  await until(async () => {
    await look();
    return goesOn();
  });
});
