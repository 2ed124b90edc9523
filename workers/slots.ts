/** How many activities a worker process runs at once, by queue. */
import type { Queue } from '../domain/queues.ts';

/** Connections for what the process does beside Temporal: the outbox, the rail's files, sweeps, the watch. */
const FOR_ROUNDS = 2;
/** Transfers are opened in batches, one batch at a time, however many ask. */
const FOR_OPENINGS = 1;
/** Of the other connections, money gets as many as both other queues together. */
const SHARES: Readonly<Record<Queue, number>> = { money: 2, outside: 1, housekeeping: 1 };

/**
 * Divides the connections of the pool among the queues of one process: an activity that finds no connection would burn its time-out
 * waiting for one, so there are never more activities than connections. With the usual pool of 16 and all three queues: 2 for rounds,
 * 1 for openings, 6 for money, 3 each for outside and housekeeping. A queue has one slot at least.
 */
export function slotsOf(mine: readonly Queue[], poolMax: number): ReadonlyMap<Queue, number> {
  const shares = mine.reduce((sum, queue) => sum + SHARES[queue], 0);
  const left = poolMax - FOR_ROUNDS - (mine.includes('money') ? FOR_OPENINGS : 0);
  return new Map(mine.map((queue) => [queue, Math.max(1, Math.floor((left * SHARES[queue]) / shares))]));
}

/**
 * Divides the slots of money between what runs within workflow tasks, which is over in a moment, and what waits for a task of its own.
 * What hangs within a task leaves it after two seconds (workflows/movement-steps.ts), and never takes the slots of the others.
 */
export function withinTasks(slots: number): { readonly within: number; readonly apart: number } {
  return { within: Math.ceil(slots / 2), apart: Math.max(1, Math.floor(slots / 2)) };
}
