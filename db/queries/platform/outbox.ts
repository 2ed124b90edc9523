/** The outbox of processes: a start recorded in the transaction of the rows it is about, and carried out after the commit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Process } from '../../../domain/process.ts';
import { row, rows } from '../../sql.ts';

/** All that is needed to start a process, whatever its kind. */
export interface ProcessStart {
  readonly workflowId: string;
  readonly name: string;
  readonly type: string;
  readonly summary: string;
  readonly customer: string | null;
  readonly input: unknown;
}

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

const launches = new AsyncLocalStorage<{ any: boolean }>();

/** Does `act`, and then calls `after` where it launched something, whatever became of it: most calls do not, and need not look. */
export async function afterLaunches<T>(act: () => Promise<T>, after: () => void): Promise<T> {
  const launched = { any: false };
  try {
    return await launches.run(launched, act);
  } finally {
    if (launched.any) after();
  }
}

/** Records that this process shall run. Needs the caller's transaction: without the rows there must be no process. */
export async function launch<Input>(em: EntityManager, process: Process<Input>, input: Input): Promise<void> {
  if (!em.isInTransaction())
    throw new Error('launch needs the transaction of the rows that the process is about');
  const start = startOf(process, input);
  await rows(
    em,
    'insert into process_outbox (workflow_id, process, input) values ($1, $2, $3) on conflict (workflow_id) do nothing',
    [start.workflowId, start.name, JSON.stringify(start)],
  );
  const within = launches.getStore();
  if (within !== undefined) within.any = true;
}

/** The oldest starts not yet carried out, messages before all others: somebody waits for a code, nobody for the payments of a day. */
export async function pendingStarts(em: EntityManager, limit: number): Promise<ProcessStart[]> {
  const found = await rows<{ input: ProcessStart }>(
    em,
    `select input from (
       (select input, created_at, 1 as turn from process_outbox where process = $2 order by created_at limit $1) union all
       (select input, created_at, 2 as turn from process_outbox where process <> $2 order by created_at limit $1)) s
      order by turn, created_at limit $1`,
    [limit, MESSAGE],
  );
  return found.map((entry) => entry.input);
}

/** The start of one process, where it is not yet carried out. */
export async function pendingStart(em: EntityManager, workflowId: string): Promise<ProcessStart | undefined> {
  const found = await row<{ input: ProcessStart }>(
    em,
    'select input from process_outbox where workflow_id = $1',
    [workflowId],
  );
  return found?.input;
}

/** Forgets a start that Temporal has acknowledged. */
export async function forgetStart(em: EntityManager, workflowId: string): Promise<void> {
  await rows(em, 'delete from process_outbox where workflow_id = $1', [workflowId]);
}
