/** The limits of buying, selling and withdrawing coins, as the back office sets them. */
import { coinLimitsOf, replaceCoinLimits, type CoinLimitsRow } from '../../db/queries/crypto/limits.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { loosensCoinLimits, type CoinLimit } from '../../domain/crypto/limits.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { minorIn } from '../amounts.ts';
import type { AdminCall } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** Limits with which more can be bought, sold or withdrawn wait for a second administrator. */
export const limitsFourEyes = fourEyes({
  resource: ({ params: { operation } }: Place<{ readonly operation: string }>) => [
    'crypto_limits',
    operation,
  ],
  state: async (db, { params: { operation } }) => (await coinLimitsOf.first(db, { operation })) ?? null,
  loosens: (before, after) => loosensCoinLimits(before?.limits ?? [], after?.limits ?? []),
  shown: told,
});

/** From a level of the customer on; null is no limit. */
export interface WantedLimit {
  readonly kyc_level: number;
  readonly last_24_hours: Money | null;
  readonly last_30_days: Money | null;
}

/** Gives an operation these limits and no others. Refuses invalid_request for limits that contradict each other or are in another currency. */
export async function setCoinLimits(
  { db, actor }: Pick<AdminCall, 'db' | 'actor'>,
  operation: string,
  wanted: readonly WantedLimit[],
): Promise<CoinLimitsRow> {
  const before = found(await coinLimitsOf.first(db, { operation }));
  await replaceCoinLimits(db, before.operation, actor.id, limitsIn(before.baseAsset, wanted));
  const after = await coinLimitsOf.one(db, { operation });
  await record(db, actor, {
    action: 'crypto_limits.updated',
    subject: ['crypto_limits', operation],
    ...{ before: told(before), after: told(after) },
  });
  return after;
}

function limitsIn(currency: string, wanted: readonly WantedLimit[]): CoinLimit[] {
  const levels = wanted.map(({ kyc_level }) => kyc_level);
  return wanted.map(({ kyc_level: kycLevel, last_24_hours, last_30_days }, index) => {
    const at = `/limits/${index}`;
    if (levels.indexOf(kycLevel) < index) throw faultIn(`${at}/kyc_level`, 'twice', 'is there already');
    const day = last_24_hours && minorIn(currency, `${at}/last_24_hours`, last_24_hours);
    const month = last_30_days && minorIn(currency, `${at}/last_30_days`, last_30_days);
    if (day !== null && month !== null && day > month)
      throw faultIn(`${at}/last_24_hours`, 'limits_conflict', 'must be at most what the 30 days allow');
    return { kycLevel, day, month };
  });
}

/** Limits as the audit log keeps them. */
function told({ baseAsset: asset, limits }: CoinLimitsRow): AuditState {
  const written = (minor: bigint | null) => (minor === null ? null : { ...formatMoney({ minor, asset }) });
  return {
    limits: limits.map(({ kycLevel, day, month }) => ({
      ...{ kyc_level: kycLevel, last_24_hours: written(day), last_30_days: written(month) },
    })),
  };
}
