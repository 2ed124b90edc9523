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
 * Decides and answers the transfer as it is then. `updateId` is the id reserved for the request, so that its repeat gets the first answer.
 * A pending transfer whose process Temporal has lost (a restored or emptied server) gets it back first: opening is safe to repeat.
 * Refuses: transfer_not_pending, same_person.
 */
export async function decideOn(
  transfer: TransferRow,
  decision: TransferDecision,
  updateId: string,
  db: EntityManager,
  { processes }: Pick<Services, 'processes'>,
): Promise<TransferRow> {
  if (transfer.status !== 'pending_approval')
    throw new Refusal('transfer_not_pending', { members: { transfer_status: transfer.status } });
  const process = processOf(transfer);
  let answer = await processes.decide(process, transfer.id, decide, decision, updateId);
  if (answer === 'ended' && (await again(db, transfer)).status === 'pending_approval') {
    await processes.begin(process, orderOf(transfer), opened);
    answer = await processes.decide(process, transfer.id, decide, decision, updateId);
  }
  const decided = await again(db, transfer);
  if (answer === 'ended')
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
    source: transfer.source_account_id,
    destination: transfer.destination_account_id,
    asset: transfer.asset,
    amount: transfer.amount,
    description: transfer.description,
    ...(transfer.reason === null ? {} : { reason: transfer.reason }),
  };
}
