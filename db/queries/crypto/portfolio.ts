/** What customers have in coins: now, and at the snapshots of past days. Functions of the database take snapshots. */
import { z } from 'zod';
import { SourcePrices } from '../../../domain/crypto/prices.ts';
import type { UserId } from '../../../domain/ids.ts';
import { bigCount, day, id, integer, json, minor, moment, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { CryptoAsset } from '../../schema/crypto.ts';

const holding = {
  ...columnsOf(CryptoAsset, 'asset', 'name'),
  ...{ posted: minor(), held: minor(), pending: minor() },
};
/** What a customer has of a coin. `pending` is on its way in. */
export type CoinHoldingRow = RowOf<typeof holding>;

/** The coins of a customer, and those that are on their way, all of one snapshot. */
export const coinHoldingsOf = statement({
  name: 'coinHoldingsOf',
  takes: { customer: id<UserId>() },
  gives: holding,
  sql: `
    select c.asset, c.name, sum(x.posted) as posted, sum(x.held) as held, sum(x.pending) as pending
      from (select a.asset, a.posted, a.held, 0::minor as pending from accounts a
             where a.owner_id = $customer and a.kind = 'coin'
            union all
            select d.asset, 0::minor, 0::minor, d.amount from crypto_deposits d
             where d.user_id = $customer and d.status = 'pending') x
      join crypto_assets c on c.asset = x.asset
     group by c.asset order by c.asset`,
});

const Assets = z.array(
  z.object({
    ...{ asset: z.string(), balance: z.string().transform(BigInt) },
    price: z.string().nullable(),
    pricedAt: z.coerce.date<string>().nullable(),
    sources: SourcePrices.nullable(),
  }),
);
const snapshot = { day: day(), takenAt: moment(), currency: text(), assets: json(Assets) };
/** What a customer had at the moment of a day's snapshot, with the prices of then. */
export type CryptoSnapshotRow = RowOf<typeof snapshot>;

/** A page of the snapshots of a customer, newest first, from before a day. */
export const cryptoSnapshotsOf = statement({
  name: 'cryptoSnapshotsOf',
  takes: {
    ...{ customer: id<UserId>(), asset: text().nullable(), from: day().nullable(), to: day().nullable() },
    ...{ before: day().nullable(), most: bigCount() },
  },
  gives: snapshot,
  sql: `
    with days as (
      select distinct s.day from crypto_snapshots s
       where s.user_id = $customer and ($asset::text is null or s.asset = $asset)
         and s.day >= coalesce($from::date, '-infinity') and s.day <= coalesce($to::date, 'infinity')
         and s.day < coalesce($before::date, 'infinity')
       order by s.day desc limit $most
    )
    select s.day, min(d.taken_at) as taken_at, min(d.currency) as currency,
           jsonb_agg(jsonb_build_object('asset', s.asset, 'balance', s.balance::text, 'price', u.price::text,
             'pricedAt', u.priced_at, 'sources', u.sources) order by s.asset) as assets
      from days x join crypto_snapshots s on s.user_id = $customer and s.day = x.day
      join crypto_snapshot_days d on d.day = s.day and d.asset = s.asset
      left join used_prices u on u.id = d.price_id
     where $asset::text is null or s.asset = $asset
     group by s.day order by s.day desc`,
});

/** Begins the snapshot of this day, unless it has begun. */
export const beginCryptoSnapshot = statement({
  name: 'beginCryptoSnapshot',
  gives: { day: day() },
  sql: 'select crypto_snapshot_begin() as day',
});

/** Takes the snapshot of a day for the next accounts of coins by id. `last` is the last one looked at, null if there are no more. */
export const takeCryptoSnapshots = statement({
  name: 'takeCryptoSnapshots',
  takes: { day: day(), after: id().nullable(), most: integer() },
  gives: { last: id().nullable(), taken: integer() },
  sql: `
    select last, taken
      from crypto_snapshot_take($day, coalesce($after::uuid, '00000000-0000-0000-0000-000000000000'), $most)`,
});
