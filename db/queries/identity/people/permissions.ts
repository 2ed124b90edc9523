/** Who may do what, and who may come in: the changes are functions of the database, which ask anew who may make them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../../domain/ids.ts';
import { USER_STATUSES } from '../../../../domain/identity/people.ts';
import type { RefusalCode } from '../../../../domain/refusals.ts';
import { id, oneOf, text, textArray } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, type TableRow } from '../../../rows/table-columns.ts';
import { User, type UserPermission } from '../../../schema/identity.ts';

/** A refusal, with the action that is missing if that is why; both null if it was done. */
const verdict = <Code extends RefusalCode = never>(...others: readonly Code[]) => ({
  refusal: oneOf(['not_found', 'same_person', 'permission_not_held', ...others]).nullable(),
  missing: text().nullable(),
});

/** The actions of somebody before and after; null if it was refused. */
const change = { before: textArray().nullable(), after: textArray().nullable() };
const whom = { actor: id<UserId>(), target: id<UserId>() };

/** An action that somebody holds. `grantedBy` is null if it was granted by command. */
export type HeldPermission = Pick<TableRow<typeof UserPermission>, 'action' | 'grantedBy' | 'grantedAt'>;

/** What somebody holds, in alphabetical order. */
export function permissionsOf(db: EntityManager, id: UserId): Promise<HeldPermission[]> {
  return query(db)
    .selectFrom('user_permissions')
    .select(['action', 'grantedBy', 'grantedAt'])
    .where('userId', '=', id)
    .orderBy('action')
    .execute();
}

/** A person with their role and what they hold, in alphabetical order. */
export const standingOf = statement({
  name: 'standingOf',
  takes: columnsOf(User, 'id'),
  gives: {
    ...columnsOf(User, 'id', 'email', 'firstName', 'lastName', 'role', 'status'),
    actions: textArray(),
  },
  sql: `
    select id, email, first_name, last_name, role, status,
           array(select p.action from user_permissions p where p.user_id = u.id order by p.action) as actions
      from users u where u.id = $id`,
});

/** True where there is such a user. */
export async function userExists(db: EntityManager, id: UserId): Promise<boolean> {
  const found = await query(db).selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** Grants actions; those that are held stay. */
export const grantPermissions = statement({
  name: 'grantPermissions',
  takes: { ...whom, actions: textArray() },
  gives: { ...verdict('not_an_admin'), ...change },
  sql: 'select * from permissions_grant($actor, $target, $actions)',
});

/** Takes actions away; those that are not held do not matter. */
export const revokePermissions = statement({
  name: 'revokePermissions',
  takes: { ...whom, actions: textArray() },
  gives: { ...verdict(), ...change },
  sql: 'select * from permissions_revoke($actor, $target, $actions)',
});

/** Makes a customer an administrator with these actions. */
export const promote = statement({
  name: 'promote',
  takes: { ...whom, actions: textArray() },
  gives: verdict('already_an_admin', 'conflict'),
  sql: 'select * from user_promote($actor, $target, $actions)',
});

/** Lets somebody in again, or keeps them out. There is no status before if there is no such user. */
export const setStatus = statement({
  name: 'setStatus',
  takes: { ...whom, wanted: oneOf(['active', 'blocked']) },
  gives: { ...verdict(), before: oneOf(USER_STATUSES).nullable(), after: oneOf(USER_STATUSES) },
  sql: 'select * from user_set_status($actor, $target, $wanted)',
});
