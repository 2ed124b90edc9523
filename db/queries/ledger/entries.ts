/** The movements of an account: pages in both directions, narrowed by filters that all find their rows through an index. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';
import type { EntryKey, Wording } from './search.ts';

/** One entry with its transaction and who is on the other side (nobody where that is the bank). Amounts in minor units. */
export interface EntryRow {
  readonly account_id: AccountId;
  readonly seq: string;
  readonly asset: string;
  readonly amount: string;
  readonly balance_after: string;
  readonly booked_at: Date;
  readonly value_date: string;
  readonly part: string;
  readonly transaction_id: string;
  readonly kind: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly source_type: string;
  readonly source_id: string;
  readonly counterparty_name: string | null;
  readonly counterparty_number: string | null;
  readonly counterparty_iban: string | null;
}

/** What a page is narrowed to; what is left out does not narrow. Amounts in minor units without their sign. */
export interface EntryFilter {
  readonly bookedFrom?: Date | undefined;
  /** Not included. */
  readonly bookedBefore?: Date | undefined;
  readonly valueFrom?: string | undefined;
  readonly valueTo?: string | undefined;
  readonly direction?: 'credit' | 'debit' | undefined;
  readonly least?: bigint | undefined;
  readonly most?: bigint | undefined;
  readonly kind?: string | undefined;
  readonly wording?: Wording | undefined;
}

export interface EntryPage {
  readonly account: AccountId;
  readonly owner: UserId;
  readonly filter: EntryFilter;
  readonly order: 'asc' | 'desc';
  /** An entry's sequence number, itself not included; null from the beginning of the order. */
  readonly beyond: string | null;
  readonly most: number;
  /** Shows the other side's whole name; else only to its owner, and to others the given name and an initial. */
  readonly wholeNames: boolean;
}

const LAST = '9223372036854775807';

/**
 * What is added to the entries of `page`: their transaction, and for the payment itself (not its fees) the other side. `$1` says
 * whether names are shown whole.
 */
const WITH_TRANSACTION = `
  select e.account_id, e.seq, e.asset, e.amount, e.balance_after, e.booked_at, e.value_date, e.part,
         x.id as transaction_id, x.kind, x.description, x.metadata, x.source_type, x.source_id,
         coalesce(b.name, case when other.owner_id = mine.owner_id then coalesce(other.nickname, u.first_name || ' ' || u.last_name)
                               when $1::boolean then u.first_name || ' ' || u.last_name else shown_name(u.first_name, u.last_name) end) as counterparty_name,
         coalesce(other.number, b.account) as counterparty_number, coalesce(other.iban, b.iban) as counterparty_iban
    from page e
    join accounts mine on mine.id = e.account_id
    join ledger_transactions x on x.id = e.transaction_id
    left join lateral (select a.number, a.iban, a.owner_id, a.nickname from ledger_entries o join accounts a on a.id = o.account_id
                        where o.transaction_id = e.transaction_id and o.account_id <> e.account_id and a.kind = 'customer' limit 1) other on e.part = 'principal'
    left join users u on u.id = other.owner_id
    left join transfers t on e.part = 'principal' and x.source_type = 'transfer' and t.id = x.source_id and t.source_account_id = e.account_id
    left join beneficiaries b on b.id = t.beneficiary_id`;

/** A page of an account's entries; the cost depends on the page, not on the length of the history. */
export function pageOfEntries(em: EntityManager, page: EntryPage): Promise<EntryRow[]> {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${parameters.push(value)}`;
  bind(page.wholeNames);
  const conditions = [
    `e.account_id = ${bind(page.account)}`,
    page.order === 'asc'
      ? `e.seq > ${bind(page.beyond ?? '0')}::bigint`
      : `e.seq < ${bind(page.beyond ?? LAST)}::bigint`,
    ...narrowed(page, bind),
  ];
  return rows(
    em,
    `with page as materialized (
       select e.* from ledger_entries e where ${conditions.join(' and ')} order by e.seq ${page.order} limit ${bind(page.most)})
     ${WITH_TRANSACTION} order by e.seq ${page.order}`,
    parameters,
  );
}

/** These entries, in the order of their keys. */
export function entriesByKey(em: EntityManager, keys: readonly EntryKey[]): Promise<EntryRow[]> {
  return rows(
    em,
    `with page as materialized (
       select e.*, k.n from unnest($2::uuid[], $3::bigint[]) with ordinality k(account_id, seq, n)
         join ledger_entries e on e.account_id = k.account_id and e.seq = k.seq)
     ${WITH_TRANSACTION} order by e.n`,
    [false, keys.map(({ account_id }) => account_id), keys.map(({ seq }) => seq)],
  );
}

function narrowed({ account, owner, filter }: EntryPage, bind: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const { bookedFrom, bookedBefore, valueFrom, valueTo, kind, wording } = filter;
  // entries of an account are booked in the order of their numbers: two look-ups turn times into numbers
  if (bookedFrom !== undefined)
    conditions.push(
      `e.seq >= (select coalesce(min(f.seq), ${LAST}) from (select seq from ledger_entries
         where account_id = ${bind(account)} and booked_at >= ${bind(bookedFrom)} order by booked_at, seq limit 1) f)`,
    );
  if (bookedBefore !== undefined)
    conditions.push(
      `e.seq <= (select coalesce(max(l.seq), 0) from (select seq from ledger_entries
         where account_id = ${bind(account)} and booked_at < ${bind(bookedBefore)} order by booked_at desc, seq desc limit 1) l)`,
    );
  if (valueFrom !== undefined) conditions.push(valueDated('>=', bind(valueFrom)));
  if (valueTo !== undefined) conditions.push(valueDated('<=', bind(valueTo)));
  conditions.push(...amounts(filter, bind));
  if (kind !== undefined) conditions.push(hasWord(bind(owner), bind([`kind:${kind}`])));
  for (const words of wording ?? []) conditions.push(hasWord(bind(owner), bind(words)));
  return conditions;
}

/** Most entries count on the day they are booked and are found by time; the others by an index of their own. */
function valueDated(comparison: '>=' | '<=', day: string): string {
  const bound = comparison === '>=' ? `e.booked_at >= ${day}::date` : `e.booked_at < ${day}::date + 1`;
  return `e.value_date ${comparison} ${day}::date and (${bound} or e.value_date <> (e.booked_at at time zone 'UTC')::date)`;
}

function amounts({ direction, least, most }: EntryFilter, bind: (value: unknown) => string): string[] {
  if (direction === undefined && least === undefined && most === undefined) return [];
  const from = least ?? (direction === undefined ? 0n : 1n);
  const credit = (): string[] => [
    `e.amount >= ${bind(from.toString())}`,
    ...(most === undefined ? [] : [`e.amount <= ${bind(most.toString())}`]),
  ];
  const debit = (): string[] => [
    `e.amount <= ${bind((-from).toString())}`,
    ...(most === undefined ? [] : [`e.amount >= ${bind((-most).toString())}`]),
  ];
  switch (direction) {
    case 'credit':
      return credit();
    case 'debit':
      return debit();
    case undefined:
      return [`((${credit().join(' and ')}) or (${debit().join(' and ')}))`];
  }
}

function hasWord(owner: string, words: string): string {
  return `exists (select from entry_words w where w.owner_id = ${owner} and w.booked_at = e.booked_at and w.account_id = e.account_id
    and w.seq = e.seq and w.words && ${words}::text[])`;
}
