/** A customer's accounts: open, list, look into. */
import { z } from 'zod';
import { accountOf, accountsOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { keyset } from '../wire/cursor.ts';
import { forUsers } from '../declaration/operation.ts';
import { pageQuery } from '../wire/shapes.ts';
import { openFor } from '../../services/accounts/opening.ts';
import * as wire from './schemas.ts';
import { accountDetailView, accountView } from './views.ts';

const byId = keyset<AccountId>('accounts', AccountId);

export const listAccounts = forUsers({
  id: 'listAccounts',
  area: 'Finance',
  title: 'List user accounts',
  description: 'Lists the caller’s accounts in the order of their opening.',
  method: 'GET',
  path: '/v1/accounts',
  effect: 'read',
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.UserAccountList,
  refuses: [],
  async handle({ caller, db, query }) {
    const found = await accountsOf.all(db, {
      owner: caller.id,
      after: query.cursor ?? null,
      most: query.limit + 1,
    });
    return byId.page(found, query.limit, (account) => account.id, accountView);
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
  refuses: ['account_type_unavailable', 'kyc_level_too_low'],
  async handle(request, { config }) {
    const { caller, body, db, newId } = request;
    const id = AccountId.parse(newId);
    const wish = { type: body.account_type_id, nickname: body.nickname ?? null };
    await openFor({ id, owner: caller.id, ...wish }, 'customer', request, config);
    const account = await accountOf.first(db, { id, owner: caller.id });
    if (account === undefined) throw new Refusal('account_type_unavailable');
    return accountView(account);
  },
});

export const getAccount = forUsers({
  id: 'getAccount',
  area: 'Finance',
  title: 'Get account details',
  description: 'One account with its limits.',
  method: 'GET',
  path: '/v1/accounts/{id}',
  effect: 'read',
  params: z.strictObject({ id: AccountId }),
  status: 200,
  answer: wire.UserAccountDetail,
  refuses: [],
  async handle({ caller, params, db, refusal }) {
    const account = await accountOf.first(db, { ...params, owner: caller.id });
    if (account === undefined) throw refusal('not_found');
    return accountDetailView(account);
  },
});

/** In the order of the documentation. */
export const operations = [listAccounts, openUserAccount, getAccount];
