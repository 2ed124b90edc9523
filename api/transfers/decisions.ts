/** Bringing a decision to the process of a transfer. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { transferById, type TransferRow } from '../../db/queries/transfers.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Process } from '../../domain/process.ts';
import type { TransferDecision, TransferOrder } from '../../domain/transfers.ts';
import { adjustmentProcess, decide, opened, transferProcess } from '../../workflows/transfer/contract.ts';
import type { Services } from '../services.ts';

/** The kind of process behind a transfer. */
export function processOf(transfer: Pick<TransferRow, 'kind'>): Process<TransferOrder> {
  return transfer.kind === 'transfer' ? transferProcess : adjustmentProcess;
}

/**
 * Decides and answers the transfer as it is then. `requestId` is the id reserved for the request: it stands beside the decision, so
 * that a repeat after a lost answer is told what it has done. A pending transfer whose process is gone (terminated by an operator,
 * or on a restored or emptied server) gets it back first: opening is safe to repeat.
 * Refuses: transfer_not_pending, same_person.
 */
export async function decideOn(
  transfer: TransferRow,
  decision: TransferDecision,
  requestId: string,
  db: EntityManager,
  { processes }: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  const process = processOf(transfer);
  const ask = () => processes.decide(process, transfer.id, decide, { ...decision, id: requestId }, requestId);
  let answer = transfer.status === 'pending_approval' ? await ask() : 'ended';
  if (answer === 'ended' && (await again(db, transfer)).status === 'pending_approval') {
    await processes.beginAgain(process, orderOf(transfer), opened);
    answer = await ask();
  }
  const decided = await again(db, transfer);
  if (answer === 'ended' && decided.decision_id !== requestId)
    throw new Refusal('transfer_not_pending', { members: { transfer_status: decided.status } });
  return decided;
}

async function again(db: EntityManager, transfer: TransferRow): Promise<TransferRow> {
  const found = await transferById(db, transfer.id);
  if (found === undefined) throw new Refusal('not_found');
  return found;
}

function orderOf(transfer: TransferRow): TransferOrder {
  return {
    id: transfer.id,
    kind: transfer.kind,
    ...(transfer.type_code === null ? {} : { type: transfer.type_code }),
    requestedBy: transfer.requested_by,
    customerId: transfer.customer_id,
    ...(transfer.destination_owner_id === null ? {} : { payeeId: transfer.destination_owner_id }),
    source: transfer.source_account_id,
    destination: transfer.destination_account_id,
    asset: transfer.asset,
    amount: transfer.amount,
    description: transfer.description,
    ...(transfer.reason === null ? {} : { reason: transfer.reason }),
  };
}
