/** How fast announcements go out: as fast as they can, and while somebody pays a few at a time, with pauses in which payments have the machine. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as wait } from 'node:timers/promises';
import { paymentsUnderWay } from '../../../db/queries/notifications/deliveries.ts';

/** Pauses are so many times as long as the work before them. */
const PAUSE_SHARE = 4;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

/** How much a round does. */
export interface Pace {
  readonly most: number;
  readonly atOnce: number;
}

const QUIET: Pace = { most: 200, atOnce: 24 };
const BESIDE_PAYMENTS: Pace = { most: 8, atOnce: 2 };

/** Does a round at the pace of the moment. Answers whether there may be more at once. */
export async function paced(
  em: () => EntityManager,
  round: (pace: Pace) => Promise<number>,
  isStopping: () => boolean,
): Promise<boolean> {
  const { busy } = await paymentsUnderWay.one(em());
  const pace = busy ? BESIDE_PAYMENTS : QUIET;
  const begun = performance.now();
  const found = await round(pace);
  if (busy && found > 0 && !isStopping()) await giveWay(performance.now() - begun);
  return found === pace.most;
}

/** Leaves the machine to payments, after so much work. */
export async function giveWay(workedMilliseconds: number): Promise<void> {
  await wait(Math.min(LONGEST_PAUSE_MILLISECONDS, PAUSE_SHARE * workedMilliseconds));
}
