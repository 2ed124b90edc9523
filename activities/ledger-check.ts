/** Proving the books. */
import { trialBalance } from '../db/ledger/trial-balance.ts';
import type { LedgerCheckActivities } from '../workflows/ledger-check/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function ledgerCheckActivities({ em, log }: Pick<ActivityDeps, 'em' | 'log'>): LedgerCheckActivities {
  return {
    async checkLedger() {
      const { sound, checks, totals } = await trialBalance(em());
      const broken = [
        ...checks.filter((check) => check.broken > 0).map(({ check }) => check),
        ...totals.filter(({ sum }) => sum !== 0n).map(({ asset }) => `${asset} sums to zero`),
      ];
      if (!sound) log.error({ alert: 'ledger_broken', broken }, 'the books do not agree with their entries');
      return { sound, broken };
    },
  };
}
