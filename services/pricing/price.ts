/** The price of a transfer: rules and rates in force are read in one round trip, the arithmetic is in domain/. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { convert, roadBetween, type Conversion, type Fixed } from '../../domain/exchange.ts';
import { feeLines } from '../../domain/pricing/fees.ts';
import type { AccountTypeId } from '../../domain/ids.ts';
import { MAX_MINOR } from '../../domain/money.ts';
import type { Price } from '../../domain/pricing/pricing.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pricesInForce, type PricesInForce } from '../../db/queries/pricing/prices-in-force.ts';

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
