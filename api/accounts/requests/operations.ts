/** A customer's requests to open an account of a type that is reviewed first. */
import { z } from 'zod';
import { accountRequestOf, accountRequestsOf } from '../../../db/queries/accounts/account-requests.ts';
import { AccountRequestId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { decideOnRequest, submitRequest } from '../../../services/accounts/requests.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { OpenAccountRequest } from '../schemas.ts';
import * as wire from './schemas.ts';
import { accountRequestView } from './views.ts';

const byId = keysetById('account-requests', AccountRequestId);
const params = z.strictObject({ id: AccountRequestId });

export const submitAccountRequest = forUsers({
  id: 'submitAccountRequest',
  area: 'Finance',
  title: 'Submit account open request',
  description:
    'Requests an account of a type that is `openable_by` `request`. A customer can have one pending request for each type. The KYC level of the type must be reached when the request is approved, not yet now.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/account-requests',
  effect: 'transaction',
  body: OpenAccountRequest,
  status: 201,
  answer: wire.AccountOpenRequest,
  refuses: ['account_type_unavailable', 'account_request_open'],
  async handle(request, { config }) {
    const { account_type_id: accountTypeId, nickname = null } = request.body;
    return accountRequestView(await submitRequest(request, { accountTypeId, nickname }, config));
  },
});

export const listAccountRequests = forUsers({
  id: 'listAccountRequests',
  area: 'Finance',
  title: 'List my account open requests',
  description: 'Lists the caller’s requests, newest first.',
  method: 'GET',
  path: '/v1/account-requests',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.AccountOpenRequestList,
  refuses: [],
  async handle({ caller, query, db }) {
    return byId.page(
      query,
      (before, most) => accountRequestsOf.all(db, { user: caller.id, before, most }),
      accountRequestView,
    );
  },
});

export const getAccountRequest = forUsers({
  id: 'getAccountRequest',
  area: 'Finance',
  title: 'Get account open request',
  description: 'Returns one of the caller’s requests.',
  method: 'GET',
  path: '/v1/account-requests/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.AccountOpenRequest,
  refuses: [],
  beyond: true,
  async handle({ caller, params: { id }, db }) {
    return accountRequestView(found(await accountRequestOf.first(db, { id, user: caller.id })));
  },
});

export const withdrawAccountRequest = forUsers({
  id: 'withdrawAccountRequest',
  area: 'Finance',
  title: 'Withdraw account open request',
  description: 'Withdraws a pending request.',
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
  async handle(call, services) {
    const request = found(await accountRequestOf.first(call.db, { ...call.params, user: call.caller.id }));
    return accountRequestView(await decideOnRequest(call, request, 'withdraw', null, services));
  },
});

/** In the order of the documentation. */
export const operations = [
  submitAccountRequest,
  listAccountRequests,
  getAccountRequest,
  withdrawAccountRequest,
];
