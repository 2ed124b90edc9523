/** What the process of an identity check does: reminds its person of what is missing, and lets it expire. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { advanceKyc, kycApplicationOf, overdueKyc } from '../../db/queries/compliance/kyc.ts';
import { KycApplicationId } from '../../domain/ids.ts';
import type { KycOrder, KycStep } from '../../workflows/kyc/contract.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import type { Recovery } from '../platform/recovery.ts';

/** Does what is due, and says when to look again; 0 once it has ended. Safe to repeat. */
export async function carryKycOn(tx: EntityManager, id: KycApplicationId): Promise<KycStep> {
  const { state: status, lookAgainSeconds } = await advanceKyc.one(tx, { id });
  return { status, lookAgainInSeconds: lookAgainSeconds };
}

/** How the processes of identity checks are found and started again once they are lost. */
export const kycRecovery: Recovery<KycOrder> = {
  process: kycProcess,
  async orderOf(db, id) {
    const application = await kycApplicationOf.first(db, { id: KycApplicationId.parse(id), owner: null });
    if (application === undefined || application.endedAt !== null) return undefined;
    return { id: application.id, customerId: application.userId };
  },
  overdue: (db, page) => overdueKyc.all(db, page),
  atTime: 'wakes',
};
