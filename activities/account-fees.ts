/** Charging the monthly fees of accounts. */
import * as fees from '../db/queries/pricing/account-fees.ts';
import { now } from '../domain/time/now.ts';
import type { ActivityDeps } from './deps.ts';

export interface AccountFeeActivities {
  /** The month of now where it is still to be charged, as its first day; null where it is done. */
  openFeeMonth(): Promise<string | null>;
  /** Charges the next accounts after this one. */
  chargeFeeMonth(month: string, after: string | null): Promise<fees.ChargedBatch>;
  closeFeeMonth(month: string): Promise<void>;
  /** Tries the next fees that were refused before. */
  chargeRefusedFees(after: string | null): Promise<fees.ChargedBatch>;
}

/** So many accounts are locked at once, for some ten milliseconds. */
const BATCH = 200;

export function accountFeeActivities({ em }: Pick<ActivityDeps, 'em'>): AccountFeeActivities {
  return {
    openFeeMonth: () => fees.openFeeMonth(em()),
    chargeFeeMonth: (month, after) =>
      fees.chargeFeeMonth.one(em(), { month, after, most: BATCH, clock: now() }),
    closeFeeMonth: async (month) => void (await fees.closeFeeMonth.run(em(), { month })),
    chargeRefusedFees: (after) => fees.chargeRefusedFees.one(em(), { after, most: BATCH, clock: now() }),
  };
}
