/** A customer's accounts: open, list, look into. */
import { z } from 'zod';
import { accountOf, accountsOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { keysetById } from '../wire/cursor.ts';
import { forUsers } from '../declaration/operation.ts';
import { openFor } from '../../services/accounts/opening.ts';
import * as wire from './schemas.ts';
import { accountDetailView, accountView } from './views.ts';

const byId = keysetById('accounts', AccountId);

export const listAccounts = forUsers({
  id: 'listAccounts',
  area: 'Finance',
  title: 'List user accounts',
  description: 'Lists the caller’s accounts, oldest first.',
  method: 'GET',
  path: '/v1/accounts',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.UserAccountList,
  refuses: [],
  async handle({ caller, db, query }) {
    const { id: owner } = caller;
    return byId.page(query, (after, most) => accountsOf.all(db, { owner, after, most }), accountView);
  },
});

export const openUserAccount = forUsers({
  id: 'openAccount',
  area: 'Finance',
  title: 'Open account',
  description: 'Opens an account of a type that customers may open themselves.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/accounts',
  effect: 'transaction',
  stepUp: true,
  body: wire.OpenAccountRequest,
  status: 201,
  answer: wire.UserAccount,
  refuses: ['account_type_unavailable', 'kyc_required'],
  async handle(request, { config }) {
    const { account_type_id: type, nickname = null } = request.body;
    const opening = { id: AccountId.parse(request.newId), owner: request.caller.id, type, nickname };
    return accountView(await openFor(request, opening, 'customer', config));
  },
});

export const getAccount = forUsers({
  id: 'getAccount',
  area: 'Finance',
  title: 'Get account details',
  description: 'Returns one of the caller’s accounts with its limits.',
  method: 'GET',
  path: '/v1/accounts/{id}',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  status: 200,
  answer: wire.UserAccountDetail,
  refuses: [],
  async handle({ caller, params, db }) {
    return accountDetailView(found(await accountOf.first(db, { ...params, owner: caller.id })));
  },
});

/** In the order of the documentation. */
export const operations = [listAccounts, openUserAccount, getAccount];
