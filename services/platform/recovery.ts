/**
 * Processes that were lost (terminated by an operator, or gone with a Temporal restored from an older state) are started again from
 * their rows: by whoever decides on the row, and by the watch of the workers once time should have moved it on.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UpdateDefinition } from '@temporalio/common';
import type { Process, Refused } from '../../domain/process.ts';
import type { Processes } from './processes.ts';

/** Which overdue rows to look at: in the order of their ids, from after `after`. */
export interface OverduePage {
  readonly lateSeconds: number;
  readonly most: number;
  readonly after: string | null;
}

/** What a kind of process declares to be recovered. Its steps are safe to repeat. */
export interface Recovery<Input> {
  readonly process: Process<Input>;
  /** What a process for this row starts with; undefined if the row is closed or unknown. */
  orderOf(db: EntityManager, id: string): Promise<Input | undefined>;
  /** Ids of open rows that time should have moved on so many seconds ago: their process is late, or lost. */
  overdue(db: EntityManager, page: OverduePage): Promise<readonly { readonly id: string }[]>;
  /**
   * What whoever moves the clock of the bank does about rows that are due by it: wakes the process, which sleeps until then, or waits for
   * a process that has just begun. Nothing if this is missing.
   */
  readonly atTime?: 'wakes' | 'waits';
}

/** Starts the process of this row if the row is open and no run of it goes on. */
export async function recover<Input>(
  { process, orderOf }: Recovery<Input>,
  { db, processes }: { readonly db: EntityManager; readonly processes: Pick<Processes, 'restart'> },
  id: string,
): Promise<'started' | 'runs' | 'closed'> {
  const order = await orderOf(db, id);
  if (order === undefined) return 'closed';
  return (await processes.restart(process, order)) ? 'started' : 'runs';
}

/** What a process answers. One that is lost although its row is open is started again, and asked once more. */
export async function orRecovered<Input, Answer>(
  recovery: Recovery<Input>,
  deps: { readonly db: EntityManager; readonly processes: Pick<Processes, 'restart'> },
  id: string,
  ask: () => Promise<Answer | 'ended'>,
): Promise<Answer | 'ended'> {
  const answer = await ask();
  if (answer !== 'ended' || (await recover(recovery, deps, id)) === 'closed') return answer;
  return ask();
}

/** As `Processes.decide`, and a process that is lost although its row is open is started again first. */
export function decideOrRecover<Input, Answer extends object, Decision>(
  recovery: Recovery<Input>,
  deps: { readonly db: EntityManager; readonly processes: Pick<Processes, 'decide' | 'restart'> },
  id: string,
  update: UpdateDefinition<Answer | Refused, [Decision]>,
  decision: Decision,
  updateId?: string,
): Promise<Answer | 'ended'> {
  return orRecovered(recovery, deps, id, () =>
    deps.processes.decide(recovery.process, id, update, decision, updateId),
  );
}
