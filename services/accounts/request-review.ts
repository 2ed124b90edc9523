/** What the process of a request to open an account does: remind its reviewers, carry a decision out, let it expire. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { issuerOf, type Config } from '../../config.ts';
import { openAccount } from '../../db/ledger/accounts.ts';
import { openingTerms } from '../../db/queries/accounts/account-opening.ts';
import {
  endAccountRequest,
  lockAccountRequest,
  noteReminder,
  requestClock,
  type AccountRequestRow,
} from '../../db/queries/accounts/account-requests.ts';
import { missingAction } from '../../db/queries/platform/acting.ts';
import { addresseeOf, holdersOf } from '../../db/queries/accounts/addressees.ts';
import { record } from '../../db/queries/platform/audit.ts';
import {
  mayDecide,
  type AccountRequestDecision,
  type AccountRequestState,
  type AccountRequestStatus,
} from '../../domain/accounts/account-requests.ts';
import { refusalToOpen } from '../../domain/accounts/accounts.ts';
import { SYSTEM, type Actor } from '../../domain/actor.ts';
import { AccountId, type AccountRequestId } from '../../domain/ids.ts';
import { isRefused, type Refused } from '../../domain/process.ts';
import { notify } from '../notifications/events.ts';

const REVIEWERS = 'accounts:review';
const ENDS = { approve: 'approved', reject: 'rejected', withdraw: 'withdrawn' } as const;

interface Needs {
  readonly cipher: Cipher;
  readonly config: Pick<Config, 'BANK_COUNTRY' | 'BANK_CODE'>;
}

/** Expires a request whose time is over, reminds its reviewers if they let it lie, and says when to look again. */
export async function lookAtRequest(
  tx: EntityManager,
  id: AccountRequestId,
  remindSeconds: number,
  needs: Needs,
): Promise<{ readonly state: AccountRequestState; readonly lookAgainInSeconds: number }> {
  const request = await lockAccountRequest.one(tx, { id });
  if (request.status !== 'pending') return { state: stateOf(request), lookAgainInSeconds: 0 };
  const { due, againInSeconds } = await requestClock(tx, id, remindSeconds);
  if (due === 'expiry')
    return { state: await end(tx, request, 'expired', null, null, needs), lookAgainInSeconds: 0 };
  if (due === 'reminder') await remind(tx, request, needs);
  return { state: stateOf(request), lookAgainInSeconds: againInSeconds };
}

/** Carries a decision out; an approval opens the account. A repeat answers as the first did; another's decision is refused. */
export async function decideRequest(
  tx: EntityManager,
  id: AccountRequestId,
  decision: AccountRequestDecision,
  needs: Needs,
): Promise<AccountRequestState | Refused> {
  const request = await lockAccountRequest.one(tx, { id });
  if (request.status !== 'pending')
    return request.decisionId === decision.id ? stateOf(request) : { refused: 'account_request_not_pending' };
  if (!mayDecide({ customerId: request.userId }, decision)) return { refused: 'same_person' };
  // blocked, or without the permission by now
  if (decision.kind !== 'withdraw') {
    const { missing } = await missingAction.one(tx, { person: decision.by, actions: [REVIEWERS] });
    if (missing !== null) return { refused: 'forbidden', members: { permission: missing } };
  }
  const account = decision.kind === 'approve' ? await openRequested(tx, request, needs) : null;
  if (account !== null && isRefused(account)) return account;
  return end(tx, request, ENDS[decision.kind], account?.id ?? null, decision, needs);
}

function stateOf({ status, accountId }: AccountRequestRow): AccountRequestState {
  return { status, accountId };
}

/** The request's lock is held, so that the account is opened once however often this is tried. */
async function openRequested(
  tx: EntityManager,
  { userId: owner, accountTypeId: type, nickname }: AccountRequestRow,
  { config }: Needs,
): Promise<{ readonly id: AccountId } | Refused> {
  const refused = refusalToOpen(await openingTerms.first(tx, { owner, type }), 'request');
  if (refused !== undefined) return { refused: refused.code, members: refused.members ?? {} };
  const id = AccountId.parse(newUuid());
  await openAccount(tx, { id, owner, type, nickname }, issuerOf(config));
  return { id };
}

async function end(
  tx: EntityManager,
  request: AccountRequestRow,
  status: Exclude<AccountRequestStatus, 'pending'>,
  accountId: AccountId | null,
  decision: AccountRequestDecision | null,
  { cipher }: Needs,
): Promise<AccountRequestState> {
  const { by: decidedBy = null, id: decisionId = null, reason: decisionReason = null } = decision ?? {};
  await endAccountRequest(tx, request.id, { status, accountId, decidedBy, decisionId, decisionReason });
  await record(tx, deciderOf(decision), {
    action: `account_request.${status}`,
    subject: ['account_request', request.id],
    before: { status: 'pending' },
    after: { status, ...(accountId === null ? {} : { account_id: accountId }) },
    reason: decisionReason,
  });
  const customer = await addresseeOf(tx, request.userId);
  // whoever has withdrawn it knows
  if (customer !== undefined && status !== 'withdrawn')
    await notify(tx, cipher, {
      userId: customer.id,
      type: `account_request_${status}`,
      locale: customer.locale,
      values: { type: request.typeName },
    });
  return { status, accountId };
}

function deciderOf(decision: AccountRequestDecision | null): Actor {
  if (decision === null) return SYSTEM;
  const { by: id, kind, requestId } = decision;
  return { id, role: kind === 'withdraw' ? 'customer' : 'admin', requestId };
}

async function remind(tx: EntityManager, request: AccountRequestRow, { cipher }: Needs): Promise<void> {
  await noteReminder.run(tx, { id: request.id });
  for (const reviewer of await holdersOf.all(tx, { action: REVIEWERS })) {
    if (reviewer.id === request.userId) continue;
    await notify(tx, cipher, {
      userId: reviewer.id,
      type: 'account_request_waits',
      locale: reviewer.locale,
      values: { type: request.typeName, hours: String(Math.floor(request.ageSeconds / 3_600)) },
    });
  }
}
