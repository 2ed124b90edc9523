/** The price of a transfer: rules and rates in force are read in one round trip, the arithmetic is in domain/. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { convert, roadBetween, type Conversion, type Fixed } from '../../../domain/exchange.ts';
import { feeLines, tierModes } from '../../../domain/fees.ts';
import { FeeRuleId, type AccountTypeId } from '../../../domain/ids.ts';
import { MAX_MINOR } from '../../../domain/money.ts';
import type { Price } from '../../../domain/pricing.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { id, json, moment, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { minorText } from '../../schema/minor.ts';
import { FxSettings } from '../../schema/pricing.ts';

/** What shall be priced. The fixed side is the principal in minor units: fees come on top of the source. */
export interface Wanted {
  readonly type: string;
  readonly accountTypeId: AccountTypeId;
  readonly sourceAsset: string;
  readonly targetAsset: string;
  readonly fixed: Fixed;
  /** As of when; the database's now where left out. */
  readonly at?: Date;
}

/** A fee rule in force, as the statement writes it into JSON: exact numbers as text. */
const InForce = z.strictObject({
  ruleId: FeeRuleId,
  version: z.int(),
  code: z.string(),
  description: z.string(),
  transferType: z.string().nullable(),
  accountTypeId: z.string().nullable(),
  priority: z.int(),
  flat: minorText,
  rateBps: z.string(),
  minimum: minorText.nullable(),
  maximum: minorText.nullable(),
  tierMode: z.enum(tierModes),
  tiers: z.array(
    z
      .strictObject({ above: minorText, flat: minorText, rate_bps: z.string() })
      .transform(({ above, flat, rate_bps: rateBps }) => ({ above, flat, rateBps })),
  ),
});

const RateInForce = z.strictObject({
  id: z.string(),
  base: z.string(),
  quote: z.string(),
  rate: z.string(),
  spreadBps: z.string(),
  validFrom: z.string().transform((text) => new Date(text)),
  stale: z.boolean(),
});

const pricesInForce = statement({
  name: 'pricesInForce',
  takes: {
    type: text(),
    accountTypeId: id<AccountTypeId>(),
    source: text(),
    target: text(),
    at: moment().nullable(),
  },
  gives: {
    ...columnsOf(FxSettings, 'baseAsset'),
    fees: json(z.array(InForce)),
    rates: json(z.array(RateInForce)),
  },
  sql: `
    select s.base_asset, coalesce(fee.list, '[]') as fees, coalesce(rate.list, '[]') as rates
      from fx_settings s
      cross join (select coalesce($at::timestamptz, clock_timestamp()) as at) moment
      cross join lateral (
        select jsonb_agg(jsonb_build_object('ruleId', r.id, 'version', v.version, 'code', r.code, 'description', v.description,
                 'transferType', v.transfer_type, 'accountTypeId', v.account_type_id, 'priority', v.priority,
                 'flat', v.flat::text, 'rateBps', v.rate_bps::text, 'minimum', v.minimum::text, 'maximum', v.maximum::text,
                 'tierMode', v.tier_mode, 'tiers', v.tiers)) as list
          from fee_rules r cross join lateral (
            select * from fee_rule_versions n where n.rule_id = r.id and n.valid_from <= at order by n.version desc limit 1) v
          where r.asset = $source and r.purpose = 'transfer' and v.enabled and (v.valid_to is null or v.valid_to > at)
            and (v.transfer_type is null or v.transfer_type = $type)
            and (v.account_type_id is null or v.account_type_id = $accountTypeId::uuid)) fee
      cross join lateral (
        select jsonb_agg(jsonb_build_object('id', f.id, 'base', f.base, 'quote', f.quote, 'rate', f.rate::text,
                 'spreadBps', f.spread_bps::text, 'validFrom', f.valid_from, 'stale', f.stale)) as list
          from (select distinct a, b from unnest(array[$source, $target, $source, s.base_asset, s.base_asset, $target],
                                                 array[$target, $source, s.base_asset, $source, $target, s.base_asset]) pair(a, b)
                 where $source <> $target and a <> b) pair
          cross join lateral fx_rate_at(pair.a, pair.b, at) f) rate
     where s.only_row`,
});
type PricesInForce = RowOf<(typeof pricesInForce)['gives']>;

/**
 * What a transfer moves and costs by the rules and rates in force. Refuses `rate_unavailable` where there is no rate or it is
 * stale, `amount_not_convertible` where a side would be less than one minor unit or more than the books hold.
 */
export async function priceTransfer(db: EntityManager, wanted: Wanted): Promise<Price> {
  const { type, accountTypeId, sourceAsset, targetAsset, fixed } = wanted;
  const found = await pricesInForce.one(db, {
    ...{ type, accountTypeId, source: sourceAsset, target: targetAsset },
    at: wanted.at ?? null,
  });
  const { source, target, exchange } =
    sourceAsset === targetAsset
      ? {
          source: { minor: fixed.minor, asset: sourceAsset },
          target: { minor: fixed.minor, asset: targetAsset },
          exchange: null,
        }
      : converted(found, wanted);
  const fees = feeLines(found.fees, source.minor);
  const total = fees.reduce((sum, { minor }) => sum + minor, source.minor);
  if (total > MAX_MINOR) throw new Refusal('amount_not_convertible');
  return { source, target, fees, exchange, totalDebit: { minor: total, asset: sourceAsset } };
}

function converted(
  { rates, baseAsset }: PricesInForce,
  { sourceAsset, targetAsset, fixed }: Wanted,
): Conversion {
  const road = roadBetween(rates, sourceAsset, targetAsset, baseAsset);
  if (road === null) throw new Refusal('rate_unavailable');
  const conversion = convert(road, sourceAsset, targetAsset, fixed);
  if (conversion === null) throw new Refusal('amount_not_convertible');
  return conversion;
}
