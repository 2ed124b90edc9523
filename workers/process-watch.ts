/** Looks after what time should have moved on: its process is late, or was lost and is started again from its row. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { forgetRefusedStart, isPutOff } from '../db/queries/platform/refused-starts.ts';
import { isRefusal } from '../domain/refusals.ts';
import type { Processes } from '../services/platform/processes.ts';
import { recover, type Recovery } from '../services/platform/recovery.ts';
import { noteRefused } from '../services/platform/starting.ts';
import { withEachRecovery } from '../services/recoveries.ts';

const PAGE = 100;
const PAGES_A_LOOK = 10;

export interface ProcessWatchDeps {
  readonly processes: Pick<Processes, 'restart'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
  readonly config: Config;
}

/** One look at every kind of process. Never throws. */
export function processWatch(deps: ProcessWatchDeps, lateSeconds: number): () => Promise<void> {
  const looks = withEachRecovery(deps.config, (recovery) => watch(recovery, deps, lateSeconds));
  return async () => {
    for (const look of looks) await look();
  };
}

/**
 * One look at one kind. It goes on where the last one stopped, so that rows which cannot be helped hide no others, tries those more and
 * more rarely, and ends for now when the database or Temporal is away.
 */
function watch<Input>(
  recovery: Recovery<Input>,
  { processes, em, log }: ProcessWatchDeps,
  lateSeconds: number,
): () => Promise<void> {
  const { process } = recovery;
  let after: string | null = null;

  const lookAfter = async (id: string): Promise<void> => {
    const db = em();
    const workflowId = process.workflowId(id);
    const { putOff } = await isPutOff.one(db, { workflowId });
    if (putOff) return;
    try {
      const found = await recover(recovery, { db, processes }, id);
      await forgetRefusedStart.run(db, { workflowId });
      if (found === 'started')
        log.warn({ process: process.name, id }, 'a process was lost; it is started again');
    } catch (err) {
      if (isRefusal(err) && err.code === 'unavailable') throw err;
      log.error(
        { process: process.name, id, alert: 'process_not_recovered', err },
        'a late process could not be started again',
      );
      await noteRefused({ em, log }, { workflowId, process: process.name }, err);
    }
  };

  return async () => {
    try {
      for (let page = 0; page < PAGES_A_LOOK; page++) {
        const late = await recovery.overdue(em(), { lateSeconds, most: PAGE, after });
        for (const { id } of late) {
          await lookAfter(id);
          after = id;
        }
        if (late.length === PAGE) continue;
        after = null;
        return;
      }
    } catch (err) {
      log.warn({ err, process: process.name }, 'late processes could not be looked after');
    }
  };
}
