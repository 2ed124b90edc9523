/** An account as the back office looks into it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { openFlag } from '../../db/ledger/account-status.ts';
import { adminAccountById, openHolds } from '../../db/queries/accounts/accounts-admin.ts';
import type { AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type * as wire from './admin-schemas.ts';
import { adminAccountDetailView } from './admin-views.ts';

const MOST_HOLDS = 100;

/** A customer's account with its open flag and its holds, at this moment. */
export async function detailOf(
  db: EntityManager,
  id: AccountId,
): Promise<z.output<typeof wire.AdminAccountDetail>> {
  const account = found(await adminAccountById.first(db, { id }));
  const flag = account.flagged ? await openFlag.first(db, { accountId: id }) : undefined;
  return adminAccountDetailView(account, flag, await openHolds.all(db, { account: id, most: MOST_HOLDS }));
}
