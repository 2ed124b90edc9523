/** Customers' accounts at the back office: find, count, look into, open for somebody. */
import { z } from 'zod';
import { allAccounts, countAccounts } from '../../db/queries/accounts/accounts-admin.ts';
import { transfersOfAccount } from '../../db/queries/transfers/transfers.ts';
import { AccountId, TransferId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { keyset } from '../wire/cursor.ts';
import { forAdmins } from '../declaration/operation.ts';
import { AdminTransferList } from '../transfers/schemas.ts';
import { adminTransferView } from '../transfers/views.ts';
import { CountResponse, pageQuery } from '../wire/shapes.ts';
import * as wire from './admin-schemas.ts';
import { adminAccountView } from './admin-views.ts';
import { detailOf, someAccount } from './detail.ts';
import { openFor } from '../../services/accounts/opening.ts';

const byId = keyset<AccountId>('all-accounts', AccountId);
const byTransfer = keyset<TransferId>('account-transfers', TransferId);
const params = z.strictObject({ id: AccountId });

export const listAccountsAsAdmin = forAdmins({
  id: 'listAccountsAsAdmin',
  area: 'Admin finance',
  title: 'List accounts',
  description: 'Customers’ accounts, newest first; by customer, status, type, currency, number or IBAN.',
  method: 'GET',
  path: '/v1/admin/accounts',
  effect: 'read',
  permission: 'accounts:read',
  query: z.strictObject({ ...pageQuery(byId), ...wire.search }),
  status: 200,
  answer: wire.AdminAccountList,
  refuses: [],
  async handle({ db, query }) {
    const { user_id: owner, account_type_id: type, currency: asset, status, number, iban } = query;
    const filter = { owner, type, asset, status, number, iban };
    const found = await allAccounts.all(db, {
      filter,
      before: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(found, query.limit, (account) => account.id, adminAccountView);
  },
});

export const countAccountsAsAdmin = forAdmins({
  id: 'countAccounts',
  area: 'Admin finance',
  title: 'Count accounts',
  description: 'How many accounts there are, in all and by status.',
  method: 'GET',
  path: '/v1/admin/accounts/count',
  effect: 'read',
  permission: 'accounts:read',
  query: z.strictObject(wire.narrowing),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ db, query: { status, account_type_id: type, currency: asset } }) {
    const found = await countAccounts.all(db, { status, type, asset });
    return {
      count: found.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(found.map((row) => [row.status, row.count])),
    };
  },
});

export const openAccountForUser = forAdmins({
  id: 'openAccountForUser',
  area: 'Admin finance',
  title: 'Open account for user',
  description:
    'Opens an account for a customer who is identified enough, also of a type that customers cannot open themselves.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/accounts',
  effect: 'transaction',
  permission: 'accounts:write',
  body: wire.OpenAccountForUserRequest,
  status: 201,
  answer: wire.AdminAccountDetail,
  refuses: ['account_type_unavailable', 'kyc_level_too_low', 'same_person'],
  async handle(request, { config }) {
    const { caller, body, db, newId } = request;
    // what is openable by request would be opened without anybody's review
    if (body.user_id === caller.id) throw new Refusal('same_person');
    const id = AccountId.parse(newId);
    const wish = { type: body.account_type_id, nickname: body.nickname ?? null };
    await openFor({ id, owner: body.user_id, ...wish }, 'admin', request, config);
    return detailOf(db, id);
  },
});

export const getAccountAsAdmin = forAdmins({
  id: 'getAccountAsAdmin',
  area: 'Admin finance',
  title: 'Get account detail',
  description: 'An account with its owner, limits, holds and open flag.',
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
  description: 'Transfers, adjustments and reversals from or to an account, newest first.',
  method: 'GET',
  path: '/v1/admin/accounts/{id}/transfers',
  effect: 'read',
  permission: 'transfers:read',
  params,
  query: z.strictObject(pageQuery(byTransfer)),
  status: 200,
  answer: AdminTransferList,
  refuses: [],
  async handle({ params: { id }, query, db }, { config }) {
    await someAccount(db, id);
    const found = await transfersOfAccount.all(db, {
      account: id,
      before: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byTransfer.page(
      found,
      query.limit,
      (transfer) => transfer.id,
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
