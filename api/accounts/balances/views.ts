/** Balances as the wire shows them. */
import type { z } from 'zod';
import type { BalanceRow, HoldingRow } from '../../../db/queries/ledger/history.ts';
import type { Valuation } from '../../../db/queries/pricing/valuation.ts';
import { formatMoney, type Money } from '../../../domain/money.ts';
import type { Worth } from '../../../domain/pricing/valuation.ts';
import type * as wire from './schemas.ts';

const moneyOf = ({ asset, balance }: Pick<BalanceRow, 'asset' | 'balance'>): Money => ({
  minor: balance,
  asset,
});

export function pointView(point: BalanceRow): z.input<typeof wire.BalancePoint> {
  return { at: point.at.toISOString(), balance: formatMoney(moneyOf(point)) };
}

function convertedView(worth: Worth | null) {
  if (worth === null) return null;
  const { value, rate, rateAt, stale } = worth;
  return { amount: formatMoney(value), rate, rate_at: rateAt?.toISOString() ?? null, stale };
}

/** Points of several currencies, each converted, and their sum at each moment with what it lacks. */
export function allPointsView(
  points: readonly BalanceRow[],
  valuation: Valuation,
): Pick<z.input<typeof wire.AllAccountsBalanceHistory>, 'currencies' | 'totals'> {
  const valued = points.map((point) => ({ ...point, worth: valuation.worth(moneyOf(point), point.at) }));
  const currencies = [...Map.groupBy(valued, ({ asset }) => asset)].map(([currency, ofOne]) => ({
    currency,
    points: ofOne.map((point) => ({ ...pointView(point), converted: convertedView(point.worth) })),
  }));
  const moments = [...Map.groupBy(valued, ({ at }) => at.getTime()).values()];
  const totals = moments.map((ofOne) => ({
    at: ofOne[0]?.at.toISOString() ?? '',
    ...totalOf(
      ofOne.map(({ asset, balance, worth }) => ({ asset, empty: balance === 0n, worth })),
      valuation.currency,
    ),
  }));
  return { currencies, totals };
}

/** Nothing of a currency needs no rate. */
function totalOf(parts: readonly { asset: string; empty: boolean; worth: Worth | null }[], currency: string) {
  const minor = parts.reduce((sum, { worth }) => sum + (worth?.value.minor ?? 0n), 0n);
  return {
    total: formatMoney({ minor, asset: currency }),
    without: parts.filter(({ empty, worth }) => !empty && worth === null).map(({ asset }) => asset),
  };
}

export function summaryView(
  holdings: readonly HoldingRow[],
  valuation: Valuation,
  at: Date,
): z.input<typeof wire.AccountsSummary> {
  const valued = holdings.map((holding) => ({
    ...holding,
    worth: valuation.worth({ minor: holding.posted, asset: holding.asset }, at),
  }));
  return {
    as_of: at.toISOString(),
    currency: valuation.currency,
    currencies: valued.map(({ asset, accounts, posted, held, available, worth }) => {
      const money = (minor: bigint) => formatMoney({ minor, asset });
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
