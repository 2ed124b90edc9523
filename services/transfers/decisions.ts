/** Bringing a decision to the process of a transfer. */
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { isOpen, type TransferDecision } from '../../domain/transfers/transfers.ts';
import { decide } from '../../workflows/transfer/contract.ts';
import type { Call } from '../callers.ts';
import { decideOrRecover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { movementRecovery } from './recovery.ts';

/**
 * Decides and answers the transfer as it is then. `requestId` is the id reserved for the request: it stands beside the decision, so
 * that a repeat after a lost answer is told what it has done. A pending transfer whose process is gone (terminated by an operator,
 * or on a restored or emptied server) gets it back first.
 * Refuses: transfer_not_pending, same_person.
 */
export async function decideOn(
  transfer: Pick<TransferRow, 'id' | 'kind' | 'status'>,
  decision: TransferDecision,
  requestId: string,
  { db, refusal }: Pick<Call<'transfer_not_pending'>, 'db' | 'refusal'>,
  { processes }: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  const { id, kind, status } = transfer;
  const named = { ...decision, id: requestId };
  const answer = isOpen(status)
    ? await decideOrRecover(movementRecovery(kind), { db, processes }, id, decide, named, requestId)
    : 'ended';
  const decided = await transferById.one(db, { id });
  if (answer === 'ended' && decided.decisionId !== requestId)
    throw refusal('transfer_not_pending', { members: { transfer_status: decided.status } });
  return decided;
}
