/** Requests to open an account: reminded of, decided, expired; each in one transaction that is safe to repeat. */
import type { Config } from '../config.ts';
import { transaction } from '../db/transaction.ts';
import type { AccountRequestDecision, AccountRequestState } from '../domain/accounts/account-requests.ts';
import type { AccountRequestId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import { decideRequest, lookAtRequest } from '../services/accounts/request-review.ts';
import type { ActivityDeps } from './deps.ts';

export interface AccountRequestActivities {
  /** Expires a request whose time is over, reminds its reviewers if they let it lie, and says when to look again. */
  lookAtAccountRequest(
    id: AccountRequestId,
    remindSeconds: number,
  ): Promise<{ readonly state: AccountRequestState; readonly lookAgainInSeconds: number }>;
  /** Carries a decision out; an approval opens the account. A repeat answers as the first did; another's decision is refused. */
  decideAccountRequest(
    id: AccountRequestId,
    decision: AccountRequestDecision,
  ): Promise<AccountRequestState | Refused>;
}

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
