/** Requests to open an account at the back office: see what waits, approve, reject. */
import { z } from 'zod';
import { pendingAccountRequests } from '../../../db/queries/accounts/account-requests.ts';
import { AccountRequestId } from '../../../domain/ids.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { pageQuery } from '../../wire/shapes.ts';
import { decideOnRequest, someRequest } from '../../../services/accounts/request-decisions.ts';
import * as wire from './schemas.ts';
import { reviewedRequestView } from './views.ts';

const byId = keyset<AccountRequestId>('pending-account-requests', AccountRequestId);
const params = z.strictObject({ id: AccountRequestId });

export const listPendingAccountRequests = forAdmins({
  id: 'listPendingAccountRequests',
  area: 'Admin finance',
  title: 'List pending account requests',
  description: 'Requests that wait for their review, longest waiting first.',
  method: 'GET',
  path: '/v1/admin/account-requests',
  effect: 'read',
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

export const getAccountRequestAsAdmin = forAdmins({
  id: 'getAccountRequestAsAdmin',
  area: 'Admin finance',
  title: 'Get account request (admin)',
  description: 'One request, decided or not.',
  method: 'GET',
  path: '/v1/admin/account-requests/{id}',
  effect: 'read',
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

export const reviewAccountRequest = forAdmins({
  id: 'reviewAccountRequest',
  area: 'Admin finance',
  title: 'Review account request',
  description:
    'Approves or rejects a request; the customer is told. Not by who asked. An approval opens the account at once. The customer is told and may read the reason.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/account-requests/{id}/review',
  permission: 'accounts:review',
  params,
  body: wire.AccountRequestReview,
  status: 200,
  answer: wire.AccountOpenRequest,
  effect: 'decision',
  process: 'account-request',
  refuses: ['account_request_not_pending', 'same_person', 'account_type_unavailable', 'kyc_level_too_low'],
  async handle({ caller, params: { id }, body, db, newId, requestId }, services) {
    const request = await someRequest(db, null, id);
    const { decision: kind, reason = null } = body;
    const decision = { id: newId, kind, by: caller.id, reason, requestId };
    return reviewedRequestView(await decideOnRequest(request, decision, db, services));
  },
});

/** In the order of the documentation. */
export const operations = [listPendingAccountRequests, getAccountRequestAsAdmin, reviewAccountRequest];
