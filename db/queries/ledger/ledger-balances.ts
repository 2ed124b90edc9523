/** The balance of every account of the books at a time, put together by what they are for. */
import { bigCount, minor, moment, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';

const balance = {
  account: text(),
  ...columnsOf(Account, 'asset'),
  accounts: bigCount(),
  debit: minor(),
  credit: minor(),
};
/**
 * One asset of one `account`: `customers`, or the role of the bank's own accounts. An account below zero stands with the debits, one
 * above with the credits.
 */
export type LedgerBalance = RowOf<typeof balance>;

/**
 * Of all that was booked until `at`. Costs one look-up an account, not the sum of its entries. One statement is one snapshot, and all
 * entries of a transaction are booked at one time: debits and credits are equal at any time.
 */
export const ledgerBalances = statement({
  name: 'ledgerBalances',
  takes: { at: moment().nullable() },
  gives: balance,
  sql: `
    select coalesce(a.role, 'customers') as account, a.asset, count(*) as accounts,
           coalesce(-sum(last.balance) filter (where last.balance < 0), 0) as debit,
           coalesce(sum(last.balance) filter (where last.balance > 0), 0) as credit
      from accounts a
      cross join lateral (select e.balance_after as balance from ledger_entries e
        where e.account_id = a.id and e.booked_at <= coalesce($at::timestamptz, 'infinity') order by e.booked_at desc, e.seq desc limit 1) last
     group by 1, 2 order by 2, 1`,
});
