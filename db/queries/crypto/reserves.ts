/** Proof of reserves. Functions of the database write it (db/functions/crypto-reserves.sql). */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import {
  bigCount,
  boolean,
  integer,
  json,
  moment,
  oneOf,
  ownJson,
  seconds,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { CryptoReserve } from '../../schema/custody.ts';

/** Takes the turn of counting, unless another worker has within so many seconds. */
export const beginReserves = statement({
  name: 'beginReserves',
  takes: { seconds: integer() },
  gives: { isDue: boolean() },
  sql: 'select crypto_reserves_begin($seconds) as is_due',
});

/** What the custodian says that it holds of a coin by its name, decimals in whole coins. */
export interface ToldHolding {
  readonly asset: string;
  readonly total: string;
  readonly available: string;
  readonly pending: string;
  readonly frozen: string;
  readonly locked: string;
}

/** Counts all coins beside what the custodian has said since `asked`. Gives those of which somebody must know now. */
export const countReserves = statement({
  name: 'countReserves',
  takes: { told: ownJson<readonly ToldHolding[]>(), asked: moment() },
  gives: { asset: text(), fault: oneOf(['differ', 'short']) },
  sql: 'select coin as asset, fault from crypto_reserves_count($told, $asked)',
});

const Networks = z.array(
  z.object({
    network: z.enum(NETWORKS),
    ...{
      total: z.string(),
      available: z.string(),
      pending: z.string(),
      frozen: z.string(),
      locked: z.string(),
    },
  }),
);
const reserve = {
  ...columnsOf(CryptoReserve, 'asset', 'differsSince', 'shortSince', 'askedAt', 'countedAt'),
  ...{ owed: text(), overdrawn: text(), inFlight: text(), remainder: text() },
  ...{ custodian: text(), difference: text(), shortfall: text() },
  house: json(z.record(z.string(), z.string())),
  networks: json(Networks),
};
/** A coin when it was counted last, in whole coins. */
export type ReserveRow = RowOf<typeof reserve>;

/** A page of the coins that were counted, by their codes, with what the custodian holds on each network. */
export const reservesAfter = statement({
  name: 'reservesAfter',
  takes: { after: text(), most: bigCount() },
  gives: reserve,
  sql: `
    select r.asset, r.house, r.differs_since, r.short_since, r.asked_at, r.counted_at, trim_scale(r.owed)::text as owed,
           trim_scale(r.overdrawn)::text as overdrawn, trim_scale(r.in_flight)::text as in_flight,
           trim_scale(r.remainder)::text as remainder, trim_scale(r.custodian)::text as custodian,
           trim_scale(r.difference)::text as difference, trim_scale(r.shortfall)::text as shortfall, h.networks
      from crypto_reserves r cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('network', x.network, 'total', trim_scale(x.total)::text,
                 'available', trim_scale(x.available)::text, 'pending', trim_scale(x.pending)::text,
                 'frozen', trim_scale(x.frozen)::text, 'locked', trim_scale(x.locked)::text) order by x.network), '[]') as networks
          from custody_holdings x where x.asset = r.asset) h
     where r.asset > $after order by r.asset limit $most`,
});

/** For how long each coin has differed from what the custodian holds, and been short of what customers are owed; and how old the count is. */
export const reserveFaults = statement({
  name: 'reserveFaults',
  gives: { asset: text(), differs: seconds(), short: seconds(), age: seconds() },
  sql: `
    select r.asset, coalesce(extract(epoch from r.counted_at - r.differs_since), 0)::float8 as differs,
           coalesce(extract(epoch from r.counted_at - r.short_since), 0)::float8 as short,
           extract(epoch from bank_now() - r.counted_at)::float8 as age
      from crypto_reserves r order by r.asset`,
});
