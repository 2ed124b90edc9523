/** Giving payments to the rail. */
import type { TransferId } from '../domain/ids.ts';

export interface RailActivities {
  /** Gives the payment to the rail; a repeat is the same payment. Throws where the rail is not there. */
  submitToRail(id: TransferId): Promise<void>;
}
