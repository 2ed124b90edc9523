/** How the processes that move money are found and started again once they are lost. */
import { overdueTransfers } from '../../db/queries/platform/overdue.ts';
import { transferById } from '../../db/queries/transfers/transfers.ts';
import { TransferId } from '../../domain/ids.ts';
import {
  isOpen,
  movementOf,
  type Movement,
  transferKinds,
  type TransferKind,
} from '../../domain/transfers/transfers.ts';
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
});

/** One for each kind of movement. */
export const movementRecoveries: readonly Recovery<Movement>[] = transferKinds.map(movementRecovery);
