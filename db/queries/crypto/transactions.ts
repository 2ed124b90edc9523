/** What has moved on the coin accounts of a customer, read as one history. */
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { COIN_MOVEMENT_TYPES, LEDGER_KINDS } from '../../../domain/crypto/transactions.ts';
import type { AccountId, CryptoDepositId, CryptoOrderId, UserId } from '../../../domain/ids.ts';
import { bigCount, bigint, id, moment, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { LedgerEntry, LedgerTransaction } from '../../schema/ledger.ts';
import { LAST_SEQ } from '../ledger/entry-filter.ts';

const entry = columnsOf(
  LedgerEntry,
  ...(['accountId', 'seq', 'transactionId', 'asset', 'amount', 'balanceAfter', 'bookedAt', 'part'] as const),
);
const movement = {
  ...entry,
  ...columnsOf(LedgerTransaction, 'description'),
  type: oneOf(COIN_MOVEMENT_TYPES),
  depositId: id<CryptoDepositId>().nullable(),
  orderId: id<CryptoOrderId>().nullable(),
  network: oneOf(NETWORKS).nullable(),
  txHash: text().nullable(),
};
/** One entry on a coin account, with what it is of. */
export type CoinMovementRow = RowOf<typeof movement>;

/** The type of a kind of ledger transaction, in SQL. */
const typeOf = (kind: string): string => {
  const cases = Object.entries(LEDGER_KINDS).map(([type, booked]) => `when '${booked}' then '${type}'`);
  return `case ${kind} ${cases.join(' ')} else 'other' end`;
};

/**
 * A page of what has moved on a customer's coin accounts, newest first; entries of one moment are in the order of their accounts and
 * numbers. It begins below the place (`beforeAt`, `beforeAccount`, `beforeSeq`), or with the newest entry if `beforeAt` is null. Of
 * each account it reads as many entries as the page may have, from there on; with a type, all until it has found so many.
 */
export const coinMovementsOf = statement({
  name: 'coinMovementsOf',
  takes: {
    customer: id<UserId>(),
    ...{ asset: text().nullable(), type: text().nullable(), from: moment().nullable() },
    ...{ beforeAt: moment().nullable(), beforeAccount: id<AccountId>().nullable() },
    ...{ beforeSeq: bigint().nullable(), most: bigCount() },
  },
  gives: movement,
  // the kind is looked up by a scalar subquery: a join or "exists" could be planned as a scan of all transactions
  sql: `
    with page as materialized (
      select e.* from accounts a cross join lateral (
        select e.* from ledger_entries e
         where e.account_id = a.id and e.booked_at >= coalesce($from::timestamptz, '-infinity')
           and (e.booked_at, e.seq) < (coalesce($beforeAt::timestamptz, 'infinity'),
             case when a.id < $beforeAccount::uuid then ${LAST_SEQ} when a.id = $beforeAccount then $beforeSeq::bigint else 0 end)
           and ($type::text is null
             or ${typeOf('(select k.kind from ledger_transactions k where k.id = e.transaction_id)')} = $type)
         order by e.booked_at desc, e.seq desc limit $most) e
       where a.owner_id = $customer and a.kind = 'coin' and ($asset::text is null or a.asset = $asset)
       order by e.booked_at desc, e.account_id desc, e.seq desc limit $most)
    select ${selectList(entry, 'e')}, x.description, ${typeOf('x.kind')} as type, d.id as deposit_id, d.network, d.tx_hash,
           case x.source_type when 'crypto_order' then x.source_id end as order_id
      from page e
      join ledger_transactions x on x.id = e.transaction_id
      left join crypto_deposit_bookings b on x.source_type = 'crypto_deposit' and b.id = x.source_id
      left join crypto_deposits d on d.id = b.deposit_id
     order by e.booked_at desc, e.account_id desc, e.seq desc`,
});
