/** Giving payments to the rail. */
import type { PaymentRail } from '../adapters/rail/rail.ts';
import { paymentOf } from '../db/queries/transfers/rail-payments.ts';
import type { TransferId } from '../domain/ids.ts';
import type { ActivityDeps } from './deps.ts';
import { BadInput } from './failures.ts';

export interface RailActivities {
  /**
   * Hands a submitted transfer to the rail, once as far as can be told: a repeat is the same payment. Throws where the rail
   * cannot be reached.
   */
  submitToRail(id: TransferId): Promise<void>;
}

export function railActivities({
  em,
  rail,
}: Pick<ActivityDeps, 'em'> & { readonly rail: Pick<PaymentRail, 'submit'> }): RailActivities {
  return {
    async submitToRail(id) {
      const payment = await paymentOf(em(), id);
      if (payment === undefined) throw new BadInput(`transfer ${id} is not one that the rail carries`);
      await rail.submit(payment);
    },
  };
}
