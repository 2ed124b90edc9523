/** Starting what is due of scheduled transfers, ordering it, and telling its customer if it did not happen. */
import { transaction } from '../db/transaction.ts';
import * as runs from '../services/transfers/scheduled-runs.ts';
import type { ScheduledTransferActivities } from '../workflows/scheduled-transfer/workflow.ts';
import type { ActivityDeps } from './deps.ts';

type Needs = Pick<ActivityDeps, 'em' | 'cipher' | 'config' | 'orders'>;

export function scheduledTransferActivities(needs: Needs): ScheduledTransferActivities {
  const { em, cipher, config, orders } = needs;
  return {
    startDueRuns: (most) => transaction(em(), (tx) => runs.startDueRuns(tx, config.BANK_TIME_ZONE, most)),
    takeRun: (run) => runs.takeRun(em(), run, orders, config),
    tellRefusal: (run, code) => transaction(em(), (tx) => runs.tellRefusal(tx, cipher, run, code)),
  };
}
