/** Balances as the wire shows them. */
import type { z } from 'zod';
import type { BalanceRow, HoldingRow } from '../../../db/queries/ledger/history.ts';
import type { Valuation } from '../../../db/queries/pricing/valuation.ts';
import { moneyIn, type Money } from '../../../domain/money.ts';
import type { Worth } from '../../../domain/pricing/valuation.ts';
import type * as wire from './schemas.ts';

const moneyOf = ({ asset, balance }: Pick<BalanceRow, 'asset' | 'balance'>): Money => ({
  minor: balance,
  asset,
});

export function pointView(point: BalanceRow): z.output<typeof wire.BalancePoint> {
  return { at: point.at, balance: moneyOf(point) };
}

/** What something is worth, and by which rate. */
export function convertedView(worth: Worth | null) {
  if (worth === null) return null;
  const { value, rate, rateAt, stale } = worth;
  return { amount: value, rate, rate_at: rateAt, stale };
}

/** Points of several currencies, each converted, and their sum at each moment with what it lacks. */
export function allPointsView(
  points: readonly BalanceRow[],
  valuation: Valuation,
): Pick<z.output<typeof wire.AllAccountsBalanceHistory>, 'currencies' | 'totals'> {
  const valued = points.map((point) => ({ ...point, worth: valuation.worth(moneyOf(point), point.at) }));
  const currencies = [...Map.groupBy(valued, ({ asset }) => asset)].map(([currency, ofOne]) => ({
    currency,
    points: ofOne.map((point) => ({ ...pointView(point), converted: convertedView(point.worth) })),
  }));
  const moments = Map.groupBy(valued, ({ at }) => at.getTime());
  const totals = [...moments].map(([at, ofOne]) => ({
    at: new Date(at),
    ...totalOf(
      ofOne.map(({ asset, balance, worth }) => ({ asset, empty: balance === 0n, worth })),
      valuation.currency,
    ),
  }));
  return { currencies, totals };
}

/** The sum of what parts are worth, with what it lacks. Nothing of a currency needs no rate. */
export function totalOf(
  parts: readonly { asset: string; empty: boolean; worth: Worth | null }[],
  currency: string,
) {
  const minor = parts.reduce((sum, { worth }) => sum + (worth?.value.minor ?? 0n), 0n);
  return {
    total: { minor, asset: currency },
    without: parts.filter(({ empty, worth }) => !empty && worth === null).map(({ asset }) => asset),
  };
}

export function summaryView(
  holdings: readonly HoldingRow[],
  valuation: Valuation,
  at: Date,
): z.output<typeof wire.AccountsSummary> {
  const valued = holdings.map((holding) => ({
    ...holding,
    worth: valuation.worth({ minor: holding.posted, asset: holding.asset }, at),
  }));
  return {
    as_of: at,
    currency: valuation.currency,
    currencies: valued.map(({ asset, accounts, posted, held, available, worth }) => {
      const money = moneyIn(asset);
      return {
        currency: asset,
        accounts,
        balance: money(posted),
        held: money(held),
        available: money(available),
        converted: convertedView(worth),
      };
    }),
    ...totalOf(
      valued.map(({ asset, posted, worth }) => ({ asset, empty: posted === 0n, worth })),
      valuation.currency,
    ),
  };
}
