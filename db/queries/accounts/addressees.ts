/** Who is told about requests to open an account. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import type { RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { User, UserPermission } from '../../schema/identity.ts';

const addressee = columnsOf(User, 'id', 'email', 'locale');
/** Where a person is written to. */
export type Addressee = RowOf<typeof addressee>;

/** Administrators who hold this action and can log in. */
export const holdersOf = statement({
  name: 'holdersOf',
  takes: columnsOf(UserPermission, 'action'),
  gives: addressee,
  sql: `
    select ${selectList(addressee, 'u')} from user_permissions p join users u on u.id = p.user_id
     where p.action = $action and u.role = 'admin' and u.status = 'active' order by u.id`,
});

/** Where this user is written to. */
export function addresseeOf(db: EntityManager, id: UserId): Promise<Addressee | undefined> {
  return query(db)
    .selectFrom('users')
    .select(['id', 'email', 'locale'])
    .where('id', '=', id)
    .executeTakeFirst();
}
