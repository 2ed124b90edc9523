/** Transfers that are booked at once: what a customer can do, and what they cannot. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { payerWith } from '../../support/bank/transfers.ts';
import { newKey } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

test('a transfer below the threshold is booked at once on both sides', async () => {
  const { customer, from, to } = await payerWith(bank, '100.00');
  const answer = await bank.transfer(customer, {
    from: from.id,
    to: to.id,
    amount: '30.10',
    description: 'Rent',
  });
  expect(answer).toMatchObject({
    status: 201,
    body: { status: 'executed', amount: { amount: '30.10', currency: 'EUR' } },
  });
  expect(await bank.look(customer, from)).toMatchObject({
    balance: { amount: '69.90' },
    available: { amount: '69.90' },
  });
  expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '30.10' } });
  const history = await customer.client.call('GET', `/v1/accounts/${to.id}/transactions`, {
    token: customer.token,
  });
  expect(history.body).toMatchObject({
    items: [
      {
        direction: 'credit',
        amount: { amount: '30.10' },
        balance_after: { amount: '30.10' },
        description: 'Rent',
        counterparty: { account_number: from.number },
      },
    ],
    next_cursor: null,
  });
});

test('another customer can be paid by account number, and sees the payer’s number only', async () => {
  const { customer, from } = await payerWith(bank, '10.00');
  const friend = await bank.customer();
  const theirs = await bank.account(friend);
  const body = {
    source_account_id: from.id,
    destination: { account_number: theirs.number },
    amount: { amount: '4.00', currency: 'EUR' },
  };
  const answer = await customer.client.call('POST', '/v1/transfers', {
    ...{ token: customer.token, stepUp: await customer.stepUp('createTransfer', body), key: newKey(), body },
  });
  expect(answer.status).toBe(201);
  expect(await bank.look(friend, theirs)).toMatchObject({ balance: { amount: '4.00' } });
});

test('somebody else’s account cannot be a source, nor be looked into', async () => {
  const { from } = await payerWith(bank, '10.00');
  const stranger = await bank.customer();
  const mine = await bank.account(stranger);
  expect((await bank.transfer(stranger, { from: from.id, to: mine.id, amount: '1.00' })).status).toBe(404);
  expect(
    (await stranger.client.call('GET', `/v1/accounts/${from.id}`, { token: stranger.token })).status,
  ).toBe(404);
  expect(
    (await stranger.client.call('GET', `/v1/accounts/${from.id}/transactions`, { token: stranger.token }))
      .status,
  ).toBe(404);
});

test('the threshold itself passes, one cent more waits for an administrator', async () => {
  const { customer, from, to } = await payerWith(bank, '30000.00');
  expect(
    (await bank.transfer(customer, { from: from.id, to: to.id, amount: '10000.00' })).body,
  ).toMatchObject({ status: 'executed' });
  expect(
    (await bank.transfer(customer, { from: from.id, to: to.id, amount: '10000.01' })).body,
  ).toMatchObject({ status: 'pending_approval' });
});

test.each([
  ['current_jpy', 'JPY', '1.5', 'too_many_digits'],
  ['current_eur', 'EUR', '0.00', 'not_positive'],
  ['current_eur', 'EUR', '-1.00', 'not_positive'],
  ['current_eur', 'EUR', '1e2', undefined],
])('an amount in %s of %s %s is refused with 400 at its pointer', async (type, currency, amount, code) => {
  const customer = await bank.customer();
  const [from, to] = [await bank.account(customer, type), await bank.account(customer, type)];
  const answer = await bank.transfer(customer, { from: from.id, to: to.id, amount, currency });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    errors: [{ pointer: '/amount/amount', ...(code === undefined ? {} : { code }) }],
  });
});

test('a number as an amount is refused with 400', async () => {
  const customer = await bank.customer();
  const answer = await customer.client.call('POST', '/v1/transfers/quote', {
    token: customer.token,
    body: {
      source_account_id: randomUUID(),
      destination: { account_id: randomUUID() },
      amount: { amount: 1.5, currency: 'EUR' },
    },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount/amount' }] } });
});

test('pages of the history follow each other without gap or repeat', async () => {
  const { customer, from, to } = await payerWith(bank, '100.00');
  for (let cents = 1; cents <= 7; cents++)
    await bank.transfer(customer, { from: from.id, to: to.id, amount: `0.0${cents}` });
  const Page = z.object({
    items: z.array(z.looseObject({ sequence: z.string() })),
    next_cursor: z.string().nullable(),
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const answer = await customer.client.call('GET', `/v1/accounts/${to.id}/transactions`, {
      token: customer.token,
      query: { limit: '3', ...(cursor === null ? {} : { cursor }) },
    });
    const page: z.output<typeof Page> = answer.as(Page);
    seen.push(...page.items.map(({ sequence }) => sequence));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(['7', '6', '5', '4', '3', '2', '1']);
});
