/** What the service does by the clock: each a Temporal Schedule, seen and paused in the Web UI. */
import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type ScheduleOptions } from '@temporalio/client';
import type { ScheduleSpec } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Temporal } from '../adapters/temporal.ts';
import { searchAttributes } from '../workflows/search-attributes.ts';

const CALL_MILLISECONDS = 5_000;
const RETRY_SECONDS = 5;

/** A process that time starts. Its workflow takes no input: what is due, it finds in the database. */
export interface Schedule {
  /** `account-fees`; the schedule's id, and the beginning of its runs' ids. */
  readonly id: string;
  /** Name of the workflow function in workflows/index.ts. */
  readonly type: string;
  readonly spec: ScheduleSpec;
  /** One line for the Web UI. */
  readonly note: string;
}

/**
 * Brings Temporal's schedules to what the code says, again and again until Temporal has answered. Several workers may do it at
 * once. A run that is missed while the service is down is made up for once it is back; two never run at once.
 */
export function keepSchedules(
  schedules: readonly Schedule[],
  deps: { temporal: Temporal; taskQueue: string; arePaused: boolean; log: Logger },
): { stop(): Promise<void> } {
  const { temporal, taskQueue, arePaused, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const attempt = async (): Promise<void> => {
    try {
      for (const schedule of schedules) await bring(temporal, optionsOf(schedule, { taskQueue, arePaused }));
    } catch (err) {
      log.warn({ err }, 'the schedules could not be set yet');
      if (!stopped) timer = setTimeout(() => void attempt(), RETRY_SECONDS * 1_000);
    }
  };
  const first = attempt();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await first;
    },
  };
}

async function bring(temporal: Temporal, options: ScheduleOptions): Promise<void> {
  const { schedule } = temporal.client;
  await temporal.within(CALL_MILLISECONDS, async () => {
    try {
      await schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const { spec, action, policies } = options;
      // whether it is paused, and why, is the operators' matter
      await schedule
        .getHandle(options.scheduleId)
        .update(({ state }) => ({ spec, action, ...(policies === undefined ? {} : { policies }), state }));
    }
  });
}

function optionsOf(
  { id, type, spec, note }: Schedule,
  { taskQueue, arePaused }: { readonly taskQueue: string; readonly arePaused: boolean },
): ScheduleOptions {
  return {
    scheduleId: id,
    spec,
    action: {
      type: 'startWorkflow',
      workflowType: type,
      workflowId: id,
      // sealed: nobody but us starts such a run
      args: [null],
      taskQueue,
      staticSummary: note,
      typedSearchAttributes: [
        { key: searchAttributes.process, value: id },
        { key: searchAttributes.status, value: 'started' },
      ],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '7 days' },
    state: { note, paused: arePaused },
  };
}
