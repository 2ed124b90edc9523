import type { Refused } from '../../domain/process.ts';
import type { Movement, TransferState } from '../../domain/transfers/transfers.ts';
import { movement } from '../movement.ts';

/** A customer's transfer between accounts of this bank. */
export async function transfer(run: Movement): Promise<TransferState | Refused> {
  return movement(run);
}
