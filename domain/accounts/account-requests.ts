/** Requests to open an account: their states, and the moves between them. The table `account_requests` allows the same. */
import type { AccountId, AccountRequestId, UserId } from '../ids.ts';

/** Only `pending` ever changes. */
export const ACCOUNT_REQUEST_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export type AccountRequestStatus = (typeof ACCOUNT_REQUEST_STATUSES)[number];

/** Somebody's word on a request: an administrator's, or who asked takes it back. */
export interface AccountRequestDecision {
  /** Reserved for the request that decides; its repeat has the same. */
  readonly id: string;
  readonly kind: 'approve' | 'reject' | 'withdraw';
  readonly by: UserId;
  readonly reason: string | null;
  readonly requestId: string;
}

/** A request as its process knows it. */
export interface AccountRequestState {
  readonly status: AccountRequestStatus;
  readonly accountId: AccountId | null;
}

/** Four eyes: nobody reviews what they asked for, and only who asked takes it back. */
export function mayDecide(
  request: { readonly customerId: UserId },
  decision: Pick<AccountRequestDecision, 'kind' | 'by'>,
): boolean {
  return (decision.kind === 'withdraw') === (decision.by === request.customerId);
}

/** What is asked for and when people are reminded of it. */
export interface AccountRequestOrder {
  readonly id: AccountRequestId;
  readonly customerId: UserId;
  /** How long reviewers may let it lie before they are reminded, each time; seconds. */
  readonly remindSeconds: number;
}
