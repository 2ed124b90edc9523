/** Giving payments to the rail. */
import type { PaymentRail } from '../adapters/rail/rail.ts';
import { paymentOf } from '../db/queries/transfers/rail-payments.ts';
import type { RailActivities } from '../workflows/movement-steps.ts';
import type { ActivityDeps } from './deps.ts';
import { BadInput } from './failures.ts';

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
