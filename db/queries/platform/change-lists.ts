/** Changes that wait for a second administrator, or waited for one, as their readers list and count them. */
import type { ChangeStatus } from '../../../domain/changes.ts';
import { ChangeId, UserId } from '../../../domain/ids.ts';
import { bigCount } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, type Bind } from '../../rows/composed.ts';
import { change, CHANGES } from './pending-changes.ts';

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

const NEWEST = ChangeId.parse(LAST_ID);
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
  ) => `${CHANGES} where ${narrowed(page.filter, bind)} and c.id < ${bind(page.before ?? NEWEST)}
     order by c.id desc limit ${bind(page.most)}`,
  examples: FILTERS.map((filter) => ({ filter, before: null, most: 1 })),
});

/** How many changes there are, by status. */
export const countChanges = composedStatement({
  name: 'countChanges',
  gives: { status: change.status, count: bigCount() },
  compose: (filter: ChangeFilter, bind) =>
    `select c.status, count(*) from pending_changes c where ${narrowed(filter, bind)} group by c.status`,
  examples: FILTERS,
});
