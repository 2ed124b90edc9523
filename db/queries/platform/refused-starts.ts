/** Processes that Temporal refuses to start though it can be reached: too large, not valid, in a namespace that does not exist. */
import { bigCount, boolean, integer, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { RefusedStart } from '../../schema/platform.ts';

/** After so many attempts, some twenty minutes, a start is set aside: it is tried once an hour, and people have to look at it. */
export const SET_ASIDE_AFTER = 10;

/** Writes down that a start was refused, and puts it off: two seconds, four, eight, at most an hour. */
export const noteRefusedStart = statement({
  name: 'noteRefusedStart',
  takes: columnsOf(RefusedStart, 'workflowId', 'process', 'failure'),
  gives: columnsOf(RefusedStart, 'attempts'),
  sql: `
    insert into refused_starts as r (workflow_id, process, failure, due_at)
      values ($workflowId, $process, $failure, next_attempt(1))
    on conflict (workflow_id) do update
       set failure = excluded.failure, attempts = r.attempts + 1, last_at = bank_now(), due_at = next_attempt(r.attempts + 1)
    returning attempts`,
});

/** Whether this start was refused and is not to be tried yet. */
export const isPutOff = statement({
  name: 'isPutOff',
  takes: columnsOf(RefusedStart, 'workflowId'),
  gives: { putOff: boolean() },
  sql: `
    select exists (select from refused_starts where workflow_id = $workflowId and due_at > (select bank_now())) as put_off`,
});

/** The process runs, or its row needs it no more. */
export const forgetRefusedStart = statement({
  name: 'forgetRefusedStart',
  takes: columnsOf(RefusedStart, 'workflowId'),
  gives: {},
  sql: 'delete from refused_starts where workflow_id = $workflowId',
});

const refused = columnsOf(
  RefusedStart,
  'workflowId',
  'process',
  'failure',
  'attempts',
  'firstAt',
  'lastAt',
  'dueAt',
);
/** A start that Temporal has refused. */
export type RefusedStartRow = RowOf<typeof refused>;

/** A page in the order of their ids, from after `after`. */
export const refusedStarts = statement({
  name: 'refusedStarts',
  takes: { after: text().nullable(), most: bigCount() },
  gives: refused,
  sql: `
    select ${selectList(refused, 'r')} from refused_starts r
     where workflow_id > coalesce($after, '') order by workflow_id limit $most`,
});

/** How many wait for another attempt, and how many were set aside. */
export const countRefusedStarts = statement({
  name: 'countRefusedStarts',
  takes: { setAsideAfter: integer() },
  gives: { refused: bigCount(), setAside: bigCount() },
  sql: `
    select count(*) filter (where attempts < $setAsideAfter) as refused,
           count(*) filter (where attempts >= $setAsideAfter) as set_aside
      from refused_starts`,
});
