/** Looks after transfers that ought to have moved on by themselves: an operator may have ended their process while it waited. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Processes } from '../services/platform/processes.ts';
import { orderOfRow, type TransferRow } from '../db/queries/transfers/transfers.ts';
import { overdueTransfers } from '../db/queries/transfers/waiting-transfers.ts';
import { decide, opened } from '../workflows/transfer/contract.ts';
import { movementProcesses } from '../workflows/transfer/process.ts';

const MOST_AT_ONCE = 100;

/** The flag is cleared, and the word of it was lost. */
const CLEARED = { kind: 'clear', by: null, role: 'system', reason: null } as const;

export interface TransferWatchDeps {
  readonly processes: Pick<Processes, 'beginAgain' | 'decide'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** One look: gives each its process again, or finds the one that is late. Opening is safe to repeat. Never throws. */
export function transferWatch(
  { processes, em, log }: TransferWatchDeps,
  lateSeconds: number,
): () => Promise<void> {
  // one that is decided meanwhile, or whose process does not answer, keeps none of the others
  const lookAfter = async (transfer: TransferRow): Promise<void> => {
    const about = { transferId: transfer.id, status: transfer.status };
    log.warn(about, 'a transfer waits longer than it should');
    const process = movementProcesses[transfer.kind];
    try {
      await processes.beginAgain(process, orderOfRow(transfer), opened);
      if (transfer.status === 'aml_review') await processes.decide(process, transfer.id, decide, CLEARED);
    } catch (error) {
      log.warn({ ...about, err: error }, 'a transfer that waits could not be looked after');
    }
  };
  return async () => {
    try {
      for (const transfer of await overdueTransfers.all(em(), { lateSeconds, most: MOST_AT_ONCE }))
        await lookAfter(transfer);
    } catch (error) {
      log.warn({ err: error }, 'the transfers that wait could not be looked after');
    }
  };
}
