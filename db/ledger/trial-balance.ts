/** The proof of the books: what must hold after every transaction, counted over the whole ledger. */
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { heldStatuses, unspentStatuses } from '../../domain/transfers/transfers.ts';
import { bigCount, minor, text } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { wordList } from '../rows/words.ts';
import { transaction } from '../transaction.ts';

/** Each check with the number of rows that break it; in sound books every number is zero. */
export interface TrialBalance {
  readonly sound: boolean;
  readonly checks: readonly { readonly check: string; readonly broken: number }[];
  /** Sum of all entries per asset in minor units; zero in sound books. */
  readonly totals: readonly { readonly asset: string; readonly entries: number; readonly sum: bigint }[];
}

const checksOfBooks = statement({
  name: 'checksOfBooks',
  gives: { check: text(), broken: bigCount() },
  sql: `
  with chain as (
    select account_id, seq, amount, balance_after, booked_at, lag(booked_at) over steps as booked_before,
           lag(balance_after, 1, 0::minor) over steps as before, row_number() over steps as step
      from ledger_entries window steps as (partition by account_id order by seq)
  ), last as (
    select account_id, max(seq) as seq, sum(amount) as sum,
           count(*) filter (where booked_at > (select bank_now() + clock_step())) as to_come
      from ledger_entries group by account_id
  ), use as (
    select counter_id, amount, amount_before, counts, uses_before, sum(amount) over steps as running, sum(counts) over steps as running_uses
      from limit_uses window steps as (partition by counter_id order by at, id)
  ), used as (
    select counter_id, sum(amount) as amount, sum(counts) as uses,
           count(*) filter (where amount_before <> running - amount or uses_before <> running_uses - counts) as broken
      from use group by counter_id
  )
  select 'every transaction sums to zero' as check,
         (select count(*) from (select from ledger_entries group by transaction_id, asset having sum(amount) <> 0) s) as broken
  union all select 'every transaction has entries',
         (select count(*) from ledger_transactions t where not exists (select from ledger_entries e where e.transaction_id = t.id))
  union all select 'every transaction has its source',
         (select count(*) from ledger_transactions l where not case l.source_type
           when 'transfer' then exists (select from transfers t where t.id = l.source_id
             and (l.id in (t.transaction_id, t.return_transaction_id) or (l.kind = 'settlement' and t.transaction_id is not null)))
           when 'account_fee' then exists (select from account_fees f where f.id = l.source_id and f.transaction_id = l.id)
           when 'card_clearing' then exists (select from card_clearings r where r.id = l.source_id and r.transaction_id = l.id)
           when 'card_dispute' then exists (select from card_dispute_postings d where d.id = l.source_id and d.transaction_id = l.id)
           when 'crypto_deposit' then exists (select from crypto_deposit_bookings b where b.id = l.source_id and b.transaction_id = l.id)
           when 'crypto_order' then exists (select from crypto_orders o where o.id = l.source_id and o.transaction_id = l.id)
           when 'custody_movement' then exists (select from custody_movement_bookings b where b.id = l.source_id and b.transaction_id = l.id)
           when 'card_settlement' then exists (select from card_files f where f.id = l.source_id and f.transaction_id = l.id)
           else false end)
  union all select 'nothing of a settled card file is left to pay', (select count(*) from card_files s
    where s.settled_at is not null and exists (
      select from (select r.transaction_id as id from card_files c join card_clearings r on r.file_id = c.id where c.settled_by = s.id
                   union all select s.transaction_id) t
        join ledger_entries e on e.transaction_id = t.id join accounts a on a.id = e.account_id and a.role = 'card_clearing'
        group by a.id having sum(e.amount) <> 0))
  union all select 'the network owes what disputes claim, and nothing of those that have ended', (select count(*) from card_disputes d
    where (case d.status when 'filed' then d.refunded - d.amount else 0 end) <> coalesce((
      select sum(e.amount) from card_dispute_postings p join ledger_entries e on e.transaction_id = p.transaction_id
        join accounts a on a.id = e.account_id and a.role = 'disputes' where p.dispute_id = d.id), 0))
  union all select 'custody holds what has come to it, to the last digit of the chain', (select count(*) from asset_networks n
    join assets c on c.code = n.asset cross join lateral (
      select coalesce(sum(x.chain_amount), 0) as told, coalesce(sum(x.held), 0) as held
        from (select y.chain_amount, (select sum(e.amount) from ledger_entries e
                join accounts a on a.id = e.account_id and a.role = 'custody' where e.transaction_id = y.transaction_id) as held
                from (select b.chain_amount, b.transaction_id from crypto_deposits d join crypto_deposit_bookings b on b.deposit_id = d.id
                        where (d.asset, d.network) = (n.asset, n.network)
                      union all
                      select b.chain_amount, b.transaction_id from custody_movements m join custody_movement_bookings b on b.movement_id = m.id
                        where (m.asset, m.network) = (n.asset, n.network)) y) x) s
    where s.told <> n.remainder - ('1e' || n.scale - c.scale)::numeric * s.held)
  union all select 'every chain of balances is unbroken', (select count(*) from chain where step <> seq or before + amount <> balance_after)
  union all select 'the entries of an account are booked in their order', (select count(*) from chain where booked_at < booked_before)
  union all select 'no entry is in the future', (select coalesce(sum(to_come), 0)::bigint from last)
  union all select 'every balance is the sum of its entries',
         (select count(*) from accounts a left join last l on l.account_id = a.id
           where a.posted <> coalesce(l.sum, 0) or a.entry_seq <> coalesce(l.seq, 0))
  union all select 'everything held is the sum of open holds',
         (select count(*) from accounts a
           where a.held <> coalesce((select sum(h.amount - h.captured) from holds h where h.account_id = a.id and h.status = 'open'), 0))
  union all select 'every open hold has its source',
         (select count(*) from holds h where h.status = 'open' and not case h.source_type
           when 'transfer' then exists (select from transfers t where t.hold_id = h.id and t.status in ${wordList(heldStatuses)})
           when 'card_payment' then exists (select from card_payments p where p.hold_id = h.id and p.status = 'authorised')
           when 'crypto_order' then exists (select from crypto_orders o where o.hold_id = h.id and o.status = 'open')
           else false end)
  union all select 'no customer is over the limit but as marked',
         (select count(*) from accounts where kind <> 'house' and unarranged <> shortfall(posted, held, overdraft_limit))
  union all select 'every limit counter is the sum of its uses', (
    (select count(*) from limit_counters c left join used u on u.counter_id = c.id
      where c.amount <> coalesce(u.amount, 0) or c.uses <> coalesce(u.uses, 0)) + (select coalesce(sum(broken), 0)::bigint from used))
  union all select 'no limit is used by a payment whose money has not gone', (
    (select count(*) from limit_uses u join transfers t on t.id = u.source_id
      where t.status in ${wordList(unspentStatuses)})
    + (select count(*) from limit_uses u join crypto_orders o on o.id = u.source_id where o.status = 'failed'))`,
});

const totalsOfBooks = statement({
  name: 'totalsOfBooks',
  gives: { asset: text(), entries: bigCount(), sum: minor() },
  sql: 'select asset, count(*) as entries, sum(amount) as sum from ledger_entries group by asset order by asset',
});

/** Until the end of the transaction. */
const takeTimeAndMemory = statement({
  name: 'takeTimeAndMemory',
  gives: { time: text(), memory: text() },
  sql: `select set_config('statement_timeout', '0', true) as time, set_config('work_mem', '256MB', true) as memory`,
});

/**
 * Recomputes everything from the entries. Reads the whole ledger, for as long as that takes: for schedules and operators, not for
 * requests. One snapshot: checks and totals agree with each other also while money moves.
 */
export function trialBalance(db: EntityManager): Promise<TrialBalance> {
  return transaction(
    db,
    async (tx) => {
      // longer than any request may take
      await takeTimeAndMemory.run(tx);
      const checks = await checksOfBooks.all(tx);
      const totals = await totalsOfBooks.all(tx);
      const sound = checks.every(({ broken }) => broken === 0) && totals.every(({ sum }) => sum === 0n);
      return { sound, checks, totals };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );
}
