/** The outbox of processes: a start recorded in the transaction of the rows it is about, and carried out after the commit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Process, ProcessStart } from '../../../domain/process.ts';
import { bigCount, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { OutboxEntry, ProcessUpdate } from '../../schema/platform.ts';

/** What a process kind says about starting with this input. */
export function startOf<Input>(process: Process<Input>, input: Input): ProcessStart {
  return {
    workflowId: process.workflowId(process.idOf(input)),
    name: process.name,
    type: process.type,
    summary: process.summary(input),
    customer: process.customerOf?.(input) ?? null,
    input,
  };
}

const MESSAGE = 'message';

/** A call that may launch processes; `trace` is its `traceparent`, if it is traced. */
interface LaunchingCall {
  readonly requestId: string;
  readonly trace: string | null;
}

const launches = new AsyncLocalStorage<LaunchingCall & { any: boolean }>();

/**
 * Does `act` for a call, and then calls `after` where it launched something, whatever became of it: most calls do not, and need not
 * look.
 */
export async function afterLaunches<T>(
  call: LaunchingCall,
  act: () => Promise<T>,
  after: () => void,
): Promise<T> {
  const launched = { ...call, any: false };
  try {
    return await launches.run(launched, act);
  } finally {
    if (launched.any) after();
  }
}

const insertStart = statement({
  name: 'insertStart',
  takes: columnsOf(OutboxEntry, 'workflowId', 'process', 'input'),
  gives: {},
  sql: `
    insert into process_outbox (workflow_id, process, input) values ($workflowId, $process, $input)
    on conflict (workflow_id) do nothing`,
});

/** As `startOf`, for a process that the call under way begins. */
export function startInCall<Input>(process: Process<Input>, input: Input): ProcessStart {
  const { requestId = null, trace = null } = launches.getStore() ?? {};
  return { ...startOf(process, input), requestId, trace };
}

/** Records that this process shall run. Needs the caller's transaction: without the rows there must be no process. */
export async function launch<Input>(db: EntityManager, process: Process<Input>, input: Input): Promise<void> {
  if (!db.isInTransaction())
    throw new Error('launch needs the transaction of the rows that the process is about');
  const start = startInCall(process, input);
  await insertStart.run(db, { workflowId: start.workflowId, process: start.name, input: start });
  noteLaunch();
}

/** Says that the call under way has left something in the outbox. */
export function noteLaunch(): void {
  const within = launches.getStore();
  if (within !== undefined) within.any = true;
}

const NEVER_REFUSED = 'not exists (select from refused_starts r where r.workflow_id = o.workflow_id)';

const oldestStarts = statement({
  name: 'oldestStarts',
  takes: { most: bigCount(), first: text() },
  gives: columnsOf(OutboxEntry, 'input'),
  sql: `
    select input from (
      (select input, created_at, 1 as turn from process_outbox o where process = $first and ${NEVER_REFUSED}
        order by created_at limit $most)
      union all
      (select input, created_at, 2 as turn from process_outbox o where process <> $first and ${NEVER_REFUSED}
        order by created_at limit $most)
      union all
      (select o.input, r.due_at, 3 as turn from refused_starts r join process_outbox o on o.workflow_id = r.workflow_id
        where r.due_at <= (select bank_now()) order by r.due_at limit $most)) s
     order by turn, created_at limit $most`,
});

/**
 * The oldest starts not yet carried out, messages before all others: somebody waits for a code, nobody for the payments of a day. What
 * Temporal has refused before comes last, and only once it is due again, so that it never keeps another one waiting.
 */
export async function pendingStarts(db: EntityManager, most: number): Promise<ProcessStart[]> {
  const found = await oldestStarts.all(db, { most, first: MESSAGE });
  return found.map(({ input }) => input);
}

/** The start of one process, where it is not yet carried out. */
export const pendingStart = statement({
  name: 'pendingStart',
  takes: columnsOf(OutboxEntry, 'workflowId'),
  gives: columnsOf(OutboxEntry, 'input'),
  sql: 'select input from process_outbox where workflow_id = $workflowId',
});

/** Forgets a start that Temporal has acknowledged, and that it had refused it before. */
export const forgetStart = statement({
  name: 'forgetStart',
  takes: columnsOf(OutboxEntry, 'workflowId'),
  gives: {},
  sql: `
    with refused as (delete from refused_starts where workflow_id = $workflowId)
    delete from process_outbox where workflow_id = $workflowId`,
});

const update = columnsOf(ProcessUpdate, 'workflowId', 'updateId', 'name', 'input');
/** What a process has to hear: an Update of Temporal. `updateId` makes it hear a repeat once. */
export type PendingUpdate = RowOf<typeof update>;

const insertUpdate = statement({
  name: 'insertUpdate',
  takes: update,
  gives: {},
  sql: `
    insert into process_updates (workflow_id, update_id, name, input) values ($workflowId, $updateId, $name, $input)
    on conflict (workflow_id, update_id) do nothing`,
});

/** Records that a process shall hear something. Needs the caller's transaction: what it names must be there when it looks. */
export async function tellLater(db: EntityManager, told: PendingUpdate): Promise<void> {
  if (!db.isInTransaction()) throw new Error('what a process is told needs the transaction of its rows');
  await insertUpdate.run(db, told);
}

/** Updates that are due, oldest first. Each is put off, so that one that does not get through hides no other: a second, two, four, at most five minutes. */
export const claimUpdates = statement({
  name: 'claimUpdates',
  takes: { most: bigCount() },
  gives: update,
  sql: `
    with due as materialized (
      select workflow_id, update_id from process_updates where due_at <= (select bank_now())
       order by attempts >= 10, due_at limit $most for update skip locked)
    update process_updates u
       set attempts = u.attempts + 1, due_at = bank_now() + make_interval(secs => least(300, power(2, least(u.attempts, 9))))
      from due where u.workflow_id = due.workflow_id and u.update_id = due.update_id
    returning ${selectList(update, 'u')}`,
});

/** Forgets what a process has heard. */
export const forgetUpdate = statement({
  name: 'forgetUpdate',
  takes: columnsOf(ProcessUpdate, 'workflowId', 'updateId'),
  gives: {},
  sql: 'delete from process_updates where workflow_id = $workflowId and update_id = $updateId',
});
