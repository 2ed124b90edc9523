import type { Refused } from '../../domain/process.ts';
import type { Movement, TransferState } from '../../domain/transfers/transfers.ts';
import { movement } from '../movement.ts';

/** Taking an executed transfer or adjustment back, which another administrator approves. */
export async function reversal(run: Movement): Promise<TransferState | Refused> {
  return movement(run);
}
