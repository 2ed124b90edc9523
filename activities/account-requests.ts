/** Requests to open an account: reminded of, decided, expired; each in one transaction that is safe to repeat. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sendMessage } from '../services/notifications/messages.ts';
import { issuerOf, type Config } from '../config.ts';
import { record } from '../db/queries/platform/audit.ts';
import { openAccount } from '../db/ledger/accounts.ts';
import { openingTerms } from '../db/queries/accounts/account-opening.ts';
import * as requests from '../db/queries/accounts/account-requests.ts';
import { addresseeOf, holdersOf } from '../db/queries/accounts/addressees.ts';
import { newUuid } from '../adapters/new-id.ts';
import {
  mayDecide,
  type AccountRequestDecision,
  type AccountRequestState,
} from '../domain/accounts/account-requests.ts';
import { refusalToOpen } from '../domain/accounts/accounts.ts';
import { AccountId, type AccountRequestId } from '../domain/ids.ts';
import { isRefused, type Refused } from '../domain/process.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

const REVIEWERS = 'accounts:review';
const ENDS = { approve: 'approved', reject: 'rejected', withdraw: 'withdrawn' } as const;

export interface AccountRequestActivities {
  /** Expires a request whose time is over, reminds its reviewers where they let it lie, and says when to look again. */
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
      transaction(deps.em(), async (tx) => {
        const request = await locked(tx, id);
        if (request.status !== 'pending') return { state: stateOf(request), lookAgainInSeconds: 0 };
        const { due, againInSeconds } = await requests.requestClock(tx, id, remindSeconds);
        if (due === 'expiry') {
          await end(tx, request, { status: 'expired', accountId: null, decision: null }, deps);
          return { state: { status: 'expired', accountId: null }, lookAgainInSeconds: 0 };
        }
        if (due === 'reminder') await remind(tx, request, deps);
        return { state: stateOf(request), lookAgainInSeconds: againInSeconds };
      }),

    decideAccountRequest: (id, decision) =>
      transaction(deps.em(), async (tx) => {
        const request = await locked(tx, id);
        if (request.status !== 'pending')
          return request.decisionId === decision.id
            ? stateOf(request)
            : { refused: 'account_request_not_pending' };
        if (!mayDecide({ customerId: request.userId }, decision)) return { refused: 'same_person' };
        const opened = decision.kind === 'approve' ? await openRequested(tx, request, deps) : null;
        if (opened !== null && isRefused(opened)) return opened;
        const accountId = opened?.id ?? null;
        await end(tx, request, { status: ENDS[decision.kind], accountId, decision }, deps);
        return { status: ENDS[decision.kind], accountId };
      }),
  };
}

async function locked(tx: EntityManager, id: AccountRequestId): Promise<requests.AccountRequestRow> {
  const request = await requests.lockAccountRequest.first(tx, { id });
  if (request === undefined) throw new Error('an account request is gone');
  return request;
}

function stateOf({ status, accountId }: requests.AccountRequestRow): AccountRequestState {
  return { status, accountId };
}

/** The request's lock is held, so that the account is opened once however often this is tried. */
async function openRequested(
  tx: EntityManager,
  request: requests.AccountRequestRow,
  { config }: Deps,
): Promise<{ readonly id: AccountId } | Refused> {
  const { userId: owner, accountTypeId: type, nickname } = request;
  const refused = refusalToOpen(await openingTerms.first(tx, { owner, type }), 'request');
  if (refused !== undefined) return { refused: refused.code, members: refused.members ?? {} };
  const id = AccountId.parse(newUuid());
  await openAccount(tx, { id, owner, type, nickname }, issuerOf(config));
  return { id };
}

async function end(
  tx: EntityManager,
  request: requests.AccountRequestRow,
  {
    status,
    accountId,
    decision,
  }: {
    readonly status: 'approved' | 'rejected' | 'withdrawn' | 'expired';
    readonly accountId: AccountId | null;
    readonly decision: AccountRequestDecision | null;
  },
  { cipher }: Deps,
): Promise<void> {
  const reason = decision?.reason ?? null;
  const by = decision?.by ?? null;
  await requests.endAccountRequest(tx, request.id, {
    status,
    accountId,
    decidedBy: by,
    decisionId: decision?.id ?? null,
    decisionReason: reason,
  });
  await record(tx, {
    actorId: by,
    actorRole: decision === null ? 'system' : decision.kind === 'withdraw' ? 'customer' : 'admin',
    action: `account_request.${status}`,
    subjectType: 'account_request',
    subjectId: request.id,
    before: { status: 'pending' },
    after: { status, ...(accountId === null ? {} : { account_id: accountId }) },
    ...(reason === null ? {} : { reason }),
    ...(decision === null ? {} : { requestId: decision.requestId }),
  });
  const customer = await addresseeOf(tx, request.userId);
  // who has withdrawn it knows
  if (customer === undefined || status === 'withdrawn') return;
  await sendMessage(tx, cipher, {
    userId: customer.id,
    channel: 'email',
    to: customer.email,
    template: `account_request_${status}`,
    locale: customer.locale,
    values: { type: request.typeName },
  });
}

async function remind(
  tx: EntityManager,
  request: requests.AccountRequestRow,
  { cipher }: Deps,
): Promise<void> {
  await requests.noteReminder.run(tx, { id: request.id });
  for (const reviewer of await holdersOf.all(tx, { action: REVIEWERS })) {
    if (reviewer.id === request.userId) continue;
    await sendMessage(tx, cipher, {
      userId: reviewer.id,
      channel: 'email',
      to: reviewer.email,
      template: 'account_request_waits',
      locale: reviewer.locale,
      values: { type: request.typeName, hours: String(Math.floor(request.ageSeconds / 3_600)) },
    });
  }
}
