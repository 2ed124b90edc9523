/** Where a user's messages go. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../../domain/ids.ts';
import { query } from '../../../rows/query.ts';
import type { TableRow } from '../../../rows/table-columns.ts';
import type { User } from '../../../schema/identity.ts';

/** The address of a user, and the language to write in. */
export function mailAddressOf(
  db: EntityManager,
  user: UserId,
): Promise<Pick<TableRow<typeof User>, 'email' | 'locale'> | undefined> {
  return query(db).selectFrom('users').select(['email', 'locale']).where('id', '=', user).executeTakeFirst();
}
