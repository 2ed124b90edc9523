/** How the processes that move money are found and started again once they are lost. */
import { overdueScheduledRuns, overdueTransfers } from '../../db/queries/platform/overdue.ts';
import { openRun } from '../../db/queries/transfers/scheduled-runs.ts';
import { transferById } from '../../db/queries/transfers/transfers.ts';
import { TransferId } from '../../domain/ids.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import {
  isOpen,
  movementOf,
  type Movement,
  transferKinds,
  type TransferKind,
} from '../../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../../workflows/scheduled-transfer/process.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import type { Recovery } from '../platform/recovery.ts';

/** Of one kind of movement. */
export const movementRecovery = (kind: TransferKind): Recovery<Movement> => ({
  process: movementProcesses[kind],
  async orderOf(db, id) {
    const transfer = await transferById.first(db, { id: TransferId.parse(id) });
    return transfer !== undefined && isOpen(transfer.status) ? movementOf(transfer) : undefined;
  },
  overdue: (db, page) => overdueTransfers.all(db, { ...page, kind }),
  atTime: 'wakes',
});

/** One for each kind of movement. */
export const movementRecoveries: readonly Recovery<Movement>[] = transferKinds.map(movementRecovery);

/** A day of a scheduled transfer that has ordered nothing yet. Nobody asks for it, so nothing but the watch would find it. */
export const scheduledRunRecovery: Recovery<ScheduledRun> = {
  process: scheduledTransferProcess,
  orderOf: (db, id) => openRun.first(db, { transferId: TransferId.parse(id) }),
  overdue: (db, page) => overdueScheduledRuns.all(db, page),
  atTime: 'waits',
};
