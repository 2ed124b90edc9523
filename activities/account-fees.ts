/** Charging the monthly fees of accounts. */
import * as fees from '../db/queries/pricing/account-fees.ts';
import { machineNow } from '../domain/time/now.ts';
import type { AccountFeeActivities } from '../workflows/account-fees/workflow.ts';
import type { ActivityDeps } from './deps.ts';

/** So many accounts are locked at once, for some ten milliseconds. */
const BATCH = 200;

export function accountFeeActivities({ em }: Pick<ActivityDeps, 'em'>): AccountFeeActivities {
  return {
    openFeeMonth: () => fees.openFeeMonth(em()),
    chargeFeeMonth: (month, after) =>
      fees.chargeFeeMonth.one(em(), { month, after, most: BATCH, clock: machineNow() }),
    closeFeeMonth: async (month) => void (await fees.closeFeeMonth.run(em(), { month })),
    chargeRefusedFees: (after) =>
      fees.chargeRefusedFees.one(em(), { after, most: BATCH, clock: machineNow() }),
  };
}
