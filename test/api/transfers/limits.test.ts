/** Limits of transfers: exact, and not to be passed by calls at the same moment. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, TransferAnswer, type Bank } from '../../support/bank/bank.ts';
import { decideAs, limitType, pay, payPatiently, transferType } from '../../support/bank/transfers.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

async function pair(amount = '100000.00') {
  const customer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(customer, amount), await bank.account(await bank.customer())];
  return { customer, from, to, other: { account_id: to.id } };
}

test('of twenty payments of 100 at once, a daily limit of 1,000 lets exactly ten through', async () => {
  const type = await transferType(bank, { limits: [{ day: 100_000 }] });
  const { customer, from, other } = await pair();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      payPatiently(customer, { type, from: from.id, to: other, amount: '100.00' }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 409);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(refused).toHaveLength(10);
  expect(refused[0]?.body).toMatchObject({
    code: 'limit_exceeded',
    limit: {
      subject: 'user',
      period: 'day',
      currency: 'EUR',
      amount: '1000.00',
      used: '1000.00',
      remaining: '0.00',
    },
  });
  expect(await bank.look(customer, from)).toMatchObject({ balance: { amount: '99000.00' } });
});

test('the limit itself passes, one cent more does not, and the answer names what remains', async () => {
  const type = await transferType(bank, { limits: [{ day: 100_000 }] });
  const { customer, from, other } = await pair();
  const send = (amount: string) => pay(customer, { type, from: from.id, to: other, amount });
  expect((await send('400.00')).status).toBe(201);
  expect((await send('600.01')).body).toMatchObject({
    code: 'limit_exceeded',
    limit: { used: '400.00', remaining: '600.00' },
  });
  expect((await send('600.00')).status).toBe(201);
});

test.each([
  ['single', { single: 5_000 }],
  ['month', { month: 5_000 }],
] as const)('a limit by %s is named', async (period, limit) => {
  const type = await transferType(bank, { limits: [limit] });
  const { customer, from, other } = await pair();
  expect((await pay(customer, { type, from: from.id, to: other, amount: '50.01' })).body).toMatchObject({
    code: 'limit_exceeded',
    limit: { period, amount: '50.00' },
  });
});

test('what is cancelled, rejected or has failed gives its allowance back', async () => {
  const type = await transferType(bank, { approvalAbove: 0, limits: [{ day: 10_000 }] });
  const { customer, from, other } = await pair();
  const reviewer = await bank.admin('transfers:review');
  for (const decision of ['cancel', 'reject']) {
    const waiting = await pay(customer, { type, from: from.id, to: other, amount: '100.00' });
    expect(waiting.body).toMatchObject({ status: 'pending_approval' });
    expect((await pay(customer, { type, from: from.id, to: other, amount: '0.01' })).status).toBe(409);
    await decideAs(reviewer, waiting.as(TransferAnswer).id, decision, { reason: 'no' });
  }
  expect((await pay(customer, { type, from: from.id, to: other, amount: '100.00' })).status).toBe(201);
});

test('limits by account and by recipient count each one on its own', async () => {
  const type = await transferType(bank, {
    limits: [
      { subject: 'account', day: 30_000 },
      { subject: 'recipient', day: 20_000 },
    ],
  });
  const { customer, from, other } = await pair();
  const second = await bank.fundedAccount(customer, '1000.00');
  const stranger = { account_id: (await bank.account(await bank.customer())).id };
  const send = async (source: string, to: object, amount: string) =>
    (await pay(customer, { type, from: source, to, amount })).body;
  expect(await send(from.id, other, '200.00')).toMatchObject({ status: 'executed' });
  expect(await send(second.id, other, '0.01')).toMatchObject({ limit: { subject: 'recipient' } });
  expect(await send(from.id, stranger, '100.01')).toMatchObject({ limit: { subject: 'account' } });
  expect(await send(from.id, stranger, '100.00')).toMatchObject({ status: 'executed' });
  expect(await send(second.id, stranger, '100.00')).toMatchObject({ status: 'executed' });
});

test('the row with the highest level that the customer has reached counts', async () => {
  const type = await transferType(bank, {
    limits: [
      { level: 0, single: 1_000 },
      { level: 2, single: 5_000 },
    ],
  });
  const { customer, from, other } = await pair();
  const send = async (amount: string) =>
    (await pay(customer, { type, from: from.id, to: other, amount })).status;
  expect(await send('10.01')).toBe(409);
  await bank.asOwner('update users set kyc_level = 1 where id = $1', [customer.id]);
  expect(await send('10.01')).toBe(409);
  await bank.asOwner('update users set kyc_level = 2 where id = $1', [customer.id]);
  expect(await send('50.00')).toBe(201);
  expect(await send('50.01')).toBe(409);
});

test('a limit that is set at noon counts what was sent in the morning', async () => {
  const type = await transferType(bank);
  const { customer, from, other } = await pair();
  expect((await pay(customer, { type, from: from.id, to: other, amount: '70.00' })).status).toBe(201);
  await limitType(bank, type, { day: 10_000 });
  expect((await pay(customer, { type, from: from.id, to: other, amount: '30.01' })).body).toMatchObject({
    limit: { used: '70.00', remaining: '30.00' },
  });
  expect((await pay(customer, { type, from: from.id, to: other, amount: '30.00' })).status).toBe(201);
});

test('a new day starts from nothing, the month goes on', async () => {
  const type = await transferType(bank, { limits: [{ day: 10_000, month: 15_000 }] });
  const { customer, from, other } = await pair();
  const send = async (amount: string) =>
    (await pay(customer, { type, from: from.id, to: other, amount })).body;
  expect(await send('100.00')).toMatchObject({ status: 'executed' });
  // as if it had been yesterday; on the first of a month that is last month
  await bank.asOwner(
    `update limit_uses set at = at - interval '1 day'
      where counter_id in (select id from limit_counters where owner_id = $1)`,
    [customer.id],
  );
  const [first] = await bank.asOwner(
    `select extract(day from now() at time zone 'Europe/Berlin') = 1 as yes`,
  );
  if (first?.['yes'] !== true)
    expect(await send('50.01')).toMatchObject({ limit: { period: 'month', used: '100.00' } });
  expect(await send('50.00')).toMatchObject({ status: 'executed' });
});
