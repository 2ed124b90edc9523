/** All that others may know of the process of a request to open an account. */
import { defineUpdate } from '@temporalio/workflow';
import type { AccountRequestDecision, AccountRequestState } from '../../domain/accounts/account-requests.ts';
import type { Refused } from '../../domain/process.ts';

/** The request as it stands when the process has first looked at it. Nobody asks any more; histories hold it, so it must replay. */
export const looked = defineUpdate<AccountRequestState | Refused>('looked');

/**
 * Approve, reject or withdraw; the first decision that is carried out stands. One that is refused for what may change (the type
 * is switched off, the customer not identified enough) leaves the request waiting.
 * Refuses: account_request_not_pending, same_person, account_type_unavailable, kyc_required.
 */
export const review = defineUpdate<AccountRequestState | Refused, [AccountRequestDecision]>('review');
