/** What decides whether somebody may open an account. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { AccountType } from '../../schema/accounts.ts';
import { User } from '../../schema/identity.ts';

/** What the customer has proven, 0 to 2. */
export async function kycLevelOf(db: EntityManager, user: UserId): Promise<number> {
  const found = await query(db)
    .selectFrom('users')
    .select('kycLevel')
    .where('id', '=', user)
    .executeTakeFirst();
  return found?.kycLevel ?? 0;
}

/** The type's terms and what of them this customer meets; none if there is no such type or no such customer. */
export const openingTerms = statement({
  name: 'openingTerms',
  takes: { owner: columnsOf(User, 'id').id, type: columnsOf(AccountType, 'id').id },
  gives: {
    ...columnsOf(AccountType, 'enabled', 'openableBy', 'kycLevelRequired'),
    ...columnsOf(User, 'kycLevel'),
  },
  sql: `
    select t.enabled, t.openable_by, t.kyc_level_required, u.kyc_level
      from account_types t, users u where t.id = $type and u.id = $owner`,
});
