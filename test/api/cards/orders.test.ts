/** Messages of a payment in any order, some of them twice: the payment, its hold and the account end the same. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { euro } from '../../support/bank/accounts.ts';
import { newWallet, send, type Wallet } from '../../support/bank/card-network.ts';
import { newKey } from '../../support/client.ts';
import { fc } from '../../support/property.ts';

let bank: Bank;
let wallet: Wallet;
beforeAll(async () => {
  bank = openBank();
  wallet = await newWallet(bank, {}, { amount: '100000.00' });
});
afterAll(() => bank.close());

/** What the network says about one payment: minor units of what is asked, added, advised and taken back. */
const story = fc.record({
  asked: fc.integer({ min: 1, max: 5_000 }),
  added: fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 2 }),
  total: fc.option(fc.integer({ min: 1, max: 6_000 }), { nil: null }),
  back: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: null }),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  twice: fc.array(fc.nat(5), { maxLength: 3 }),
});

const money = (minor: number) => euro((minor / 100).toFixed(2));

/** Sorts by made up numbers, which is any order. */
function ordered<Item>(items: readonly Item[], numbers: readonly number[]): Item[] {
  return items
    .map((item, index) => ({ item, number: numbers[index] ?? 0 }))
    .toSorted((one, other) => one.number - other.number)
    .map(({ item }) => item);
}

test('the end does not depend on the order of the messages', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ asked, added, total, back, order, twice }) => {
      const payment_id = newKey();
      const say = (more: object) => wallet.message({ payment_id, ...more });
      const requests = [
        say({ billing: money(asked) }),
        ...added.map((minor) => say({ purpose: 'increment', billing: money(minor) })),
        ...(total === null ? [] : [say({ purpose: 'completion', billing: money(total) })]),
      ];
      const sum = total ?? asked + added.reduce((one, other) => one + other, 0);
      // what is taken back was asked for by the first request
      const taken = total === null && back !== null ? Math.min(back, asked) : null;
      const messages = [
        ...requests,
        ...(taken === null ? [] : [say({ type: '0420', billing: money(taken) })]),
      ];
      const repeated = twice.flatMap((index) => messages.slice(index, index + 1));
      for (const message of ordered([...messages, ...repeated], order)) await send(message);
      const open = sum - (taken ?? 0);
      expect(await wallet.payment(payment_id)).toMatchObject({
        authorised: money(sum),
        reversed: money(taken ?? 0),
        held: money(open),
        status: open > 0 ? 'authorised' : 'reversed',
      });
      const [sums] = await bank.asOwner(
        `select a.held = coalesce((select sum(h.amount - h.captured) from holds h where h.account_id = a.id
                                     and h.status = 'open'), 0) as agrees from accounts a where a.id = $1`,
        [wallet.card.account_id],
      );
      expect(sums).toEqual({ agrees: true });
    }),
    { numRuns: 25 },
  );
});
