/** The price of a transfer: rules and rates in force are read in one round trip, the arithmetic is in domain/. */
import { convert, roadBetween, type Conversion, type Fixed } from '../../domain/exchange.ts';
import { feeLines } from '../../domain/pricing/fees.ts';
import type { AccountTypeId } from '../../domain/ids.ts';
import { MAX_MINOR } from '../../domain/money.ts';
import type { Price } from '../../domain/pricing/pricing.ts';
import { pricesInForce, type PricesInForce } from '../../db/queries/pricing/prices-in-force.ts';
import type { Call } from '../callers.ts';

export type PricingCall = Call<'rate_unavailable' | 'amount_not_convertible'>;

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

/**
 * What a transfer moves and costs by the rules and rates in force. Refuses `rate_unavailable` if there is no rate or it is stale,
 * `amount_not_convertible` if a side would be less than one minor unit or more than the books hold.
 */
export async function priceTransfer(call: PricingCall, wanted: Wanted): Promise<Price> {
  const { type, accountTypeId, sourceAsset, targetAsset, fixed } = wanted;
  const found = await pricesInForce.one(call.db, {
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
      : converted(call, found, wanted);
  const fees = feeLines(found.fees, source.minor);
  const total = fees.reduce((sum, { minor }) => sum + minor, source.minor);
  if (total > MAX_MINOR) throw call.refusal('amount_not_convertible');
  return { source, target, fees, exchange, totalDebit: { minor: total, asset: sourceAsset } };
}

function converted(
  { refusal }: PricingCall,
  { rates, baseAsset }: PricesInForce,
  { sourceAsset, targetAsset, fixed }: Wanted,
): Conversion {
  const road = roadBetween(rates, sourceAsset, targetAsset, baseAsset);
  if (road === null) throw refusal('rate_unavailable');
  const conversion = convert(road, sourceAsset, targetAsset, fixed);
  if (conversion === null) throw refusal('amount_not_convertible');
  return conversion;
}
