/** What decides whether somebody may open an account. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { OpeningTerms } from '../../../domain/accounts.ts';
import type { AccountTypeId, UserId } from '../../../domain/ids.ts';
import { row } from '../../sql.ts';

/** What the customer has proven, 0 to 2. */
export async function kycLevelOf(em: EntityManager, user: UserId): Promise<number> {
  const found = await row<{ level: number }>(em, `select u.kyc_level as level from users u where u.id = $1`, [
    user,
  ]);
  return found?.level ?? 0;
}

/** The type's terms and what of them this customer meets; undefined where there is no such type or no such customer. */
export function openingTerms(
  em: EntityManager,
  owner: UserId,
  type: AccountTypeId,
): Promise<OpeningTerms | undefined> {
  return row(
    em,
    `select t.enabled, t.openable_by as "openableBy", t.kyc_level_required as "kycLevelRequired", u.kyc_level as "kycLevel"
       from account_types t, users u where t.id = $1 and u.id = $2`,
    [type, owner],
  );
}
