/** What the custodian is asked about deposits of coins. */
import { lookAtDeposit } from '../services/crypto/deposits.ts';
import type { DepositActivities } from '../workflows/crypto-deposit/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function depositActivities(deps: Pick<ActivityDeps, 'em' | 'custodian' | 'log'>): DepositActivities {
  return { lookAtDeposit: (deposit) => lookAtDeposit(deps, deposit) };
}
