/** The movements of an account: pages in both directions, narrowed by filters that all find their rows through an index. */
import { AccountId, UserId } from '../../../domain/ids.ts';
import { bigintArray, idArray, text, type RowOf } from '../../rows/columns.ts';
import { composedStatement } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { LedgerEntry, LedgerTransaction } from '../../schema/ledger.ts';
import { conditionsOf, LAST_SEQ, type EntryFilter } from './entry-filter.ts';

const booked = {
  ...columnsOf(LedgerEntry, 'accountId', 'seq', 'transactionId', 'asset', 'amount', 'balanceAfter'),
  ...columnsOf(LedgerEntry, 'bookedAt', 'valueDate', 'part'),
};
const transaction = columnsOf(LedgerTransaction, 'kind', 'description', 'metadata', 'sourceType', 'sourceId');
const entry = {
  ...booked,
  ...transaction,
  counterpartyName: text().nullable(),
  counterpartyNumber: text().nullable(),
  counterpartyIban: text().nullable(),
};
/** One entry with its transaction and who is on the other side (nobody where that is the bank). */
export type EntryRow = RowOf<typeof entry>;

/** Which of an account's entries are read. */
export interface EntryPage {
  readonly account: AccountId;
  readonly owner: UserId;
  readonly filter: EntryFilter;
  readonly order: 'asc' | 'desc';
  /** An entry's sequence number, itself not included; null from the beginning of the order. */
  readonly beyond: bigint | null;
  readonly most: number;
  /** Shows the other side's whole name; else only to its owner, and to others the given name and an initial. */
  readonly wholeNames: boolean;
}

/**
 * What is added to the entries of `page`: their transaction, and for the payment itself (not its fees) the other side, which what is no
 * transfer names in its metadata.
 * `wholeNames` is the condition under which names are shown whole.
 */
const withTransaction = (wholeNames: string): string => `
  select ${selectList(booked, 'e')}, ${selectList(transaction, 'x')},
         coalesce(b.name, case when other.owner_id = mine.owner_id then coalesce(other.nickname, u.first_name || ' ' || u.last_name)
                               when ${wholeNames} then u.first_name || ' ' || u.last_name else shown_name(u.first_name, u.last_name) end,
                  case when e.part = 'principal' then x.metadata->>'counterparty' end) as counterparty_name,
         coalesce(other.number, b.account) as counterparty_number, coalesce(other.iban, b.iban) as counterparty_iban
    from page e
    join accounts mine on mine.id = e.account_id
    join ledger_transactions x on x.id = e.transaction_id
    left join lateral (select a.number, a.iban, a.owner_id, a.nickname from ledger_entries o join accounts a on a.id = o.account_id
                        where o.transaction_id = e.transaction_id and o.account_id <> e.account_id and a.kind = 'customer' limit 1) other on e.part = 'principal'
    left join users u on u.id = other.owner_id
    left join transfers t on e.part = 'principal' and x.source_type = 'transfer' and t.id = x.source_id and t.source_account_id = e.account_id
    left join beneficiaries b on b.id = t.beneficiary_id`;

const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const [account, owner] = [AccountId.parse(NOBODY), UserId.parse(NOBODY)];
const some = { account, owner, most: 1, wholeNames: false };
const [day, moment] = ['2026-03-01', new Date(0)];

/** A page of an account's entries; the cost depends on the page, not on the length of the history. */
export const pageOfEntries = composedStatement({
  name: 'pageOfEntries',
  gives: entry,
  compose: (page: EntryPage, bind) => {
    const { order, beyond } = page;
    const wholeNames = bind(page.wholeNames);
    const conditions = [
      `e.account_id = ${bind(page.account)}`,
      order === 'asc'
        ? `e.seq > ${bind(String(beyond ?? 0n))}::bigint`
        : `e.seq < ${bind(String(beyond ?? LAST_SEQ))}::bigint`,
      ...conditionsOf(page, bind),
    ];
    return `
      with page as materialized (
        select e.* from ledger_entries e where ${conditions.join(' and ')} order by e.seq ${order} limit ${bind(page.most)})
      ${withTransaction(`${wholeNames}::boolean`)} order by e.seq ${order}`;
  },
  examples: [
    { ...some, order: 'desc', beyond: null, filter: {} },
    { ...some, order: 'asc', beyond: 1n, filter: { bookedFrom: moment, bookedBefore: moment } },
    { ...some, order: 'asc', beyond: 1n, filter: { valueFrom: day, valueTo: day, least: 1n, most: 2n } },
    { ...some, order: 'desc', beyond: 1n, filter: { direction: 'credit', most: 2n, kind: 'return' } },
    { ...some, order: 'desc', beyond: 1n, filter: { direction: 'debit', most: 2n, wording: [['rent']] } },
  ],
});

/** These entries, in the order of their keys. */
export const entriesByKey = statement({
  name: 'entriesByKey',
  takes: { accounts: idArray<AccountId>(), seqs: bigintArray() },
  gives: entry,
  sql: `
    with page as materialized (
      select e.*, k.n from unnest($accounts::uuid[], $seqs::bigint[]) with ordinality k(account_id, seq, n)
        join ledger_entries e on e.account_id = k.account_id and e.seq = k.seq)
    ${withTransaction('false')} order by e.n`,
});
