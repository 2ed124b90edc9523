/** Requests to open an account: reminded of, decided, expired; each in one transaction that is safe to repeat. */
import type { Config } from '../config.ts';
import { transaction } from '../db/transaction.ts';
import { decideRequest, lookAtRequest } from '../services/accounts/request-review.ts';
import type { AccountRequestActivities } from '../workflows/account-request/workflow.ts';
import type { ActivityDeps } from './deps.ts';

type Deps = Pick<ActivityDeps, 'em' | 'cipher'> & {
  readonly config: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>;
};

export function accountRequestActivities(deps: Deps): AccountRequestActivities {
  return {
    lookAtAccountRequest: (id, remindSeconds) =>
      transaction(deps.em(), (tx) => lookAtRequest(tx, id, remindSeconds, deps)),
    decideAccountRequest: (id, decision) =>
      transaction(deps.em(), (tx) => decideRequest(tx, id, decision, deps)),
  };
}
