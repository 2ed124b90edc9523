/** Changes that wait for a second administrator: asked for, found, decided. Only functions of the database end them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CHANGE_ENDS } from '../../../domain/changes.ts';
import type { ChangeId, UserId } from '../../../domain/ids.ts';
import { boolean, id, integer, oneOf, text, textArray, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { PendingChange } from '../../schema/platform.ts';

/** The columns of a change. */
export const change = columnsOf(
  PendingChange,
  'id',
  'operation',
  'permission',
  'resourceType',
  'resourceId',
  'etag',
  'request',
  'requestMac',
  'before',
  'after',
  'concerns',
  'requestedBy',
  'createdAt',
  'expiresAt',
  'status',
  'decidedBy',
  'decidedAt',
  'decisionReason',
  'failure',
);
/** A change with all that is known of it. */
export type ChangeRow = RowOf<typeof change>;

/** Reads changes; `c` is their table. */
export const CHANGES = `select ${selectList(change, 'c')} from pending_changes c`;

/** Writes a change down. Nothing is written if one of this resource by this operation waits, also one made at the same moment. */
export const insertChange = statement({
  name: 'insertChange',
  takes: {
    ...columnsOf(PendingChange, 'id', 'operation', 'permission', 'resourceType', 'resourceId', 'etag'),
    ...columnsOf(PendingChange, 'request', 'requestMac', 'before', 'after', 'concerns', 'requestedBy'),
    expiresInSeconds: integer(),
  },
  gives: {},
  sql: `
    insert into pending_changes (id, operation, permission, resource_type, resource_id, etag, request, request_mac,
        before, after, concerns, requested_by, expires_at)
    values ($id, $operation, $permission, $resourceType, $resourceId, $etag, $request, $requestMac,
        $before, $after, $concerns, $requestedBy, bank_now() + make_interval(secs => $expiresInSeconds::integer))
    on conflict do nothing`,
});

/** The open changes of a resource by an operation, or by this maker and the operation with any of these requests. */
export const openChangesLike = statement({
  name: 'openChangesLike',
  takes: columnsOf(PendingChange, 'operation', 'resourceType', 'resourceId', 'requestedBy'),
  gives: change,
  sql: `${CHANGES} where c.operation = $operation and c.status = 'open'
    and ((c.resource_type = $resourceType and c.resource_id = $resourceId) or c.requested_by = $requestedBy)
    order by c.id`,
});

/** One change. */
export const changeById = statement({
  name: 'changeById',
  takes: columnsOf(PendingChange, 'id'),
  gives: change,
  sql: `${CHANGES} where c.id = $id`,
});

/** Whether anybody could approve what this maker asks for. */
export const hasChecker = statement({
  name: 'hasChecker',
  takes: {
    ...columnsOf(PendingChange, 'permission', 'concerns'),
    maker: id<UserId>(),
  },
  gives: { found: boolean() },
  sql: 'select exists (select from checkers_for($maker, $permission, $concerns)) as found',
});

/** The administrators who could approve a change. */
export const checkersOf = statement({
  name: 'checkersOf',
  takes: columnsOf(PendingChange, 'id'),
  gives: columnsOf(User, 'id', 'email', 'locale'),
  sql: `
    select k.id, k.email, k.locale from pending_changes c
      cross join lateral checkers_for(c.requested_by, c.permission, c.concerns) k
     where c.id = $id order by k.id`,
});

const REFUSALS = ['not_found', 'already_decided', 'conflict', 'forbidden', 'same_person'] as const;
const ending = {
  change: id<ChangeId>(),
  wanted: oneOf(CHANGE_ENDS),
  decider: id<UserId>().nullable(),
};
const verdict = { refusal: oneOf(REFUSALS).nullable() };

/** Why a change may not end so; null if it may. It stays locked until the transaction ends. */
export const changeRefusal = statement({
  name: 'changeRefusal',
  takes: ending,
  gives: verdict,
  sql: 'select change_refusal($change, $wanted, $decider) as refusal',
});

/** Ends a change, or says why it may not end so. */
export const endChange = statement({
  name: 'endChange',
  takes: { ...ending, reason: text().nullable(), failure: text().nullable() },
  gives: verdict,
  sql: 'select change_end($change, $wanted, $decider, $reason, $failure) as refusal',
});

/** Whoever asked for a change, as they are now; none if they may not come in any more, or may not do it. */
export const makerOf = statement({
  name: 'makerOf',
  takes: columnsOf(PendingChange, 'id'),
  gives: { ...columnsOf(User, 'id', 'locale'), permissions: textArray() },
  sql: `
    select u.id, u.locale,
           (select coalesce(array_agg(p.action), '{}') from user_permissions p where p.user_id = u.id) as permissions
      from pending_changes c join users u on u.id = c.requested_by
     where c.id = $id and u.status = 'active' and u.role = 'admin'
       and exists (select from user_permissions p where p.user_id = u.id and p.action = c.permission)`,
});

const deadlines = statement({
  name: 'deadlinesOfChange',
  takes: { id: change.id, remindSeconds: integer() },
  gives: { expires: integer(), reminds: integer(), ageSeconds: integer() },
  sql: `
    select ceil(extract(epoch from expires_at - bank_now()))::int as expires,
           ceil(extract(epoch from
             coalesce(reminded_at, created_at) + make_interval(secs => $remindSeconds::integer) - bank_now()))::int as reminds,
           floor(extract(epoch from bank_now() - created_at))::int as age_seconds
      from pending_changes where id = $id`,
});

/** When an open change is next to be looked at, in seconds; `due` says that it expires or that its checkers are reminded now. */
export async function changeClock(
  db: EntityManager,
  id: ChangeId,
  remindSeconds: number,
): Promise<{ due: 'expiry' | 'reminder' | null; againInSeconds: number; ageSeconds: number }> {
  const { expires, reminds, ageSeconds } = await deadlines.one(db, { id, remindSeconds });
  if (expires <= 0) return { due: 'expiry', againInSeconds: 0, ageSeconds };
  if (reminds <= 0) return { due: 'reminder', againInSeconds: Math.min(expires, remindSeconds), ageSeconds };
  return { due: null, againInSeconds: Math.min(expires, reminds), ageSeconds };
}

/** Notes that the checkers are reminded now. */
export const noteChangeReminder = statement({
  name: 'noteChangeReminder',
  takes: { id: change.id },
  gives: {},
  sql: 'update pending_changes set reminders = reminders + 1, reminded_at = bank_now() where id = $id',
});
