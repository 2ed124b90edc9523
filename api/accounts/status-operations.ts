/** Blocking, closing and flagging accounts at the back office. */
import { z } from 'zod';
import { AccountId } from '../../domain/ids.ts';
import { flagAccount, unflagAccount } from '../../services/accounts/flags.ts';
import { limitAccount, limitsFourEyes } from '../../services/accounts/limits.ts';
import { changeStatus } from '../../services/accounts/status.ts';
import { forAdmins } from '../declaration/operation.ts';
import { patchOf } from '../wire/rows.ts';
import * as wire from './admin-schemas.ts';
import { detailOf } from './detail.ts';

const params = z.strictObject({ id: AccountId });

export const setAccountStatus = forAdmins({
  id: 'setAccountStatus',
  area: 'Admin finance',
  title: 'Close, block, or unblock account',
  description:
    'Sets the status. `blocked` refuses debits and takes credits. `closed` is final and needs an account with nothing in it; transfers that wait to leave it are cancelled first. To unfreeze a frozen account, clear its flag.',
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
    const { params, body, db } = request;
    await changeStatus(request, params.id, body, services);
    return detailOf(db, params.id);
  },
});

export const setLimitsOfAccount = forAdmins({
  id: 'setAccountLimits',
  area: 'Admin finance',
  title: 'Set limits of account',
  description:
    'Gives one account limits of its own, which then differ from those of its type. A limit that is left out stays as it is. More room, such as a higher overdraft, waits for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/accounts/{id}/limits',
  effect: 'transaction',
  permission: 'accounts:write',
  fourEyes: limitsFourEyes,
  params,
  body: wire.AccountLimitsRequest,
  status: 200,
  answer: wire.AdminAccountDetail,
  refuses: ['account_closed', 'overdraft_in_use', 'same_person'],
  beyond: true,
  async handle(request) {
    const { params, body, db } = request;
    const { reason, ...wanted } = body;
    await limitAccount(request, params.id, patchOf(wanted), reason);
    return detailOf(db, params.id);
  },
});

export const raiseAmlFlag = forAdmins({
  id: 'raiseAmlFlag',
  area: 'Admin finance',
  title: 'Raise AML flag on account',
  description:
    'Raises an AML flag: transfers from the account are held for review. With `freeze` nothing moves at all; if a flag is open already, the account is frozen under that flag. Another administrator has to clear the flag.',
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
    const { params, body, db } = request;
    await flagAccount(request, params.id, body, services);
    return detailOf(db, params.id);
  },
});

export const clearAmlFlag = forAdmins({
  id: 'clearAmlFlag',
  area: 'Admin finance',
  title: 'Clear AML flag on account',
  description:
    'Clears the open flag; the transfers that it held continue. Refused for the administrator who raised the flag or froze the account under it, and for the owner of the account.',
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
    const { params, body, db } = request;
    await unflagAccount(request, params.id, body.reason, services);
    return detailOf(db, params.id);
  },
});

/** In the order of the documentation. */
export const operations = [setAccountStatus, setLimitsOfAccount, raiseAmlFlag, clearAmlFlag];
