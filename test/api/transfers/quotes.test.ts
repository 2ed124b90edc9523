/** Quotes: a price that binds once, for whoever asked for it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { pay, payerWith, quote } from '../../support/bank/transfers.ts';
import { codeOf, type Answered } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(async () => {
  await bank.expectBooksBalanced();
  await bank.close();
});

describe('a quote', () => {
  const ask = (who: Person, from: string, to: string, amount: string): Promise<Answered> =>
    quote(who, { from, to: { account_id: to }, amount });
  const use = (who: Person, quoteId: string, from: string, to: string, amount: string): Promise<Answered> =>
    pay(who, { from, to: { account_id: to }, amount, quoteId });
  const idOf = (answer: Answered): string => answer.as(z.looseObject({ id: z.uuid() })).id;

  test('binds once: the second use, other numbers and another user’s are refused', async () => {
    const { customer, from, to } = await payerWith(bank, '100.00');
    const quoted = await ask(customer, from.id, to.id, '10.00');
    expect(quoted.body).toMatchObject({
      total_debit: { amount: '10.00' },
      fees: [],
      requires_approval: false,
    });
    const id = idOf(quoted);
    expect(codeOf(await use(customer, id, from.id, to.id, '11.00'))).toBe('quote_unusable');
    expect((await use(customer, id, from.id, to.id, '10.00')).status).toBe(201);
    expect(codeOf(await use(customer, id, from.id, to.id, '10.00'))).toBe('quote_unusable');
    const other = await payerWith(bank, '100.00');
    expect(codeOf(await use(other.customer, id, other.from.id, other.to.id, '10.00'))).toBe('not_found');
    expect(codeOf(await use(customer, randomUUID(), from.id, to.id, '10.00'))).toBe('not_found');
  });

  test('that has expired is refused', async () => {
    const { customer, from, to } = await payerWith(bank, '100.00');
    const id = idOf(await ask(customer, from.id, to.id, '10.00'));
    await bank.asOwner('update transfer_quotes set expires_at = now() where id = $1', [id]);
    expect(codeOf(await use(customer, id, from.id, to.id, '10.00'))).toBe('quote_unusable');
  });
});
