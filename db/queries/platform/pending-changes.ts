/** Changes that wait for a second administrator: asked for, found, decided. Only functions of the database end them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CHANGE_ENDS, type ChangeStatus } from '../../../domain/changes.ts';
import { ChangeId, UserId } from '../../../domain/ids.ts';
import { bigCount, boolean, id, integer, oneOf, text, textArray, type RowOf } from '../../rows/columns.ts';
import { composedStatement, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { PendingChange } from '../../schema/platform.ts';

const change = columnsOf(
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

const SELECT = `select ${selectList(change, 'c')} from pending_changes c`;

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
        $before, $after, $concerns, $requestedBy, now() + make_interval(secs => $expiresInSeconds::integer))
    on conflict do nothing`,
});

/** The open changes of a resource by an operation, or by this maker and the operation with any of these requests. */
export const openChangesLike = statement({
  name: 'openChangesLike',
  takes: columnsOf(PendingChange, 'operation', 'resourceType', 'resourceId', 'requestedBy'),
  gives: change,
  sql: `${SELECT} where c.operation = $operation and c.status = 'open'
    and ((c.resource_type = $resourceType and c.resource_id = $resourceId) or c.requested_by = $requestedBy)
    order by c.id`,
});

/** One change. */
export const changeById = statement({
  name: 'changeById',
  takes: columnsOf(PendingChange, 'id'),
  gives: change,
  sql: `${SELECT} where c.id = $id`,
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

/** Which changes a list or a count shows; what is left out does not narrow. */
export interface ChangeFilter {
  readonly status?: ChangeStatus | undefined;
  readonly operation?: string | undefined;
  /** The type and the id, or the id alone. */
  readonly resource?: { readonly type?: string | undefined; readonly id: string } | undefined;
  /** Words of the maker's name. */
  readonly maker?: string | undefined;
  /** Shown to somebody who holds these permissions. */
  readonly reader: { readonly id: UserId; readonly permissions: readonly string[] };
}

/** Visible to the maker, to whoever holds the operation's permission, and to whoever may read things of its kind. */
function narrowed({ status, operation, resource, maker, reader }: ChangeFilter, bind: Bind): string {
  const held = bind(reader.permissions);
  const conditions = [
    `(c.requested_by = ${bind(reader.id)} or c.permission = any(${held}::text[])
      or split_part(c.permission, ':', 1) || ':read' = any(${held}::text[]))`,
  ];
  if (status !== undefined) conditions.push(`c.status = ${bind(status)}`);
  if (operation !== undefined) conditions.push(`c.operation = ${bind(operation)}`);
  if (resource !== undefined) conditions.push(`c.resource_id = ${bind(resource.id)}`);
  if (resource?.type !== undefined) conditions.push(`c.resource_type = ${bind(resource.type)}`);
  if (maker !== undefined)
    conditions.push(
      `strpos((select search_form(u.first_name || ' ' || u.last_name) from users u where u.id = c.requested_by), search_form(${bind(maker)})) > 0`,
    );
  return conditions.join(' and ');
}

const NEWEST = ChangeId.parse('ffffffff-ffff-ffff-ffff-ffffffffffff');
const nobody = { id: UserId.parse(NEWEST), permissions: [] };
const FILTERS: readonly ChangeFilter[] = [
  { reader: nobody },
  {
    status: 'open',
    operation: 'setAccountLimits',
    resource: { type: 'account', id: NEWEST },
    maker: 'ann',
    reader: nobody,
  },
];

/** A page of changes, newest first. */
export const changes = composedStatement({
  name: 'changes',
  gives: change,
  compose: (
    page: { readonly filter: ChangeFilter; readonly before: ChangeId | null; readonly most: number },
    bind,
  ) => `${SELECT} where ${narrowed(page.filter, bind)} and c.id < ${bind(page.before ?? NEWEST)}
     order by c.id desc limit ${bind(page.most)}`,
  examples: FILTERS.map((filter) => ({ filter, before: null, most: 1 })),
});

/** How many changes there are, by status. */
export const countChanges = composedStatement({
  name: 'countChanges',
  gives: { ...columnsOf(PendingChange, 'status'), count: bigCount() },
  compose: (filter: ChangeFilter, bind) =>
    `select c.status, count(*) from pending_changes c where ${narrowed(filter, bind)} group by c.status`,
  examples: FILTERS,
});

const deadlines = statement({
  name: 'deadlinesOfChange',
  takes: { id: change.id, remindSeconds: integer() },
  gives: { expires: integer(), reminds: integer(), ageSeconds: integer() },
  sql: `
    select ceil(extract(epoch from expires_at - now()))::int as expires,
           ceil(extract(epoch from
             coalesce(reminded_at, created_at) + make_interval(secs => $remindSeconds::integer) - now()))::int as reminds,
           floor(extract(epoch from now() - created_at))::int as age_seconds
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
  sql: 'update pending_changes set reminders = reminders + 1, reminded_at = now() where id = $id',
});
