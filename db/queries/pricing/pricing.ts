/** The price of a transfer: rules and rates in force are read in one round trip, the arithmetic is in domain/. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  convert,
  roadBetween,
  type Conversion,
  type Fixed,
  type StoredRate,
} from '../../../domain/exchange.ts';
import { feeLines, type FeeRule, type TierMode } from '../../../domain/fees.ts';
import type { AccountTypeId, FeeRuleId } from '../../../domain/ids.ts';
import { MAX_MINOR } from '../../../domain/money.ts';
import type { Price } from '../../../domain/pricing.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { row } from '../../sql.ts';

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

/** A tariff as the database writes it into JSON: numbers as text. */
interface StoredFee {
  readonly rule_id: FeeRuleId;
  readonly version: number;
  readonly code: string;
  readonly description: string;
  readonly transfer_type: string | null;
  readonly account_type_id: string | null;
  readonly priority: number;
  readonly flat: string;
  readonly rate_bps: string;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly tier_mode: TierMode;
  readonly tiers: readonly { readonly above: string; readonly flat: string; readonly rate_bps: string }[];
}

interface Found {
  readonly base_asset: string;
  readonly fees: readonly StoredFee[];
  readonly rates: readonly {
    readonly id: string;
    readonly base: string;
    readonly quote: string;
    readonly rate: string;
    readonly spread_bps: string;
    readonly valid_from: string;
    readonly stale: boolean;
  }[];
}

const IN_FORCE = `
  select s.base_asset, coalesce(fee.list, '[]') as fees, coalesce(rate.list, '[]') as rates
    from fx_settings s
    cross join (select coalesce($5::timestamptz, clock_timestamp()) as at) moment
    cross join lateral (
      select jsonb_agg(jsonb_build_object('rule_id', r.id, 'version', v.version, 'code', r.code, 'description', v.description,
               'transfer_type', v.transfer_type, 'account_type_id', v.account_type_id, 'priority', v.priority,
               'flat', v.flat::text, 'rate_bps', v.rate_bps::text, 'minimum', v.minimum::text, 'maximum', v.maximum::text,
               'tier_mode', v.tier_mode, 'tiers', v.tiers)) as list
        from fee_rules r cross join lateral (
          select * from fee_rule_versions n where n.rule_id = r.id and n.valid_from <= at order by n.version desc limit 1) v
        where r.asset = $3 and r.purpose = 'transfer' and v.enabled and (v.valid_to is null or v.valid_to > at)
          and (v.transfer_type is null or v.transfer_type = $1) and (v.account_type_id is null or v.account_type_id = $2::uuid)) fee
    cross join lateral (
      select jsonb_agg(jsonb_build_object('id', f.id, 'base', f.base, 'quote', f.quote, 'rate', f.rate::text,
               'spread_bps', f.spread_bps::text, 'valid_from', f.valid_from, 'stale', f.stale)) as list
        from (select distinct a, b from unnest(array[$3, $4, $3, s.base_asset, s.base_asset, $4], array[$4, $3, s.base_asset, $3, $4, s.base_asset]) pair(a, b)
               where $3 <> $4 and a <> b) pair
        cross join lateral fx_rate_at(pair.a, pair.b, at) f) rate
   where s.only_row`;

/**
 * What a transfer moves and costs by the rules and rates in force. Refuses `rate_unavailable` where there is no rate or it is
 * stale, `amount_not_convertible` where a side would be less than one minor unit or more than the books hold.
 */
export async function priceTransfer(db: EntityManager, wanted: Wanted): Promise<Price> {
  const { type, accountTypeId, sourceAsset, targetAsset, fixed } = wanted;
  const found = await row<Found>(db, IN_FORCE, [
    type,
    accountTypeId,
    sourceAsset,
    targetAsset,
    wanted.at ?? null,
  ]);
  if (found === undefined) throw new Error('fx_settings has no row');
  const { source, target, exchange } =
    sourceAsset === targetAsset
      ? {
          source: { minor: fixed.minor, asset: sourceAsset },
          target: { minor: fixed.minor, asset: targetAsset },
          exchange: null,
        }
      : converted(found, wanted);
  const fees = feeLines(found.fees.map(feeRule), source.minor);
  const total = fees.reduce((sum, { minor }) => sum + minor, source.minor);
  if (total > MAX_MINOR) throw new Refusal('amount_not_convertible');
  return { source, target, fees, exchange, totalDebit: { minor: total, asset: sourceAsset } };
}

function converted(found: Found, { sourceAsset, targetAsset, fixed }: Wanted): Conversion {
  const rates = found.rates.map((rate): StoredRate => ({
    ...rate,
    spreadBps: rate.spread_bps,
    validFrom: new Date(rate.valid_from),
  }));
  const road = roadBetween(rates, sourceAsset, targetAsset, found.base_asset);
  if (road === null) throw new Refusal('rate_unavailable');
  const conversion = convert(road, sourceAsset, targetAsset, fixed);
  if (conversion === null) throw new Refusal('amount_not_convertible');
  return conversion;
}

function feeRule(stored: StoredFee): FeeRule {
  return {
    ruleId: stored.rule_id,
    version: stored.version,
    code: stored.code,
    description: stored.description,
    transferType: stored.transfer_type,
    accountTypeId: stored.account_type_id,
    priority: stored.priority,
    flat: BigInt(stored.flat),
    rateBps: stored.rate_bps,
    minimum: stored.minimum === null ? null : BigInt(stored.minimum),
    maximum: stored.maximum === null ? null : BigInt(stored.maximum),
    tierMode: stored.tier_mode,
    tiers: stored.tiers.map(({ above, flat, rate_bps }) => ({
      above: BigInt(above),
      flat: BigInt(flat),
      rateBps: rate_bps,
    })),
  };
}
