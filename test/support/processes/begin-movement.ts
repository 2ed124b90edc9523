/** Gives an order to the books and begins the process of what must wait, as the outbox would. */
import {
  isOpen,
  movementOf,
  type TransferOrder,
  type TransferState,
} from '../../../domain/transfers/transfers.ts';
import { isRefusal } from '../../../domain/refusals.ts';
import type { Processes } from '../../../services/platform/processes.ts';
import { opened } from '../../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../../workflows/transfer/process.ts';
import type { Books } from '../bank/books.ts';
import { openOrders } from '../bank/orders.ts';

/** Answers where the transfer stands, or the code of its refusal. */
export async function beginMovement(
  books: Books,
  processes: Pick<Processes, 'begin'>,
  order: TransferOrder,
): Promise<TransferState | string> {
  const { status, refusal } = await openOrders(books).submit(order);
  if (refusal !== null) return refusal;
  if (status !== null && !isOpen(status)) return { status };
  try {
    return await processes.begin(movementProcesses[order.kind], movementOf(order), opened);
  } catch (error) {
    if (isRefusal(error)) return error.code;
    throw error;
  }
}
