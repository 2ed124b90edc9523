/** Accounts as the back office sees them. */
import type { z } from 'zod';
import type { AmlFlagRow } from '../../db/ledger/account-status.ts';
import type { AdminAccountRow, OpenHoldRow } from '../../db/queries/accounts/accounts-admin.ts';
import { maskedEmail } from '../../domain/identity/personal-data.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './admin-schemas.ts';
import { accountDetailView, accountView } from './views.ts';

const flagView = viewOf(wire.AmlFlag);

export function adminAccountView(account: AdminAccountRow): z.output<typeof wire.AdminAccount> {
  return {
    ...accountView(account),
    status: account.status,
    owner: { id: account.ownerId, name: account.ownerName, email: maskedEmail(account.ownerEmail) },
    flagged: account.flagged,
  };
}

export function adminAccountDetailView(
  account: AdminAccountRow,
  flag: AmlFlagRow | undefined,
  holds: readonly OpenHoldRow[],
): z.output<typeof wire.AdminAccountDetail> {
  return {
    ...accountDetailView(account),
    ...adminAccountView(account),
    aml_flag: flag === undefined ? null : flagView(flag),
    holds: holds.map((hold) => ({
      id: hold.id,
      amount: { minor: hold.rest, asset: account.asset },
      source: hold.sourceType,
      transfer_id: hold.sourceType === 'transfer' ? hold.sourceId : null,
      created_at: hold.createdAt,
      expires_at: hold.expiresAt,
    })),
  };
}
