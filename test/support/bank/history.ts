/** Entries of days long past, written as the owner of the tables: the functions that post know only the present. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Bank } from './bank.ts';

export interface PastEntry {
  /** RFC 3339; not before the one before. */
  readonly at: string;
  /** Below zero for a debit. */
  readonly minor: bigint;
  readonly description?: string;
  readonly kind?: string;
  readonly part?: 'principal' | 'fee';
  readonly valueDate?: string;
}

/** Books entries on an account whose other side is a house account that nobody else uses. */
export async function bookPast(
  bank: Pick<Bank, 'asOwner'>,
  account: { readonly id: string; readonly currency: string },
  entries: readonly PastEntry[],
): Promise<void> {
  const house = await houseAccount(bank, account.currency);
  for (let done = 0; done < entries.length; done += AT_ONCE)
    await bank.asOwner(BOOK, [
      ...[account.id, house, written(entries.slice(done, done + AT_ONCE)), account.currency],
    ]);
}

/** A shard that no other test has: they share one database. */
async function houseAccount(bank: Pick<Bank, 'asOwner'>, currency: string): Promise<unknown> {
  for (;;) {
    const [made] = await bank.asOwner(
      `insert into accounts (id, kind, role, shard, asset) values ($1, 'house', 'suspense', $2, $3)
       on conflict do nothing returning id`,
      [randomUUID(), randomInt(1_000, 32_000), currency],
    );
    if (made !== undefined) return made['id'];
  }
}

/** The checks of the books compare all rows of one statement with each other. */
const AT_ONCE = 200;

const BOOK = `
     with item as materialized (
       select n, (e->>'at')::timestamptz as at, (e->>'minor')::numeric as minor, coalesce(e->>'description', '') as description,
              coalesce(e->>'kind', 'transfer') as kind, coalesce(e->>'part', 'principal') as part,
              coalesce((e->>'valueDate')::date, ((e->>'at')::timestamptz at time zone 'UTC')::date) as value_date, uuidv7() as id
         from jsonb_array_elements($3::jsonb) with ordinality x(e, n)
     ), before as materialized (
       select id, entry_seq, posted from accounts where id in ($1, $2)
     ), moved as (
       update accounts a set posted = a.posted + s.sign * t.total, entry_seq = a.entry_seq + t.count, last_entry_at = t.last
         from (select sum(minor) as total, count(*) as count, max(at) as last from item) t, (values ($1::uuid, 1), ($2::uuid, -1)) s(id, sign)
        where a.id = s.id returning 1
     ), header as (
       insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date, description)
         select id, kind, 'test', id, at, value_date, description from item returning 1
     )
     insert into ledger_entries (account_id, seq, transaction_id, asset, amount, balance_after, booked_at, value_date, part)
       select $1, b.entry_seq + n, i.id, $4, minor, b.posted + sum(minor) over (order by n), at, value_date, part
         from item i, before b where b.id = $1 and (select count(*) from moved) + (select count(*) from header) > 0
       union all
       select $2, b.entry_seq + n, i.id, $4, -minor, b.posted - sum(minor) over (order by n), at, value_date, 'principal'
         from item i, before b where b.id = $2`;

function written(entries: readonly PastEntry[]): string {
  return JSON.stringify(entries, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}
