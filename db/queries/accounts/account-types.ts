/** The account types, page by page. */
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import type { AccountTypeId } from '../../../domain/ids.ts';
import { AccountType } from '../../schema/accounts.ts';

/** The types that fit, in the order of their ids, from behind `after`. */
export function typesAfter(
  db: EntityManager,
  fit: FilterQuery<AccountType>,
  after: AccountTypeId | null,
  most: number,
): Promise<AccountType[]> {
  const beyond = after === null ? {} : { id: { $gt: after } };
  return db.find(AccountType, { $and: [fit, beyond] }, { orderBy: { id: 'asc' }, limit: most });
}
