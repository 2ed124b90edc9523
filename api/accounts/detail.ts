/** Looking an account up at the back office. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { openFlag } from '../../db/ledger/account-status.ts';
import {
  adminAccountById,
  openHolds,
  type AdminAccountRow,
} from '../../db/queries/accounts/accounts-admin.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import type * as wire from './admin-schemas.ts';
import { adminAccountDetailView } from './admin-views.ts';

const MOST_HOLDS = 100;

/** A customer's account, whoever's. Refuses not_found, for the bank's own too. */
export async function someAccount(db: EntityManager, id: AccountId): Promise<AdminAccountRow> {
  const account = await adminAccountById.first(db, { id });
  if (account === undefined) throw new Refusal('not_found');
  return account;
}

/** A customer's account, of anybody but the caller: nobody decides on their own. Refuses not_found, same_person. */
export async function anothersAccount(
  db: EntityManager,
  id: AccountId,
  caller: { readonly id: UserId },
): Promise<AdminAccountRow> {
  const account = await someAccount(db, id);
  if (account.ownerId === caller.id) throw new Refusal('same_person');
  return account;
}

/** The account as the detail shows it, at this moment. */
export async function detailOf(
  db: EntityManager,
  id: AccountId,
): Promise<z.input<typeof wire.AdminAccountDetail>> {
  const account = await someAccount(db, id);
  const flag = account.flagged ? await openFlag.first(db, { accountId: id }) : undefined;
  return adminAccountDetailView(account, flag, await openHolds.all(db, { account: id, most: MOST_HOLDS }));
}
