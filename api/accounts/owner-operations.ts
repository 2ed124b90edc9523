/** What an owner may change on an account: its nickname, and that there is one. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { record } from '../../db/queries/platform/audit.ts';
import { accountOf, renameAccount, type AccountRow } from '../../db/queries/accounts/accounts.ts';
import { AccountId, type UserId } from '../../domain/ids.ts';
import { isRefusal, Refusal } from '../../domain/refusals.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { changeStatus } from '../../services/accounts/status.ts';
import { accountDetailView } from './views.ts';

const params = z.strictObject({ id: AccountId });

export const updateAccount = forUsers({
  id: 'updateAccount',
  area: 'Finance',
  title: 'Rename account',
  description: 'Gives the account another nickname, or takes it away.',
  method: 'PATCH',
  path: '/v1/accounts/{id}',
  effect: 'transaction',
  params,
  body: wire.AccountUpdateRequest,
  status: 200,
  answer: wire.UserAccountDetail,
  refuses: ['account_closed'],
  beyond: true,
  async handle({ caller, params: { id }, refusal, body, db, requestId, client }) {
    const before = await ownAccount(db, caller.id, id);
    if (before.status === 'closed') throw refusal('account_closed');
    await renameAccount(db, id, body.nickname);
    await record(db, {
      actorId: caller.id,
      actorRole: caller.role,
      action: 'account.renamed',
      subjectType: 'account',
      subjectId: id,
      before: { nickname: before.nickname },
      after: { nickname: body.nickname },
      requestId,
      address: client.address,
    });
    return accountDetailView(await ownAccount(db, caller.id, id));
  },
});

export const closeAccount = forUsers({
  id: 'closeAccount',
  area: 'Finance',
  title: 'Close account',
  description:
    'Closes an account for ever. Transfers that wait to leave it are cancelled. Only an account with nothing in it. Transfers that wait to leave it are cancelled first.',
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
    const account = await ownAccount(db, caller.id, id);
    // why the bank has blocked or flagged it is not told: the customer may be the one it is about
    if (account.status === 'blocked') throw new Refusal('account_blocked');
    await changeStatus(
      account,
      { status: 'closed', reason: null, role: 'customer' },
      request,
      services,
    ).catch(asCustomersSee);
    return accountDetailView(await ownAccount(db, caller.id, id));
  },
});

function asCustomersSee(error: unknown): never {
  const watched = isRefusal(error) && ['account_frozen', 'account_flagged'].includes(error.code);
  throw watched ? new Refusal('account_blocked') : error;
}

async function ownAccount(db: EntityManager, owner: UserId, id: AccountId): Promise<AccountRow> {
  const account = await accountOf.first(db, { id, owner });
  if (account === undefined) throw new Refusal('not_found');
  return account;
}

/** In the order of the documentation. */
export const operations = [updateAccount, closeAccount];
