/** Requests to open an account at the back office: see what waits, approve, reject. */
import { z } from 'zod';
import { pendingAccountRequests } from '../../db/queries/accounts/account-requests.ts';
import { AccountRequestId } from '../../domain/ids.ts';
import { keyset } from '../cursor.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../wire.ts';
import { decideOnRequest, someRequest } from './decisions.ts';
import * as wire from './schemas.ts';
import { reviewedRequestView } from './views.ts';

const byId = keyset<AccountRequestId>('pending-account-requests', AccountRequestId);
const params = z.strictObject({ id: AccountRequestId });

/** Requests that wait for their review, longest waiting first. */
export const listPendingAccountRequests = operation({
  id: 'listPendingAccountRequests',
  area: 'Admin finance',
  title: 'List pending account requests',
  method: 'GET',
  path: '/v1/admin/account-requests',
  auth: 'admin',
  permission: 'accounts:read',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.AccountOpenRequestList,
  refuses: [],
  async handle({ query, db }) {
    const found = await pendingAccountRequests.all(db, {
      after: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(found, query.limit, (request) => request.id, reviewedRequestView);
  },
});

/** One request, decided or not. */
export const getAccountRequestAsAdmin = operation({
  id: 'getAccountRequestAsAdmin',
  area: 'Admin finance',
  title: 'Get account request (admin)',
  method: 'GET',
  path: '/v1/admin/account-requests/{id}',
  auth: 'admin',
  permission: 'accounts:read',
  params,
  status: 200,
  answer: wire.AccountOpenRequest,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }) {
    return reviewedRequestView(await someRequest(db, null, id));
  },
});

/** Approves or rejects a request; the customer is told. Not by who asked. */
export const reviewAccountRequest = operation({
  id: 'reviewAccountRequest',
  area: 'Admin finance',
  title: 'Review account request',
  description: 'An approval opens the account at once. The customer is told and may read the reason.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/account-requests/{id}/review',
  auth: 'admin',
  permission: 'accounts:review',
  params,
  body: wire.AccountRequestReview,
  status: 200,
  answer: wire.AccountOpenRequest,
  process: 'account-request',
  refuses: ['account_request_not_pending', 'same_person', 'account_type_unavailable', 'kyc_level_too_low'],
  async handle({ caller, params: { id }, body, db, newId, requestId }, services) {
    const request = await someRequest(db, null, id);
    const { decision: kind, reason = null } = body;
    const decision = { id: newId, kind, by: caller.id, reason, requestId };
    return reviewedRequestView(await decideOnRequest(request, decision, db, services));
  },
});
