/** Proving the books. */
import { recordLedgerCheck } from '../db/queries/ledger/ledger-checks.ts';
import { trialBalance } from '../db/ledger/trial-balance.ts';
import { machineNow } from '../domain/time/now.ts';
import type { LedgerCheckActivities } from '../workflows/ledger-check/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function ledgerCheckActivities({ em, log }: Pick<ActivityDeps, 'em' | 'log'>): LedgerCheckActivities {
  return {
    async checkLedger() {
      const beganAt = machineNow();
      const { sound, checks, totals } = await trialBalance(em());
      const unbalanced = totals.filter(({ sum }) => sum !== 0n);
      const sums = { check: 'every asset sums to zero', broken: unbalanced.length };
      await recordLedgerCheck.run(em(), { beganAt, checks: [...checks, sums] });
      const broken = [
        ...checks.filter((check) => check.broken > 0).map(({ check }) => check),
        ...unbalanced.map(({ asset }) => `${asset} sums to zero`),
      ];
      if (!sound) log.error({ alert: 'ledger_broken', broken }, 'the books do not agree with their entries');
      return { sound, broken };
    },
  };
}
