/** A customer's requests to open an account of a type that is reviewed first. */
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import { launch } from '../../../db/queries/platform/outbox.ts';
import { openingTerms } from '../../../db/queries/accounts/account-opening.ts';
import {
  accountRequestsOf,
  insertAccountRequest,
  pendingRequestFor,
} from '../../../db/queries/accounts/account-requests.ts';
import { AccountRequestId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { accountRequestProcess } from '../../../workflows/account-request/process.ts';
import { OpenAccountRequest } from '../schemas.ts';
import { keyset } from '../../wire/cursor.ts';
import { forUsers } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import { decideOnRequest, orderOf, someRequest } from '../../../services/accounts/request-decisions.ts';
import * as wire from './schemas.ts';
import { accountRequestView } from './views.ts';

const DAY_SECONDS = 86_400;
const byId = keyset<AccountRequestId>('account-requests', AccountRequestId);
const params = z.strictObject({ id: AccountRequestId });

export const submitAccountRequest = forUsers({
  id: 'submitAccountRequest',
  area: 'Finance',
  title: 'Submit account open request',
  description:
    'Asks for an account. One request of a customer for a type waits at a time. For types that are `openable_by` `request`. The KYC level that the type needs must be reached when it is approved, not yet now.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/account-requests',
  effect: 'transaction',
  body: OpenAccountRequest,
  status: 201,
  answer: wire.AccountOpenRequest,
  refuses: ['account_type_unavailable', 'account_request_open'],
  async handle({ caller, body, db, newId, requestId, client, refusal }, { config }) {
    const type = body.account_type_id;
    const terms = await openingTerms.first(db, { owner: caller.id, type });
    if (terms === undefined) throw refusal('not_found');
    if (!terms.enabled || terms.openableBy !== 'request') throw refusal('account_type_unavailable');
    const id = AccountRequestId.parse(newId);
    const wish = { userId: caller.id, accountTypeId: type };
    const written = await insertAccountRequest.run(db, {
      ...wish,
      id,
      nickname: body.nickname ?? null,
      expiresInSeconds: config.ACCOUNT_REQUEST_DAYS * DAY_SECONDS,
    });
    if (written === 0) {
      const waiting = await pendingRequestFor.first(db, wish);
      throw new Refusal('account_request_open', { members: { account_request_id: waiting?.id } });
    }
    await launch(db, accountRequestProcess, orderOf(id, caller.id, config));
    await record(db, {
      actorId: caller.id,
      actorRole: caller.role,
      action: 'account_request.submitted',
      subjectType: 'account_request',
      subjectId: id,
      after: { status: 'pending', account_type_id: type },
      requestId,
      address: client.address,
    });
    return accountRequestView(await someRequest(db, caller.id, id));
  },
});

export const listAccountRequests = forUsers({
  id: 'listAccountRequests',
  area: 'Finance',
  title: 'List my account open requests',
  description: 'The caller’s requests, newest first.',
  method: 'GET',
  path: '/v1/account-requests',
  effect: 'read',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.AccountOpenRequestList,
  refuses: [],
  async handle({ caller, query, db }) {
    const found = await accountRequestsOf.all(db, {
      user: caller.id,
      before: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(found, query.limit, (request) => request.id, accountRequestView);
  },
});

export const getAccountRequest = forUsers({
  id: 'getAccountRequest',
  area: 'Finance',
  title: 'Get account open request',
  description: 'One of the caller’s requests.',
  method: 'GET',
  path: '/v1/account-requests/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.AccountOpenRequest,
  refuses: [],
  beyond: true,
  async handle({ caller, params: { id }, db }) {
    return accountRequestView(await someRequest(db, caller.id, id));
  },
});

export const withdrawAccountRequest = forUsers({
  id: 'withdrawAccountRequest',
  area: 'Finance',
  title: 'Withdraw account open request',
  description: 'Takes a request back while it waits.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/account-requests/{id}/withdraw',
  params,
  status: 200,
  answer: wire.AccountOpenRequest,
  effect: 'decision',
  process: 'account-request',
  refuses: ['account_request_not_pending'],
  beyond: true,
  async handle({ caller, params: { id }, db, newId, requestId }, services) {
    const request = await someRequest(db, caller.id, id);
    const decision = { id: newId, kind: 'withdraw', by: caller.id, reason: null, requestId } as const;
    return accountRequestView(await decideOnRequest(request, decision, db, services));
  },
});

/** In the order of the documentation. */
export const operations = [
  submitAccountRequest,
  listAccountRequests,
  getAccountRequest,
  withdrawAccountRequest,
];
