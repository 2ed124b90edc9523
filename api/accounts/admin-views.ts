/** Accounts as the back office sees them. */
import type { z } from 'zod';
import type { AmlFlagRow } from '../../db/ledger/account-status.ts';
import type { AdminAccountRow, OpenHoldRow } from '../../db/queries/accounts/accounts-admin.ts';
import { formatMoney } from '../../domain/money.ts';
import type * as wire from './admin-schemas.ts';
import { accountView, limitsView } from './views.ts';

export function adminAccountView(account: AdminAccountRow): z.input<typeof wire.AdminAccount> {
  return {
    ...accountView(account),
    owner: { id: account.ownerId, name: account.ownerName, email: account.ownerEmail },
    flagged: account.flagged,
  };
}

export function adminAccountDetailView(
  account: AdminAccountRow,
  flag: AmlFlagRow | undefined,
  holds: readonly OpenHoldRow[],
): z.input<typeof wire.AdminAccountDetail> {
  return {
    ...adminAccountView(account),
    ...limitsView(account),
    closed_at: account.closedAt?.toISOString() ?? null,
    aml_flag:
      flag === undefined
        ? null
        : {
            id: flag.id,
            raised_by: flag.raisedBy,
            reason: flag.reason,
            frozen: flag.frozen,
            frozen_by: flag.frozenBy,
            raised_at: flag.raisedAt.toISOString(),
          },
    holds: holds.map((hold) => ({
      id: hold.id,
      amount: formatMoney({ minor: hold.amount, asset: account.asset }),
      transfer_id: hold.sourceType === 'transfer' ? hold.sourceId : null,
      created_at: hold.createdAt.toISOString(),
    })),
  };
}
