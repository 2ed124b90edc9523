/** Trying a rule out on the bank's own past, part by part, so that no payment waits for it. */
import { setTimeout as wait } from 'node:timers/promises';
import { backtestPart, type BacktestPart } from '../../db/queries/aml/backtests.ts';
import { UserId } from '../../domain/ids.ts';
import type { Call } from '../callers.ts';
import { throwIfCostly } from './rules.ts';

/** A part takes about a second, so the statement's time-out is far away. */
const PART = 20_000;
const SAMPLES = 10;
const BUSY_MILLISECONDS = 200;
/** Whoever waits longer for another backtest comes again. */
const MOST_WAITS = 25;

type Found = NonNullable<BacktestPart['found']>;
/** What a rule would have found: samples are the newest. */
export interface Backtest {
  readonly movements: number;
  readonly customers: number;
  /** How many of the movements that it finds have a flag already, of whatever rule. */
  readonly flagged: number;
  readonly days: Found['days'];
  readonly samples: Found['samples'];
}

/** What is tried, and on which time. */
export interface Past {
  readonly rule: { readonly condition: Record<string, unknown> };
  readonly since: Date;
  readonly before: Date;
}

/** What a rule would have found between two moments. A rule that would be refused for going live is refused here too. */
export async function backtest(
  call: Pick<Call<'rule_too_costly' | 'unavailable'>, 'db' | 'refusal'>,
  past: Past,
): Promise<Backtest> {
  await throwIfCostly(call, past.rule);
  let place = { customer: UserId.parse('00000000-0000-0000-0000-000000000000'), at: new Date(0), seq: 0 };
  let known: UserId | null = null;
  let sum: Backtest = { movements: 0, customers: 0, flagged: 0, days: [], samples: [] };
  for (;;) {
    const part = await nextPart(call, { ...past, ...place, known, most: PART });
    const { looked, customer, at, seq, found } = part;
    if (found !== null) {
      sum = added(sum, looked ?? 0, found);
      known = found.last === null ? known : UserId.parse(found.last);
    }
    if (looked === null || looked < PART || customer === null || at === null || seq === null) return sum;
    place = { customer, at, seq };
  }
}

/** Somebody else may be looking: one part at a time is judged in all of the bank. */
async function nextPart(
  { db, refusal }: Parameters<typeof backtest>[0],
  wanted: Parameters<typeof backtestPart.one>[1],
): Promise<BacktestPart> {
  for (let waits = 0; waits < MOST_WAITS; waits += 1) {
    const part = await backtestPart.one(db, wanted);
    if (part.looked !== null) return part;
    await wait(BUSY_MILLISECONDS);
  }
  throw refusal('unavailable', { retryAfter: 5 });
}

function added(sum: Backtest, looked: number, found: Found): Backtest {
  const days = new Map(sum.days.map((day) => [day.day, day]));
  for (const { day, hits, not_checked: unknown } of found.days) {
    const before = days.get(day);
    days.set(day, {
      day,
      hits: hits + (before?.hits ?? 0),
      not_checked: unknown + (before?.not_checked ?? 0),
    });
  }
  return {
    movements: sum.movements + looked,
    customers: sum.customers + found.customers,
    flagged: sum.flagged + found.flagged,
    days: [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day)),
    samples: [...sum.samples, ...found.samples]
      .toSorted((one, other) => other.at.getTime() - one.at.getTime())
      .slice(0, SAMPLES),
  };
}
