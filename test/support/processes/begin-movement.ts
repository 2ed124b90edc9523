/** Gives an order to the books and starts the process of what must wait, as the outbox would. */
import {
  isOpen,
  movementOf,
  type TransferOrder,
  type TransferStatus,
} from '../../../domain/transfers/transfers.ts';
import type { Processes } from '../../../services/platform/processes.ts';
import { movementProcesses } from '../../../workflows/transfer/process.ts';
import type { Books } from '../bank/books.ts';
import { openOrders } from '../bank/orders.ts';

/** Answers where the transfer stands, or the code of its refusal. The process may not have looked at it yet. */
export async function beginMovement(
  books: Books,
  processes: Pick<Processes, 'restart'>,
  order: TransferOrder,
): Promise<{ readonly status: TransferStatus } | string> {
  const { status, refusal } = await openOrders(books).submit(order);
  if (refusal !== null) return refusal;
  if (status === null) throw new Error('the books answered neither a status nor a refusal');
  if (isOpen(status)) await processes.restart(movementProcesses[order.kind], movementOf(order));
  return { status };
}
