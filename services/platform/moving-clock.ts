/**
 * Moves the clock of the bank forward, in development only. It stops at each moment at which something falls due, wakes what waits for
 * it, and goes on once that is done: what happens is dated as if the time had passed.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import { newUuid } from '../../adapters/new-id.ts';
import { advanceClock } from '../../db/queries/platform/clock.ts';
import { nextDue, roundsDue } from '../../db/queries/platform/due.ts';
import { queueName } from '../../domain/queues.ts';
import { now, setClockAhead } from '../../domain/time/now.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../../domain/tickets/tickets.ts';
import { clockMoved } from '../../workflows/clock/contract.ts';
import { remindReviewers } from '../aml/reminders.ts';
import { releaseDueHolds } from '../ledger/holds.ts';
import { withEachRecovery } from '../recoveries.ts';
import type { Services } from '../services.ts';
import type { Recovery } from './recovery.ts';

const HOUR_SECONDS = 3_600;
const PAGE = 200;
const LOOK_MILLISECONDS = 20;
/** A step that takes longer cannot be carried out at all, or waits for a worker that is away: the clock goes on without it. */
const STEP_MILLISECONDS = 5_000;
/** Shorter than a call of the API may take. What is due after it happens all at once. */
const MOVE_MILLISECONDS = 20_000;
const ROUND_MILLISECONDS = 5_000;

/** What moving the clock needs. */
export type ClockDeps = Pick<Services, 'config' | 'cipher' | 'log' | 'processes' | 'temporal'> & {
  readonly em: () => EntityManager;
};

let moves: Promise<unknown> = Promise.resolve();

/** Moves the clock and returns the time of the bank once all that fell due is done. Two moves follow each other. */
export function moveClock(deps: ClockDeps, seconds: number): Promise<Date> {
  const moved = moves.then(() => move(deps, seconds));
  moves = moved.catch(() => undefined);
  return moved;
}

async function move(deps: ClockDeps, seconds: number): Promise<Date> {
  const { config, em } = deps;
  const waits = {
    requestRemindSeconds: config.ACCOUNT_REQUEST_REMINDER_HOURS * HOUR_SECONDS,
    changeRemindSeconds: config.CHANGE_REMINDER_HOURS * HOUR_SECONDS,
    idleDays: CLOSE_IDLE_AFTER_DAYS,
  };
  const patience = performance.now() + MOVE_MILLISECONDS;
  /** What could not be carried out, so that it is waited for once. */
  const stuck = new Set<string>();
  // what is due already would otherwise be dated at the first stop
  await wakeAll(deps, stuck);
  for (let left = seconds; left > 0;) {
    const { at } = await nextDue.one(em(), waits);
    const until = at === null ? Infinity : Math.ceil((at.getTime() - now().getTime()) / 1_000);
    const step = performance.now() > patience ? left : Math.min(left, Math.max(until, 1));
    setClockAhead((await advanceClock.one(em(), { seconds: step })).ahead);
    left -= step;
    await wakeAll(deps, stuck);
  }
  return now();
}

/** Wakes what is due until nothing is left, or what is left does not move. */
async function wakeAll(deps: ClockDeps, stuck: Set<string>): Promise<void> {
  const end = performance.now() + STEP_MILLISECONDS;
  const told = new Set<string>();
  for (;;) {
    await runRounds(deps);
    await releaseDueHolds(deps);
    await remindReviewers(deps);
    await deps.processes.relay('starts');
    const due = (await Promise.all(withEachRecovery(deps.config, (each) => dueOf(deps, each)))).flat();
    const fresh = due.filter(({ key }) => !told.has(key));
    await Promise.all(fresh.map(({ wake }) => wake()));
    for (const { key } of fresh) told.add(key);
    const awaited = due.filter(({ key }) => !stuck.has(key));
    if (awaited.length === 0) return;
    if (performance.now() > end) {
      for (const { key } of awaited) stuck.add(key);
      return;
    }
    await pause(LOOK_MILLISECONDS);
  }
}

interface Due {
  readonly key: string;
  wake(): Promise<void>;
}

async function dueOf<Input>(
  { em, processes }: ClockDeps,
  { process, overdue, atTime }: Recovery<Input>,
): Promise<Due[]> {
  if (atTime === undefined) return [];
  const rows = await overdue(em(), { lateSeconds: 0, most: PAGE, after: null });
  return rows.map(({ id }) => ({
    key: process.workflowId(id),
    async wake() {
      if (atTime === 'wakes') await processes.tell(process, id, clockMoved, { to: now().toISOString() });
    },
  }));
}

/** The rounds that schedules start, by the same workflows. */
async function runRounds({ em, config, temporal, log }: ClockDeps): Promise<void> {
  const due = await roundsDue.one(em());
  const rounds = [
    ...(due.scheduledTransfers ? ['scheduledTransfers'] : []),
    ...(due.accountFees ? ['accountFees'] : []),
  ];
  await Promise.all(
    rounds.map((type) =>
      temporal
        .within(ROUND_MILLISECONDS, () =>
          temporal.client.workflow.execute(type, {
            workflowId: `clock/${type}/${newUuid()}`,
            taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
            args: [null],
          }),
        )
        .catch((err: unknown) => {
          log.warn({ err, type }, 'a round that is due could not be run');
        }),
    ),
  );
}
