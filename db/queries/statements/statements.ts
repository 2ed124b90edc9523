/**
 * What a statement of account is made of. Entries are numbered without gaps, never change, and are booked in the order of their
 * numbers: once the first and the last number of a period are known, its entries can be read piece by piece, at any speed, without
 * a transaction that holds them still.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import type { Period } from '../../../domain/statements.ts';
import { row, rows } from '../../sql.ts';

/** The account and where the period begins and ends in its history. Balances in minor units. */
export interface StatementHead {
  readonly account_id: AccountId;
  readonly number: string;
  readonly iban: string | null;
  readonly type_name: string;
  readonly owner_name: string;
  /** BCP 47. */
  readonly owner_locale: string;
  readonly asset: string;
  readonly asset_kind: 'fiat' | 'crypto';
  readonly scale: number;
  /** The first moment of the period, and the first after it. */
  readonly begins: Date;
  readonly ends: Date;
  /** Number of the last entry before the period, and of the last in it; the same where there is none. */
  readonly seq_before: string;
  readonly seq_last: string;
  readonly opening: string;
  readonly closing: string;
  /** When the last entry until the end of the period was booked; null where there is none. */
  readonly last_booked_at: Date | null;
}

/** Null: whoever owns it. */
export interface StatementWish extends Period {
  readonly account: AccountId;
  readonly owner: UserId | null;
  readonly timeZone: string;
}

/** One statement, hence one moment: what is booked while it is read is not in it. Undefined where the account is not the owner's. */
export const STATEMENT_HEAD = `
  select a.id as account_id, a.number, a.iban, k.name as type_name, u.first_name || ' ' || u.last_name as owner_name, u.locale as owner_locale,
         a.asset, s.kind as asset_kind, s.scale, p.begins, p.ends,
         coalesce(o.seq, 0)::text as seq_before, coalesce(c.seq, 0)::text as seq_last,
         coalesce(o.balance_after, 0)::text as opening, coalesce(c.balance_after, 0)::text as closing, c.booked_at as last_booked_at
    from accounts a
    join account_types k on k.id = a.account_type_id
    join users u on u.id = a.owner_id
    join assets s on s.code = a.asset
   cross join (select $3::date::timestamp at time zone $5 as begins, ($4::date + 1)::timestamp at time zone $5 as ends) p
    left join lateral (select seq, balance_after from ledger_entries
                        where account_id = a.id and booked_at < p.begins order by booked_at desc, seq desc limit 1) o on true
    left join lateral (select seq, balance_after, booked_at from ledger_entries
                        where account_id = a.id and booked_at < p.ends order by booked_at desc, seq desc limit 1) c on true
   where a.id = $1 and a.kind = 'customer' and ($2::uuid is null or a.owner_id = $2)`;

export function statementHead(em: EntityManager, wish: StatementWish): Promise<StatementHead | undefined> {
  return row(em, STATEMENT_HEAD, [wish.account, wish.owner, wish.from, wish.to, wish.timeZone]);
}

/** What came in and went out, in minor units without sign. */
export interface StatementTotals {
  readonly credits: string;
  readonly credit_sum: string;
  readonly debits: string;
  readonly debit_sum: string;
}

export const STATEMENT_TOTALS = `
  select count(*) filter (where amount > 0)::text as credits, coalesce(sum(amount) filter (where amount > 0), 0)::text as credit_sum,
         count(*) filter (where amount < 0)::text as debits, coalesce(-sum(amount) filter (where amount < 0), 0)::text as debit_sum
    from ledger_entries where account_id = $1 and seq > $2::bigint and seq <= $3::bigint`;

export async function statementTotals(em: EntityManager, head: StatementHead): Promise<StatementTotals> {
  const { account_id, seq_before, seq_last } = head;
  const found = await row<StatementTotals>(em, STATEMENT_TOTALS, [account_id, seq_before, seq_last]);
  if (found === undefined) throw new Error('an aggregate answers one row');
  return found;
}

