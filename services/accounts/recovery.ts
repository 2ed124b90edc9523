/** How the process of a request to open an account is found and started again once it is lost. */
import type { Config } from '../../config.ts';
import { accountRequestOf, type AccountRequestRow } from '../../db/queries/accounts/account-requests.ts';
import { overdueAccountRequests } from '../../db/queries/platform/overdue.ts';
import type { AccountRequestOrder } from '../../domain/accounts/account-requests.ts';
import { AccountRequestId } from '../../domain/ids.ts';
import { accountRequestProcess } from '../../workflows/account-request/process.ts';
import type { Recovery } from '../platform/recovery.ts';

const HOUR_SECONDS = 3_600;

/** A request that waits for its review. */
export const accountRequestRecovery = (config: Config): Recovery<AccountRequestOrder> => ({
  process: accountRequestProcess,
  async orderOf(db, id) {
    const request = await accountRequestOf.first(db, { id: AccountRequestId.parse(id), user: null });
    return request?.status === 'pending' ? orderOf(request, config) : undefined;
  },
  overdue: (db, page) => overdueAccountRequests.all(db, { ...page, remindSeconds: remindSeconds(config) }),
  atTime: 'wakes',
});

/** What the process of a request starts with. */
export function orderOf(
  { id, userId }: Pick<AccountRequestRow, 'id' | 'userId'>,
  config: Config,
): AccountRequestOrder {
  return { id, customerId: userId, remindSeconds: remindSeconds(config) };
}

function remindSeconds(config: Config): number {
  return config.ACCOUNT_REQUEST_REMINDER_HOURS * HOUR_SECONDS;
}
