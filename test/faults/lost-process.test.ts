/** A transfer whose process an operator has ended, and that nobody decides on, expires all the same and frees its money. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { createProcesses } from '../../adapters/processes.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { transferWatch } from '../../workers/transfer-watch.ts';
import { openBank, TransferAnswer, type Bank } from '../support/bank.ts';
import { until } from '../support/processes.ts';
import { stack } from '../support/stack.ts';
import { pay, transferType } from '../support/transfers.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

test('a lost process is begun again once its time is over, and lets the money go', async () => {
  const type = await transferType(bank, { approvalAbove: 0 });
  await bank.asOwner('update transfer_types set approval_seconds = 3 where code = $1', [type]);
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, '10.00'), await bank.account(customer)];
  const answer = await pay(customer, { type, from: from.id, to: { account_id: to.id }, amount: '4.00' });
  const { id } = answer.as(TransferAnswer);
  const connection = await Connection.connect({ address: stack.temporal.address });
  const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
  await workflow.getHandle(`transfer/${id}`).terminate('by a test');
  await connection.close();

  const config = loadConfig(stack.serviceEnv);
  const orm = openOrm(config);
  const log = pino({ level: 'silent' });
  const em = () => orm.em.fork();
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  const look = transferWatch({ em, log, processes: createProcesses({ temporal, config, log, em }) }, 0);
  await until(async () => {
    await look();
    return (await bank.look(customer, from)).held.amount === '0.00';
  });
  const seen = await customer.client.call('GET', `/v1/transfers/${id}`, { token: customer.token });
  expect(seen.body).toMatchObject({ status: 'expired' });
  await temporal.close();
  await orm.close(true);
});
