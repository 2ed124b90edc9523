/** Proving the books. */
import { metricMeter } from '@temporalio/activity';
import { trialBalance } from '../db/ledger/trial-balance.ts';
import type { LedgerCheckActivities } from '../workflows/ledger-check/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function ledgerCheckActivities({ em, log }: Pick<ActivityDeps, 'em' | 'log'>): LedgerCheckActivities {
  return {
    async checkLedger() {
      const { sound, checks, totals } = await trialBalance(em());
      const counts = metricMeter.createGauge('teller_ledger_broken', 'int', '1', DESCRIPTION);
      for (const { check, broken } of checks) counts.set(broken, { check });
      const broken = [
        ...checks.filter((check) => check.broken > 0).map(({ check }) => check),
        ...totals.filter(({ sum }) => sum !== 0n).map(({ asset }) => `${asset} sums to zero`),
      ];
      if (!sound) log.error({ alert: 'ledger_broken', broken }, 'the books do not agree with their entries');
      return { sound, broken };
    },
  };
}

const DESCRIPTION = 'Rows that break a check of the books, when it was last made; zero in sound books';
