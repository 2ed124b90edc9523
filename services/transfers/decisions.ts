/** Bringing a decision to the process of a transfer. */
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import { isOpen, type TransferDecision, movementOf } from '../../domain/transfers/transfers.ts';
import { decide, opened } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import type { Call } from '../callers.ts';
import type { Services } from '../services.ts';

/**
 * Decides and answers the transfer as it is then. `requestId` is the id reserved for the request: it stands beside the decision, so
 * that a repeat after a lost answer is told what it has done. A pending transfer whose process is gone (terminated by an operator,
 * or on a restored or emptied server) gets it back first: opening is safe to repeat.
 * Refuses: transfer_not_pending, same_person.
 */
export async function decideOn(
  transfer: Pick<TransferRow, 'id' | 'kind' | 'status'>,
  decision: TransferDecision,
  requestId: string,
  { db, refusal }: Pick<Call<'transfer_not_pending'>, 'db' | 'refusal'>,
  { processes }: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  const process = movementProcesses[transfer.kind];
  const ask = () => processes.decide(process, transfer.id, decide, { ...decision, id: requestId }, requestId);
  let answer = isOpen(transfer.status) ? await ask() : 'ended';
  let decided = await transferById.one(db, transfer);
  if (answer === 'ended' && isOpen(decided.status)) {
    await processes.beginAgain(process, movementOf(decided), opened);
    answer = await ask();
    decided = await transferById.one(db, transfer);
  }
  if (answer === 'ended' && decided.decisionId !== requestId)
    throw refusal('transfer_not_pending', { members: { transfer_status: decided.status } });
  return decided;
}
