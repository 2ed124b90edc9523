/** What an owner may change on an account: its nickname, and that there is one. */
import { z } from 'zod';
import { accountOf } from '../../db/queries/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { renameAccount } from '../../services/accounts/nickname.ts';
import { closeOwnAccount } from '../../services/accounts/status.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { accountDetailView } from './views.ts';

const params = z.strictObject({ id: AccountId });

export const updateAccount = forUsers({
  id: 'updateAccount',
  area: 'Finance',
  title: 'Rename account',
  description: 'Changes the nickname of an account, or removes it.',
  method: 'PATCH',
  path: '/v1/accounts/{id}',
  effect: 'transaction',
  params,
  body: wire.AccountUpdateRequest,
  status: 200,
  answer: wire.UserAccountDetail,
  refuses: ['account_closed'],
  beyond: true,
  async handle(request) {
    return accountDetailView(await renameAccount(request, request.params.id, request.body.nickname));
  },
});

export const closeAccount = forUsers({
  id: 'closeAccount',
  area: 'Finance',
  title: 'Close account',
  description:
    'Closes an account for good. The account must be empty. Transfers that wait to leave it are cancelled first.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/accounts/{id}/close',
  stepUp: true,
  params,
  status: 200,
  answer: wire.UserAccountDetail,
  effect: 'own_transactions',
  refuses: ['account_blocked', 'account_not_empty'],
  beyond: true,
  async handle(request, services) {
    const {
      caller,
      params: { id },
      db,
    } = request;
    await closeOwnAccount(request, id, services);
    return accountDetailView(await accountOf.one(db, { id, owner: caller.id }));
  },
});

/** In the order of the documentation. */
export const operations = [updateAccount, closeAccount];
