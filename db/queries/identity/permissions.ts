/** Who may do what, and who may come in: the changes are functions of the database, which ask anew who may make them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import type { UserStatus } from '../../../domain/people.ts';
import type { RefusalCode } from '../../../domain/refusals.ts';
import { row, rows } from '../../sql.ts';

/** A refusal, with the action that is missing where that is why. */
export interface Verdict {
  readonly refusal: Extract<
    RefusalCode,
    'not_found' | 'same_person' | 'permission_not_held' | 'not_an_admin' | 'already_an_admin' | 'conflict'
  > | null;
  readonly missing: string | null;
}

/** The actions of somebody before and after; null where it was refused. */
export interface Change extends Verdict {
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
}

export interface HeldPermission {
  readonly action: string;
  /** Null: by command. */
  readonly granted_by: UserId | null;
  readonly granted_at: Date;
}

/** What somebody holds, in alphabetical order. */
export function permissionsOf(em: EntityManager, id: UserId): Promise<HeldPermission[]> {
  return rows(
    em,
    'select action, granted_by, granted_at from user_permissions where user_id = $1 order by action',
    [id],
  );
}

/** True where there is such a user. */
export async function userExists(em: EntityManager, id: UserId): Promise<boolean> {
  return (await row(em, 'select 1 from users where id = $1', [id])) !== undefined;
}

/** Grants actions; those that are held stay. */
export function grantPermissions(
  em: EntityManager,
  actor: UserId,
  target: UserId,
  actions: readonly string[],
): Promise<Change> {
  return said(row(em, 'select * from permissions_grant($1, $2, $3)', [actor, target, actions]));
}

/** Takes actions away; those that are not held do not matter. */
export function revokePermissions(
  em: EntityManager,
  actor: UserId,
  target: UserId,
  actions: readonly string[],
): Promise<Change> {
  return said(row(em, 'select * from permissions_revoke($1, $2, $3)', [actor, target, actions]));
}

/** Makes a customer an administrator with these actions. */
export function promote(
  em: EntityManager,
  actor: UserId,
  target: UserId,
  actions: readonly string[],
): Promise<Verdict> {
  return said(row(em, 'select * from user_promote($1, $2, $3)', [actor, target, actions]));
}

/** Lets somebody in again, or keeps them out. */
export function setStatus(
  em: EntityManager,
  actor: UserId,
  target: UserId,
  wanted: 'active' | 'blocked',
): Promise<Verdict & { readonly before: UserStatus; readonly after: UserStatus }> {
  return said(row(em, 'select * from user_set_status($1, $2, $3)', [actor, target, wanted]));
}

/** A function of the database answers exactly one row. */
async function said<Row>(asked: Promise<Row | undefined>): Promise<Row> {
  const answer = await asked;
  if (answer === undefined) throw new Error('the database gave no verdict');
  return answer;
}
