/** The balance of every account of the books at a time, put together by what they are for. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../../sql.ts';

/** Minor units of one asset; an account below zero stands with the debits, one above with the credits. */
export interface LedgerBalance {
  /** `customers`, or the role of the bank's own accounts. */
  readonly account: string;
  readonly asset: string;
  readonly accounts: number;
  readonly debit: string;
  readonly credit: string;
}

/**
 * Of all that was booked until `at`. Costs one look-up an account, not the sum of its entries. One statement is one snapshot, and all
 * entries of a transaction are booked at one time: debits and credits are equal at any time.
 */
export function ledgerBalances(em: EntityManager, at: Date | null): Promise<LedgerBalance[]> {
  return rows(
    em,
    `select coalesce(a.role, 'customers') as account, a.asset, count(*)::int as accounts,
            coalesce(-sum(last.balance) filter (where last.balance < 0), 0)::text as debit,
            coalesce(sum(last.balance) filter (where last.balance > 0), 0)::text as credit
       from accounts a
       cross join lateral (select e.balance_after as balance from ledger_entries e
         where e.account_id = a.id and e.booked_at <= coalesce($1::timestamptz, 'infinity') order by e.booked_at desc, e.seq desc limit 1) last
      group by 1, 2 order by 2, 1`,
    [at],
  );
}
