/** Requests to open an account at the back office: see what waits, approve, reject. */
import { z } from 'zod';
import { accountRequestOf, pendingAccountRequests } from '../../../db/queries/accounts/account-requests.ts';
import { AccountRequestId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { keysetById } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { decideOnRequest } from '../../../services/accounts/requests.ts';
import * as wire from './schemas.ts';
import { reviewedRequestView } from './views.ts';

const byId = keysetById('pending-account-requests', AccountRequestId);
const params = z.strictObject({ id: AccountRequestId });

export const listPendingAccountRequests = forAdmins({
  id: 'listPendingAccountRequests',
  area: 'Admin finance',
  title: 'List pending account requests',
  description: 'Lists the requests that wait for a review, longest waiting first.',
  method: 'GET',
  path: '/v1/admin/account-requests',
  effect: 'read',
  permission: 'accounts:read',
  query: byId.query({}),
  status: 200,
  answer: wire.AccountOpenRequestList,
  refuses: [],
  async handle({ query, db }, { config }) {
    return byId.page(
      query,
      (after, most) => pendingAccountRequests.all(db, { after, most }),
      (request) => reviewedRequestView(request, config),
    );
  },
});

export const getAccountRequestAsAdmin = forAdmins({
  id: 'getAccountRequestAsAdmin',
  area: 'Admin finance',
  title: 'Get account request (admin)',
  description: 'Returns one request, decided or not.',
  method: 'GET',
  path: '/v1/admin/account-requests/{id}',
  effect: 'read',
  permission: 'accounts:read',
  params,
  status: 200,
  answer: wire.AccountOpenRequest,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }, { config }) {
    return reviewedRequestView(found(await accountRequestOf.first(db, { id, user: null })), config);
  },
});

export const reviewAccountRequest = forAdmins({
  id: 'reviewAccountRequest',
  area: 'Admin finance',
  title: 'Review account request',
  description:
    'Approves or rejects a request. An approval opens the account at once. The customer is told and can read the reason. Nobody reviews their own request.',
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
  refuses: ['account_request_not_pending', 'same_person', 'account_type_unavailable', 'kyc_required'],
  async handle(call, services) {
    const { decision, reason = null } = call.body;
    const request = found(await accountRequestOf.first(call.db, { ...call.params, user: null }));
    const decided = await decideOnRequest(call, request, decision, reason, services);
    return reviewedRequestView(decided, services.config);
  },
});

/** In the order of the documentation. */
export const operations = [listPendingAccountRequests, getAccountRequestAsAdmin, reviewAccountRequest];
