/** How the processes of disputes are found and started again once they are lost. */
import { disputeOf, overdueDisputes } from '../../db/queries/cards/disputes.ts';
import { CardDisputeId } from '../../domain/ids.ts';
import type { DisputeOrder } from '../../workflows/card-dispute/contract.ts';
import { disputeProcess } from '../../workflows/card-dispute/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const disputeRecovery: Recovery<DisputeOrder> = {
  process: disputeProcess,
  async orderOf(db, id) {
    const dispute = await disputeOf.first(db, { id: CardDisputeId.parse(id), owner: null });
    if (dispute === undefined || (dispute.endedAt !== null && !dispute.isUntold)) return undefined;
    return { id: dispute.id, customerId: dispute.ownerId };
  },
  overdue: (db, page) => overdueDisputes.all(db, page),
  atTime: 'wakes',
};
