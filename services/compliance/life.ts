/** What the process of an application does: reminds its customer of what is missing or has to be renewed, and lets it expire. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { advanceApplication, overdueApplications } from '../../db/queries/compliance/applications.ts';
import { kybApplicationOf } from '../../db/queries/compliance/kyb.ts';
import { kycApplicationOf } from '../../db/queries/compliance/kyc.ts';
import type { ApplicationKind } from '../../domain/compliance/applications.ts';
import { ApplicationId } from '../../domain/ids.ts';
import { kybProcess } from '../../workflows/kyb/process.ts';
import type { ApplicationOrder, ApplicationStep } from '../../workflows/kyc/contract.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import type { Recovery } from '../platform/recovery.ts';

/** Does what is due, and says when to look again; 0 once it has ended for good. Safe to repeat. */
export async function carryApplicationOn(tx: EntityManager, id: ApplicationId): Promise<ApplicationStep> {
  const { state: status, lookAgainSeconds } = await advanceApplication.one(tx, { id });
  return { status, lookAgainInSeconds: lookAgainSeconds };
}

/** How the processes of a kind are found and started again once they are lost. */
const recoveryOf = (kind: ApplicationKind): Recovery<ApplicationOrder> => ({
  process: kind === 'kyc' ? kycProcess : kybProcess,
  async orderOf(db, text) {
    const id = ApplicationId.parse(text);
    const read = kind === 'kyc' ? kycApplicationOf : kybApplicationOf;
    const application = await read.first(db, { id, owner: null });
    // an approval has ended as an application, and is looked at again
    if (application === undefined || (application.endedAt !== null && application.lookAt === null))
      return undefined;
    return { id: application.id, customerId: application.userId };
  },
  overdue: (db, page) => overdueApplications.all(db, { ...page, kind }),
  atTime: 'wakes',
});

export const kycRecovery = recoveryOf('kyc');
export const kybRecovery = recoveryOf('kyb');
