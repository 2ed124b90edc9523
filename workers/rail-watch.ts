/** Looks after payments that the rail ought to have: gives over again what was lost on the way, and says which are not answered. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { railActivities } from '../activities/rail.ts';
import type { PaymentRail } from '../adapters/rail/rail.ts';
import { unansweredPayments, undeliveredPayments } from '../db/queries/transfers/rail-payments.ts';

const MOST_AT_ONCE = 100;

export interface RailWatchDeps {
  readonly rail: Pick<PaymentRail, 'submit'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

export interface RailPatience {
  /** A process gives its payment over within a moment; after so many seconds it is lost, or the rail is away. */
  readonly lateSeconds: number;
  /** After so many seconds without a final word from the rail people should ask. */
  readonly silentSeconds: number;
}

/** One look. Never throws. */
export function railWatch(
  { rail, em, log }: RailWatchDeps,
  { lateSeconds, silentSeconds }: RailPatience,
): () => Promise<void> {
  const { submitToRail } = railActivities({ em, rail });
  return async () => {
    try {
      const late = await undeliveredPayments.all(em(), { seconds: lateSeconds, most: MOST_AT_ONCE });
      for (const { id: transferId } of late) {
        log.error(
          { alert: 'rail_payment_late', transferId },
          'a payment has not reached the rail in time; it is given over now',
        );
        await submitToRail(transferId);
      }
      const silent = await unansweredPayments.all(em(), { seconds: silentSeconds, most: MOST_AT_ONCE });
      if (silent.length > 0)
        log.error(
          { alert: 'rail_payments_unanswered', transferIds: silent.map(({ id }) => id) },
          'the rail has said nothing final of these payments for days: ask the bank',
        );
    } catch (error) {
      log.warn({ err: error }, 'the payments given to the rail could not be looked after');
    }
  };
}
