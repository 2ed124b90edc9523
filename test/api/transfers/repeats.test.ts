/**
 * Repeats with one key: the money moves once and all hear the same. One whose first answer was lost hears what was done, however the
 * world has changed since, and never a refusal of it.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { keepFirstRefusal } from '../../../db/queries/platform/idempotency-keys.ts';
import { openBank, transferBody, type Bank, type Person } from '../../support/bank/bank.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { SHARED } from '../../support/stack/database.ts';
import { codeOf, newKey, patiently, type Answered } from '../../support/client.ts';
import { pay, payerWith, quote } from '../../support/bank/transfers.ts';

let bank: Bank;
let books: Books;
beforeAll(() => {
  bank = openBank();
  books = openBooks(SHARED);
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
  await books.close();
});

const Id = z.looseObject({ id: z.uuid() });

/** As if the API had died before it could keep its answer. */
async function loseAnswer(key: string): Promise<void> {
  await bank.asOwner('update idempotency_keys set status = null, answer = null where key = $1', [key]);
}

test('a payment by email is told as made, although the payee is blocked by then', async () => {
  const [payer, friend] = [await bank.customer(), await bank.customer()];
  const from = await bank.fundedAccount(payer, '100.00');
  await bank.account(friend);
  const key = newKey();
  const send = (): Promise<Answered> =>
    pay(payer, { from: from.id, to: { email: `${friend.id}@bank.test` }, amount: '5.00', key });
  const first = await send();
  expect(first.status).toBe(201);
  await loseAnswer(key);
  await bank.asOwner(`update users set status = 'blocked' where id = $1`, [friend.id]);
  const again = await send();
  expect(again.status).toBe(201);
  expect(again.as(Id).id).toBe(first.as(Id).id);
  expect(await bank.look(payer, from)).toMatchObject({ balance: { amount: '95.00' } });
});

test('a refusal of a transfer that is there is not kept', async () => {
  const payer = await bank.customer();
  const [from, to] = [await bank.fundedAccount(payer, '100.00'), await bank.account(payer)];
  const key = newKey();
  const sent = await bank.transfer(payer, { from: from.id, to: to.id, amount: '5.00', key });
  expect(sent.status).toBe(201);
  await loseAnswer(key);
  const [row] = await bank.asOwner('select request_hmac from idempotency_keys where key = $1', [key]);
  const owner = {
    caller: payer.id,
    operation: 'createTransfer',
    key,
    hmac: z.instanceof(Buffer).parse(row?.['request_hmac']),
  };
  const refusal = { code: 'rate_unavailable', members: undefined, detail: undefined };
  const resourceId = sent.as(Id).id;
  expect(await keepFirstRefusal.run(books.em(), { ...owner, resourceId, refusal })).toBe(0);
});

test('a quote is told again with the numbers that it froze, also to twins', async () => {
  const payer: Person = await bank.customer();
  const [from, to] = [await bank.fundedAccount(payer, '100.00'), await bank.account(payer)];
  const key = newKey();
  const ask = (): Promise<Answered> =>
    quote(payer, { from: from.id, to: { account_id: to.id }, amount: '5.00', key });
  const first = await ask();
  expect(first.status).toBe(200);
  await loseAnswer(key);
  expect((await ask()).body).toEqual(first.body);

  const twins = await Promise.all(
    Array.from({ length: 5 }, () =>
      patiently(() =>
        quote(payer, { from: from.id, to: { account_id: to.id }, amount: '6.00', key: `${key}-twins` }),
      ),
    ),
  );
  for (const twin of twins.filter(({ status }) => status !== 200))
    expect(twin.body).toMatchObject({ code: 'idempotency_in_progress' });
  expect(new Set(twins.filter(({ status }) => status === 200).map((answer) => answer.as(Id).id)).size).toBe(
    1,
  );
});

test('a planned transfer is told as planned, although its payee is blocked by then', async () => {
  const [payer, friend] = [await bank.customer(), await bank.customer()];
  const from = await bank.fundedAccount(payer, '100.00');
  await bank.account(friend);
  const key = newKey();
  const starts_on = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const body = {
    source_account_id: from.id,
    destination: { email: `${friend.id}@bank.test` },
    amount: { amount: '5.00', currency: 'EUR' },
    starts_on,
  };
  const plan = async (): Promise<Answered> =>
    payer.client.call('POST', '/v1/scheduled-transfers', {
      token: payer.token,
      stepUp: await payer.stepUp('createScheduledTransfer', body),
      key,
      body,
    });
  const first = await plan();
  expect(first.status).toBe(201);
  await loseAnswer(key);
  await bank.asOwner(`update users set status = 'blocked' where id = $1`, [friend.id]);
  const again = await plan();
  expect(again.status).toBe(201);
  expect(again.as(Id).id).toBe(first.as(Id).id);
});

describe('an idempotency key', () => {
  test('sent fifty times at once moves the money once, and all answers are equal', async () => {
    const { customer, from, to } = await payerWith(bank, '100.00');
    const wish = { from: from.id, to: to.id, amount: '7.00', key: newKey() };
    const stepUp = await customer.stepUp('createTransfer', transferBody(wish));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => patiently(() => bank.transfer(customer, { ...wish, stepUp }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '7.00' } });
  });

  test('that was refused stays refused after the account is funded; a new one passes', async () => {
    const { customer, from, to } = await payerWith(bank, '1.00');
    const key = newKey();
    const wish = { from: from.id, to: to.id, amount: '50.00', key };
    expect(codeOf(await bank.transfer(customer, wish))).toBe('insufficient_funds');
    await bank.fund(from, '100.00');
    expect(codeOf(await bank.transfer(customer, wish))).toBe('insufficient_funds');
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '0.00' } });
    expect((await bank.transfer(customer, { ...wish, key: newKey() })).status).toBe(201);
  });

  test('with another amount is refused, without one nothing moves', async () => {
    const { customer, from, to } = await payerWith(bank, '10.00');
    const key = newKey();
    const wish = { from: from.id, to: to.id, amount: '1.00', key };
    expect((await bank.transfer(customer, wish)).status).toBe(201);
    expect(codeOf(await bank.transfer(customer, { ...wish, amount: '2.00' }))).toBe('idempotency_key_reused');
    const body = transferBody(wish);
    const without = await customer.client.call('POST', '/v1/transfers', {
      ...{ token: customer.token, stepUp: await customer.stepUp('createTransfer', body), body },
    });
    expect(codeOf(without)).toBe('idempotency_key_required');
    expect(await bank.look(customer, to)).toMatchObject({ balance: { amount: '1.00' } });
  });
});
