/** What customers have in coins as they see it. */
import type { z } from 'zod';
import type { CoinHoldingRow, CryptoSnapshotRow } from '../../../db/queries/crypto/portfolio.ts';
import type { Valuation } from '../../../db/queries/pricing/valuation.ts';
import { StoredCurrency } from '../../../domain/assets.ts';
import { moneyIn } from '../../../domain/money.ts';
import { worthOf } from '../../../domain/pricing/valuation.ts';
import { convertedView, totalOf } from '../../accounts/balances/views.ts';
import type * as wire from './schemas.ts';

export function portfolioView(
  holdings: readonly CoinHoldingRow[],
  valuation: Valuation,
  at: Date,
): z.output<typeof wire.CryptoAccountBalance> {
  const valued = holdings.map((row) => ({
    ...row,
    worth: valuation.worth({ minor: row.posted, asset: row.asset }, at),
  }));
  return {
    ...{ as_of: at, currency: valuation.currency },
    assets: valued.map(({ asset, name, posted, held, pending, worth }) => {
      const amount = moneyIn(asset);
      return {
        ...{ asset, name, balance: amount(posted), held: amount(held), available: amount(posted - held) },
        ...{ pending: amount(pending), converted: convertedView(worth) },
      };
    }),
    ...totalOf(
      valued.map(({ asset, posted, worth }) => ({ asset, empty: posted === 0n, worth })),
      valuation.currency,
    ),
  };
}

/** A day's snapshot; what it was worth follows from what was kept of it. */
export function snapshotView(
  row: CryptoSnapshotRow,
): z.output<typeof wire.CryptoBalanceSnapshots>['items'][0] {
  const { day, takenAt, assets } = row;
  const currency = StoredCurrency.parse(row.currency);
  const valued = assets.map(({ asset, balance: minor, price, pricedAt, sources }) => {
    const balance = { minor, asset };
    if (price === null || pricedAt === null || sources === null)
      return { asset, balance, price: null, worth: null };
    const rate = { id: asset, base: asset, quote: currency, rate: price, validFrom: pricedAt };
    return {
      ...{ asset, balance, price: { price, at: pricedAt, sources } },
      worth: worthOf(balance, currency, [{ ...rate, spreadBps: '0', stale: false }], currency),
    };
  });
  return {
    ...{ day, taken_at: takenAt, currency },
    assets: valued.map(({ worth, ...shown }) => ({ ...shown, value: worth?.value ?? null })),
    ...totalOf(
      valued.map(({ asset, balance, worth }) => ({ asset, empty: balance.minor === 0n, worth })),
      currency,
    ),
  };
}
