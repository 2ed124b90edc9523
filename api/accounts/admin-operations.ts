/** Customers' accounts at the back office: find, count, look into, open for somebody. */
import { z } from 'zod';
import { adminAccountById, allAccounts, countAccounts } from '../../db/queries/accounts/accounts-admin.ts';
import { transfersOfAccount } from '../../db/queries/transfers/transfers.ts';
import { AccountId, TransferId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { keysetById } from '../wire/cursor.ts';
import { forAdmins } from '../declaration/operation.ts';
import { AdminTransferList } from '../transfers/schemas.ts';
import { adminTransferView } from '../transfers/views.ts';
import { CountResponse } from '../wire/shapes.ts';
import * as wire from './admin-schemas.ts';
import { adminAccountView } from './admin-views.ts';
import { detailOf } from './detail.ts';
import { openFor } from '../../services/accounts/opening.ts';

const byId = keysetById('all-accounts', AccountId);
const byTransfer = keysetById('account-transfers', TransferId);
const params = z.strictObject({ id: AccountId });

export const listAccountsAsAdmin = forAdmins({
  id: 'listAccountsAsAdmin',
  area: 'Admin finance',
  title: 'List accounts',
  description:
    'Lists customers’ accounts, newest first. The list can be narrowed to a customer, status, type, currency, number or IBAN, and to unarranged overdrafts.',
  method: 'GET',
  path: '/v1/admin/accounts',
  effect: 'read',
  permission: 'accounts:read',
  query: byId.query({ ...wire.search }),
  status: 200,
  answer: wire.AdminAccountList,
  refuses: [],
  async handle({ db, query }) {
    const { user_id: owner, account_type_id: type, currency: asset, ...rest } = query;
    const { status, number, iban, unarranged } = rest;
    const filter = { owner, type, asset, status, number, iban, unarranged };
    return byId.page(
      query,
      (before, most) => allAccounts.all(db, { filter, before, most }),
      adminAccountView,
    );
  },
});

export const countAccountsAsAdmin = forAdmins({
  id: 'countAccounts',
  area: 'Admin finance',
  title: 'Count accounts',
  description: 'Counts customers’ accounts, in total and by status.',
  method: 'GET',
  path: '/v1/admin/accounts/count',
  effect: 'read',
  permission: 'accounts:read',
  query: z.strictObject(wire.narrowing),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ db, query: { status, account_type_id: type, currency: asset } }) {
    const counts = await countAccounts.all(db, { status, type, asset });
    return {
      count: counts.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(counts.map((row) => [row.status, row.count])),
    };
  },
});

export const openAccountForUser = forAdmins({
  id: 'openAccountForUser',
  area: 'Admin finance',
  title: 'Open account for user',
  description:
    'Opens an account for a customer, also of a type that customers cannot open themselves. The customer must have reached the KYC level of the type.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/accounts',
  effect: 'transaction',
  permission: 'accounts:write',
  body: wire.OpenAccountForUserRequest,
  status: 201,
  answer: wire.AdminAccountDetail,
  refuses: ['account_type_unavailable', 'kyc_required', 'same_person'],
  async handle(request, { config }) {
    const { user_id: owner, account_type_id: type, nickname = null } = request.body;
    // what is openable by request would be opened without anybody's review
    if (owner === request.caller.id) throw request.refusal('same_person');
    const id = AccountId.parse(request.newId);
    await openFor(request, { id, owner, type, nickname }, 'admin', config);
    return detailOf(request.db, id);
  },
});

export const getAccountAsAdmin = forAdmins({
  id: 'getAccountAsAdmin',
  area: 'Admin finance',
  title: 'Get account detail',
  description: 'Returns an account with its owner, limits, holds and open flag.',
  method: 'GET',
  path: '/v1/admin/accounts/{id}',
  effect: 'read',
  permission: 'accounts:read',
  params,
  status: 200,
  answer: wire.AdminAccountDetail,
  refuses: [],
  async handle({ params: { id }, db }) {
    return detailOf(db, id);
  },
});

export const listAccountTransfers = forAdmins({
  id: 'listAccountTransfers',
  area: 'Admin finance',
  title: 'List account transfers',
  description: 'Lists transfers, adjustments and reversals from or to an account, newest first.',
  method: 'GET',
  path: '/v1/admin/accounts/{id}/transfers',
  effect: 'read',
  permission: 'transfers:read',
  params,
  query: byTransfer.query({}),
  status: 200,
  answer: AdminTransferList,
  refuses: [],
  async handle({ params: { id }, query, db }, { config }) {
    const account = found(await adminAccountById.first(db, { id })).id;
    return byTransfer.page(
      query,
      (before, most) => transfersOfAccount.all(db, { account, before, most }),
      (transfer) => adminTransferView(transfer, config),
    );
  },
});

/** In the order of the documentation. */
export const operations = [
  listAccountsAsAdmin,
  countAccountsAsAdmin,
  openAccountForUser,
  getAccountAsAdmin,
  listAccountTransfers,
];
