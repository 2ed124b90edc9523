/** Starting what is due of scheduled transfers, pricing it, and telling its customer if it did not happen. */
import { transferById } from '../db/queries/transfers/transfers.ts';
import { transaction } from '../db/transaction.ts';
import * as runs from '../services/transfers/scheduled-runs.ts';
import type { ScheduledTransferActivities } from '../workflows/scheduled-transfer/contract.ts';
import type { ActivityDeps } from './deps.ts';

type Needs = Pick<ActivityDeps, 'em' | 'cipher' | 'config'>;

export function scheduledTransferActivities({ em, cipher, config }: Needs): ScheduledTransferActivities {
  return {
    startDueRuns: (most) => transaction(em(), (tx) => runs.startDueRuns(tx, config.BANK_TIME_ZONE, most)),
    orderOfRun: (run) => runs.orderOfRun(em(), run),
    isBegun: async (id) => (await transferById.first(em(), { id })) !== undefined,
    tellRefusal: (run, code) => transaction(em(), (tx) => runs.tellRefusal(tx, cipher, run, code)),
  };
}
