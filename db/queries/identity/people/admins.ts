/** What only a command may do, as the owner of the tables: give rights that nobody has granted. */
import { textArray } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { UserPermission } from '../../../schema/identity.ts';

/** Grants actions; those that are held stay. Returns the new ones. */
export const grantAsOwner = statement({
  name: 'grantAsOwner',
  takes: { ...columnsOf(UserPermission, 'userId'), actions: textArray() },
  gives: columnsOf(UserPermission, 'action'),
  sql: `
    insert into user_permissions (user_id, action) select $userId, unnest($actions::text[])
    on conflict do nothing returning action`,
});