/** One entry with its transaction and, for the payment itself, who is on the other side. */
export interface StatementRow {
  readonly seq: string;
  readonly amount: string;
  readonly balance_after: string;
  readonly booked_at: Date;
  /** In the bank's time zone. */
  readonly booking_date: string;
  readonly value_date: string;
  readonly part: string;
  readonly transaction_id: string;
  readonly kind: string;
  readonly description: string;
  readonly transfer_id: string | null;
  readonly reach: 'own' | 'internal' | 'sepa' | 'international' | null;
  readonly counterparty_name: string | null;
  readonly counterparty_number: string | null;
  readonly counterparty_iban: string | null;
  readonly counterparty_bic: string | null;
  /** What the other side paid or got, where that is another currency. */
  readonly other_amount: string | null;
  readonly other_asset: string | null;
  readonly rate: string | null;
}

/** `$4`: names are shown whole, for the back office; else another customer's as on their list of movements. */
export const STATEMENT_LINES = `
  with page as materialized (
    select * from ledger_entries where account_id = $1 and seq > $2::bigint and seq <= $3::bigint order by seq limit $6)
  select e.seq, e.amount, e.balance_after, e.booked_at, (e.booked_at at time zone $5)::date as booking_date, e.value_date, e.part,
         x.id as transaction_id, x.kind, x.description, t.id as transfer_id, y.reach,
         coalesce(b.name, case when other.owner_id = mine.owner_id then coalesce(other.nickname, u.first_name || ' ' || u.last_name)
                               when $4::boolean then u.first_name || ' ' || u.last_name else shown_name(u.first_name, u.last_name) end) as counterparty_name,
         coalesce(other.number, b.account) as counterparty_number, coalesce(other.iban, b.iban) as counterparty_iban, b.bic as counterparty_bic,
         f.amount as other_amount, f.asset as other_asset, t.price->'exchange'->>'rate' as rate
    from page e
    join accounts mine on mine.id = e.account_id
    join ledger_transactions x on x.id = e.transaction_id
    left join lateral (select a.number, a.iban, a.owner_id, a.nickname from ledger_entries o join accounts a on a.id = o.account_id
                        where o.transaction_id = e.transaction_id and o.account_id <> e.account_id and a.kind = 'customer' limit 1) other on e.part = 'principal'
    left join users u on u.id = other.owner_id
    left join transfers t on x.source_type = 'transfer' and t.id = x.source_id
    left join transfer_types y on y.code = t.type_code
    left join beneficiaries b on e.part = 'principal' and b.id = t.beneficiary_id and t.source_account_id = e.account_id
    left join lateral (select case when t.source_account_id = e.account_id then t.target_amount else t.amount end as amount,
                              case when t.source_account_id = e.account_id then t.target_asset else t.asset end as asset
                        where e.part = 'principal' and t.asset <> t.target_asset) f on true
   order by e.seq`;

export interface LinesWish {
  readonly head: StatementHead;
  readonly timeZone: string;
  readonly wholeNames: boolean;
  /** How many are read at a time. */
  readonly readAtOnce: number;
}

/** Less than a millisecond of writing: others shall not wait for a long statement. */
const LINES_GIVEN = 100;

/** The entries of the period in their order; the next ones are read while the reader has the last. Holds nothing in between. */
export async function* statementLines(
  em: EntityManager,
  wish: LinesWish,
): AsyncGenerator<readonly StatementRow[], void, undefined> {
  const { head, timeZone, wholeNames } = wish;
  const readAfter = (after: string): Promise<StatementRow[]> => {
    const piece = rows<StatementRow>(em, STATEMENT_LINES, [
      ...[head.account_id, after, head.seq_last, wholeNames, timeZone, wish.readAtOnce],
    ]);
    // the reader may be gone by the time it fails
    piece.catch(() => undefined);
    return piece;
  };
  let next: Promise<StatementRow[]> | undefined = readAfter(head.seq_before);
  while (next !== undefined) {
    const piece: StatementRow[] = await next;
    const last = piece.at(-1);
    next = last === undefined || last.seq === head.seq_last ? undefined : readAfter(last.seq);
    for (let given = 0; given < piece.length; given += LINES_GIVEN)
      yield piece.slice(given, given + LINES_GIVEN);
  }
}
