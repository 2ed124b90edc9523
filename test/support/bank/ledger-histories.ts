/** The past of accounts beside their entries. */
import { expect } from '@jest/globals';
import { balancesAt } from '../../../db/queries/ledger/history.ts';
import type { Books } from './books.ts';
import type { Account } from './ledger-predictions.ts';

/** With two, no and three decimals. Each customer of a run has two accounts of each, so account n keeps asset n / 2. */
export const ASSETS = ['EUR', 'JPY', 'KWD'] as const;

/** At any time the balance is the sum of the entries until then, by booking and by value date; `nets` is what each transaction did. */
export async function expectHistories(books: Books, accounts: readonly Account[]): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  const entries = await books.asOwner(
    `select account_id, asset, seq::int, amount::text, balance_after::text, transaction_id, booked_at, value_date::text
       from ledger_entries where account_id = any ($1) order by account_id, seq`,
    [ids],
  );
  for (const { id, nets } of accounts) {
    const own = entries.filter((entry) => entry['account_id'] === id);
    let balance = 0n;
    const booked = new Map<unknown, bigint>();
    for (const [index, entry] of own.entries()) {
      const amount = BigInt(String(entry['amount']));
      balance += amount;
      expect([entry['seq'], entry['balance_after']]).toEqual([index + 1, balance.toString()]);
      booked.set(entry['transaction_id'], (booked.get(entry['transaction_id']) ?? 0n) + amount);
    }
    expect([...booked.values()]).toEqual(nets);
  }
  const sums = (until: (entry: Record<string, unknown>) => boolean) =>
    ASSETS.toSorted().map((asset) => [
      asset,
      entries
        .filter((entry) => entry['asset'] === asset && until(entry))
        .reduce((sum, entry) => sum + BigInt(String(entry['amount'])), 0n),
    ]);
  const moments = entries.map((entry) => entry['booked_at'] as Date);
  for (const moment of [moments[0], moments[Math.floor(moments.length / 2)], moments.at(-1)]) {
    if (moment === undefined) continue;
    const span = { from: moment, to: moment, interval: 'day', timeZone: 'UTC' } as const;
    const found = await balancesAt(books.em(), ids, span, 'booking');
    expect(found.map(({ asset, balance }) => [asset, BigInt(balance)])).toEqual(
      sums((entry) => (entry['booked_at'] as Date) <= moment),
    );
    const day = new Date(moment.getTime() - 200 * 86_400_000).toISOString().slice(0, 10);
    const end = new Date(`${day}T24:00:00.000Z`);
    const valued = await balancesAt(books.em(), ids, { ...span, from: end, to: end }, 'value');
    expect(valued.map(({ asset, balance }) => [asset, BigInt(balance)])).toEqual(
      sums((entry) => String(entry['value_date']) <= day),
    );
  }
}
