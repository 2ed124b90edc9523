/** The trial balance as the wire shows it. */
import type { z } from 'zod';
import type { LedgerBalance } from '../../db/queries/ledger/ledger-balances.ts';
import type { TrialBalance } from './admin-schemas.ts';

export function trialBalanceView(
  balances: readonly LedgerBalance[],
  asOf: Date,
): z.output<typeof TrialBalance> {
  const sides = (asset: string, debit: bigint, credit: bigint) => ({
    debit: { minor: debit, asset },
    credit: { minor: credit, asset },
  });
  const sums = [...Map.groupBy(balances, ({ asset }) => asset)].map(([asset, lines]) => ({
    asset,
    debit: lines.reduce((sum, line) => sum + line.debit, 0n),
    credit: lines.reduce((sum, line) => sum + line.credit, 0n),
  }));
  return {
    as_of: asOf,
    balanced: sums.every(({ debit, credit }) => debit === credit),
    lines: balances.map(({ account, asset, accounts, debit, credit }) => ({
      account,
      accounts,
      ...sides(asset, debit, credit),
    })),
    totals: sums.map(({ asset, debit, credit }) => sides(asset, debit, credit)),
  };
}
