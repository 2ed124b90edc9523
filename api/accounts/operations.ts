/** A customer's accounts: open, list, look into. */
import { z } from 'zod';
import { accountOf, accountsOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { keyset } from '../cursor.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../wire.ts';
import { openFor } from './opening.ts';
import * as wire from './schemas.ts';
import { accountDetailView, accountView } from './views.ts';

const byId = keyset<AccountId>('accounts', AccountId);

/** Lists the caller's accounts in the order of their opening. */
export const listAccounts = operation({
  id: 'listAccounts',
  area: 'Finance',
  title: 'List user accounts',
  method: 'GET',
  path: '/v1/accounts',
  auth: 'user',
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

/** Opens an account of a type that customers may open themselves. */
export const openUserAccount = operation({
  id: 'openAccount',
  area: 'Finance',
  title: 'Open account',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/accounts',
  auth: 'user',
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

/** One account with its limits. */
export const getAccount = operation({
  id: 'getAccount',
  area: 'Finance',
  title: 'Get account details',
  method: 'GET',
  path: '/v1/accounts/{id}',
  auth: 'user',
  params: z.strictObject({ id: AccountId }),
  status: 200,
  answer: wire.UserAccountDetail,
  refuses: [],
  async handle({ caller, params, db }) {
    const account = await accountOf.first(db, { ...params, owner: caller.id });
    if (account === undefined) throw new Refusal('not_found');
    return accountDetailView(account);
  },
});
