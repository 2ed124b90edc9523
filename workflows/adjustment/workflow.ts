import type { Refused } from '../../domain/process.ts';
import type { Movement, TransferState } from '../../domain/transfers/transfers.ts';
import { movement } from '../movement.ts';

/** An administrator's credit or debit of a customer's account, which another administrator approves. */
export async function adjustment(run: Movement): Promise<TransferState | Refused> {
  return movement(run);
}
