/** Requests to open an account: made, and decided by the process behind them. */
import type { Config } from '../../config.ts';
import { openingTerms } from '../../db/queries/accounts/account-opening.ts';
import {
  accountRequestOf,
  insertAccountRequest,
  pendingRequestFor,
  type AccountRequestRow,
} from '../../db/queries/accounts/account-requests.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import type { AccountRequestDecision } from '../../domain/accounts/account-requests.ts';
import { AccountRequestId, type AccountTypeId } from '../../domain/ids.ts';
import { found, type RefusalCode } from '../../domain/refusals.ts';
import { review } from '../../workflows/account-request/contract.ts';
import { accountRequestProcess } from '../../workflows/account-request/process.ts';
import type { OwnCall } from '../callers.ts';
import { decideOrRecover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { accountRequestRecovery, orderOf } from './recovery.ts';

const DAY_SECONDS = 86_400;

interface Asking<Code extends RefusalCode> extends OwnCall<Code> {
  /** The id of the request, or of the decision on it: the same for every repeat. */
  readonly newId: string;
}

/** Asks for an account of a type that is opened after a review. A customer has one open request for a type. */
export async function submitRequest(
  { db, actor, newId, refusal }: Asking<'account_type_unavailable' | 'account_request_open'>,
  wish: { readonly accountTypeId: AccountTypeId; readonly nickname: string | null },
  config: Config,
): Promise<AccountRequestRow> {
  const id = AccountRequestId.parse(newId);
  const asked = { ...wish, userId: actor.id };
  const terms = found(await openingTerms.first(db, { owner: actor.id, type: wish.accountTypeId }));
  if (!terms.enabled || terms.openableBy !== 'request') throw refusal('account_type_unavailable');
  const expiresInSeconds = config.ACCOUNT_REQUEST_DAYS * DAY_SECONDS;
  const written = await insertAccountRequest.run(db, { ...asked, id, expiresInSeconds });
  if (written === 0) {
    const waiting = await pendingRequestFor.first(db, asked);
    throw refusal('account_request_open', { members: { account_request_id: waiting?.id } });
  }
  const request = await accountRequestOf.one(db, { id, user: actor.id });
  await launch(db, accountRequestProcess, orderOf(request, config));
  await record(db, actor, {
    action: 'account_request.submitted',
    subject: ['account_request', id],
    after: { status: 'pending', account_type_id: wish.accountTypeId },
  });
  return request;
}

/**
 * Decides and answers the request as it is then. A pending one whose process is gone (terminated by an operator, or on a restored
 * server) gets it back first. The process refuses same_person, account_type_unavailable and kyc_required.
 */
export async function decideOnRequest(
  { db, actor, newId, refusal }: Asking<'account_request_not_pending'>,
  request: AccountRequestRow,
  kind: AccountRequestDecision['kind'],
  reason: string | null,
  { processes, config }: Pick<Services, 'processes' | 'config'>,
): Promise<AccountRequestRow> {
  const { id } = request;
  const decision = { id: newId, kind, by: actor.id, reason, requestId: actor.requestId };
  const recovery = accountRequestRecovery(config);
  const answer =
    request.status === 'pending'
      ? await decideOrRecover(recovery, { db, processes }, id, review, decision, newId)
      : 'ended';
  const decided = await accountRequestOf.one(db, { id, user: null });
  if (answer === 'ended' && decided.decisionId !== newId)
    throw refusal('account_request_not_pending', { members: { request_status: decided.status } });
  return decided;
}
