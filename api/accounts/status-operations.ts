/** Blocking, closing and flagging accounts at the back office. */
import { z } from 'zod';
import { record } from '../../db/queries/platform/audit.ts';
import { setAccountLimits } from '../../db/ledger/accounts.ts';
import { lockAccount, type AdminAccountRow } from '../../db/queries/accounts/accounts-admin.ts';
import { lowerLimits, type AccountLimits } from '../../domain/accounts/accounts.ts';
import { AccountId } from '../../domain/ids.ts';
import { limitsOf } from './types/views.ts';
import { forAdmins } from '../declaration/operation.ts';
import { anothersAccount, detailOf, someAccount } from './detail.ts';
import * as wire from './admin-schemas.ts';
import { flagAccount, unflagAccount } from '../../services/accounts/flags.ts';
import { changeStatus, releaseHeld, tellWaiting } from '../../services/accounts/status.ts';
import { limitsView } from './views.ts';

const params = z.strictObject({ id: AccountId });

export const setAccountStatus = forAdmins({
  id: 'setAccountStatus',
  area: 'Admin finance',
  title: 'Close, block, or unblock account',
  description:
    'Closing cancels what waits to leave the account; blocking is shown to the processes that wait on it. `blocked` refuses debits and takes credits. `closed` is for ever, and only for an account with nothing in it; transfers that wait to leave it are cancelled. A frozen account is unfrozen by clearing its flag.',
  method: 'PATCH',
  path: '/v1/admin/accounts/{id}/status',
  permission: 'accounts:write',
  params,
  body: wire.AccountStatusRequest,
  status: 200,
  answer: wire.AdminAccountDetail,
  effect: 'own_transactions',
  refuses: ['account_closed', 'account_frozen', 'account_flagged', 'account_not_empty', 'same_person'],
  async handle(request, services) {
    const {
      params: { id },
      caller,
      body,
      db,
    } = request;
    await changeStatus(await anothersAccount(db, id, caller), { ...body, role: 'admin' }, request, services);
    return detailOf(db, id);
  },
});

export const setLimitsOfAccount = forAdmins({
  id: 'setAccountLimits',
  area: 'Admin finance',
  title: 'Set limits of account',
  description:
    'Gives one account limits of its own. What is left out stays. The account then differs from its type. What is left out stays as it is.',
  method: 'PATCH',
  path: '/v1/admin/accounts/{id}/limits',
  effect: 'transaction',
  permission: 'accounts:write',
  params,
  body: wire.AccountLimitsRequest,
  status: 200,
  answer: wire.AdminAccountDetail,
  refuses: ['account_closed', 'overdraft_in_use', 'same_person'],
  beyond: true,
  async handle({ caller, params: { id }, body, db, requestId, client }) {
    // two changes of different limits follow one another
    await lockAccount.run(db, { id });
    const before = await anothersAccount(db, id, caller);
    await setAccountLimits(db, id, limitsOf(body, limitsBefore(before), before.asset));
    const after = await someAccount(db, id);
    await record(db, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'account.limited',
      subjectType: 'account',
      subjectId: id,
      before: limitsView(before),
      after: limitsView(after),
      reason: body.reason,
      requestId,
      address: client.address,
    });
    return detailOf(db, id);
  },
});

export const raiseAmlFlag = forAdmins({
  id: 'raiseAmlFlag',
  area: 'Admin finance',
  title: 'Raise AML flag on account',
  description:
    'Raises a flag: transfers from the account are held for review. With `freeze` nothing moves at all. Another administrator clears it. With `freeze` over an open flag the account is frozen under that flag.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/accounts/{id}/aml-flag',
  permission: 'aml:review',
  params,
  body: wire.AmlFlagRequest,
  status: 201,
  answer: wire.AdminAccountDetail,
  effect: 'own_transactions',
  refuses: ['account_closed', 'account_flagged'],
  beyond: true,
  async handle(request, services) {
    const {
      params: { id },
      body,
      db,
    } = request;
    await someAccount(db, id);
    await flagAccount(id, body, request);
    if (body.freeze) await tellWaiting(db, id, 'frozen', services);
    return detailOf(db, id);
  },
});

export const clearAmlFlag = forAdmins({
  id: 'clearAmlFlag',
  area: 'Admin finance',
  title: 'Clear AML flag on account',
  description:
    'Clears the open flag. Not by who raised it, froze under it, or owns the account. What it held goes on.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/accounts/{id}/aml-flag/clear',
  permission: 'aml:review',
  params,
  body: wire.AmlClearRequest,
  status: 200,
  answer: wire.AdminAccountDetail,
  effect: 'own_transactions',
  refuses: ['account_not_flagged', 'same_person'],
  async handle(request, services) {
    const {
      caller,
      params: { id },
      body,
      db,
    } = request;
    await someAccount(db, id);
    const cleared = await unflagAccount(id, body.reason, request);
    await releaseHeld(db, id, { by: caller.id, reason: body.reason, id: cleared.id }, services);
    await tellWaiting(db, id, cleared.after, services);
    return detailOf(db, id);
  },
});

function limitsBefore({ asset, overdraftLimit, maxBalance }: AdminAccountRow): AccountLimits {
  const { overdraft, minimum } = lowerLimits({ minor: overdraftLimit, asset });
  return { overdraftLimit: overdraft.minor, minBalance: minimum.minor, maxBalance };
}

/** In the order of the documentation. */
export const operations = [setAccountStatus, setLimitsOfAccount, raiseAmlFlag, clearAmlFlag];
