/** Narrowing the movements of an account, so that each filter finds its rows through an index. */
import type { AccountId, UserId } from '../../../domain/ids.ts';
import type { Bind } from '../../rows/composed.ts';
import type { Wording } from './search.ts';

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

/** The largest number that an entry can have. */
export const LAST_SEQ = 9_223_372_036_854_775_807n;

/** The conditions on the entries `e` of this account, one for each part of the filter. */
export function conditionsOf(
  {
    account,
    owner,
    filter,
  }: { readonly account: AccountId; readonly owner: UserId; readonly filter: EntryFilter },
  bind: Bind,
): string[] {
  const conditions: string[] = [];
  const { bookedFrom, bookedBefore, valueFrom, valueTo, kind, wording } = filter;
  // entries of an account are booked in the order of their numbers: two look-ups turn times into numbers
  if (bookedFrom !== undefined)
    conditions.push(
      `e.seq >= (select coalesce(min(f.seq), ${LAST_SEQ}) from (select seq from ledger_entries
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

function amounts({ direction, least, most }: EntryFilter, bind: Bind): string[] {
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
