/** The limits of buying, selling and withdrawing coins. A function of the database writes them (db/functions/crypto-limits.sql). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { COIN_OPERATIONS, type CoinLimit, type CoinOperation } from '../../../domain/crypto/limits.ts';
import type { UserId } from '../../../domain/ids.ts';
import { bigCount, id, json, oneOf, ownJson, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { minorText } from '../../schema/minor.ts';

const Limit = z.strictObject({
  kycLevel: z.int(),
  day: minorText.nullable(),
  month: minorText.nullable(),
});

/** `baseAsset` is what the amounts are minor units of. */
const limits = { operation: oneOf(COIN_OPERATIONS), limits: json(z.array(Limit)), baseAsset: text() };
/** All limits of an operation, by level. */
export type CoinLimitsRow = RowOf<typeof limits>;

const LIMITS = `
  select o.operation, s.base_asset,
         coalesce((select jsonb_agg(jsonb_build_object('kycLevel', l.kyc_level, 'day', l.day::text, 'month', l.month::text)
                                    order by l.kyc_level)
            from crypto_limits l where l.operation = o.operation), '[]') as limits
    from unnest(array['${COIN_OPERATIONS.join("', '")}']) o(operation), fx_settings s`;

/** A page of the limits by operation, from after `after`. */
export const coinLimitsAfter = statement({
  name: 'coinLimitsAfter',
  takes: { after: text(), most: bigCount() },
  gives: limits,
  sql: `${LIMITS} where o.operation > $after order by o.operation limit $most`,
});

export const coinLimitsOf = statement({
  name: 'coinLimitsOf',
  takes: { operation: text() },
  gives: limits,
  sql: `${LIMITS} where o.operation = $operation`,
});

const setCoinLimits = statement({
  name: 'setCoinLimits',
  takes: { operation: oneOf(COIN_OPERATIONS), by: id<UserId>(), limits: ownJson<object[]>() },
  gives: {},
  sql: 'select from crypto_limits_set($operation, $by, $limits)',
});

/** Limits an operation by these rows and by no other. */
export async function replaceCoinLimits(
  db: EntityManager,
  operation: CoinOperation,
  by: UserId,
  wanted: readonly CoinLimit[],
): Promise<void> {
  const written = (amount: bigint | null): string | null => amount?.toString() ?? null;
  const rows = wanted.map(({ kycLevel, day, month }) => ({
    ...{ kyc_level: kycLevel, day: written(day), month: written(month) },
  }));
  await setCoinLimits.one(db, { operation, by, limits: rows });
}
