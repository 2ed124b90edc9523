/** Steps in the life of an application, each safe to repeat. */
import { transaction } from '../db/transaction.ts';
import { carryApplicationOn } from '../services/compliance/life.ts';
import type { KycActivities } from '../workflows/kyc/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function kycActivities(deps: Pick<ActivityDeps, 'em'>): KycActivities {
  return { carryKycOn: (id) => transaction(deps.em(), (tx) => carryApplicationOn(tx, id)) };
}
