import type { Refused } from '../../domain/process.ts';
import type { TransferOrder, TransferState } from '../../domain/transfers/transfers.ts';
import { movement } from '../movement.ts';

/** A customer's transfer between accounts of this bank. */
export async function transfer(order: TransferOrder): Promise<TransferState | Refused> {
  return movement(order);
}
