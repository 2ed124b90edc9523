/** A model of limit counters: what is used in each period, added up from the uses. It knows nothing of the database. */

/** Moments are whole hours since half past some hour of the bank, so that none is near the end of a day. */
export interface ModelClock {
  /** Milliseconds since 1970. */
  readonly begin: number;
  hours: number;
}

export interface Use {
  readonly source: string;
  readonly hours: number;
  amount: bigint;
}

const HOUR_MILLISECONDS = 3_600_000;
const ROLLING = { PT24H: 24, P7D: 7 * 24, P30D: 30 * 24 } as const;
/** Every kind of period: of the calendar, for ever, and rolling windows. */
export const PERIODS = ['day', 'week', 'month', 'ever', 'PT24H', 'P7D', 'P30D'] as const;
export type Period = (typeof PERIODS)[number];

export interface Rule {
  readonly period: Period | 'transaction';
  readonly amount?: bigint;
  readonly count?: number;
}

/** The limits of an account whose asset has this many minor units. Amounts of the model are up to 600 of them. */
export const rulesOf = (unit: bigint): readonly Rule[] => [
  { period: 'transaction', amount: 500n * unit },
  { period: 'PT24H', amount: 700n * unit },
  { period: 'day', count: 3 },
  { period: 'week', amount: 1_300n * unit },
  { period: 'P7D', count: 6 },
  { period: 'month', amount: 2_000n * unit },
];

export const momentOf = ({ begin }: ModelClock, hours: number): Date =>
  new Date(begin + hours * HOUR_MILLISECONDS);

const berlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' });

/** The name of the calendar's period that a moment lies in. */
function named(period: 'day' | 'week' | 'month', moment: Date): string {
  const day = berlin.format(moment);
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  // days since the week began, on Monday
  return String(date.getTime() - ((date.getUTCDay() + 6) % 7) * 24 * HOUR_MILLISECONDS);
}

function isIn(period: Period, use: Use, clock: ModelClock): boolean {
  if (period === 'ever') return true;
  if (period === 'day' || period === 'week' || period === 'month')
    return named(period, momentOf(clock, use.hours)) === named(period, momentOf(clock, clock.hours));
  // a window leaves out what lies exactly its length before
  return clock.hours - use.hours < ROLLING[period];
}

/** What is used in the period of now. */
export function usedIn(
  period: Period,
  uses: readonly Use[],
  clock: ModelClock,
): { amount: bigint; uses: number } {
  const within = uses.filter((use) => isIn(period, use, clock));
  return { amount: within.reduce((sum, { amount }) => sum + amount, 0n), uses: within.length };
}

/** The first rule that one more use would pass, and what is used of it. */
export function passedBy(
  wanted: bigint,
  uses: readonly Use[],
  unit: bigint,
  clock: ModelClock,
): { period: string; used: bigint } | null {
  for (const { period, amount, count } of rulesOf(unit)) {
    const used = period === 'transaction' ? { amount: 0n, uses: 0 } : usedIn(period, uses, clock);
    if (amount !== undefined && used.amount + wanted > amount) return { period, used: used.amount };
    if (count !== undefined && used.uses + 1 > count) return { period, used: BigInt(used.uses) };
  }
  return null;
}

/** The next Saturday at half past twelve in Berlin after which the clocks change. */
export function nextEve(after: number): number {
  for (let year = new Date(after).getUTCFullYear(); ; year += 1)
    // half past twelve is 11:30 in UTC in winter and 10:30 in summer
    for (const [month, hour] of [
      [2, 11],
      [9, 10],
    ] as const) {
      const last = new Date(Date.UTC(year, month, 31));
      const eve = Date.UTC(year, month, 31 - last.getUTCDay() - 1, hour, 30);
      if (eve > after) return eve;
    }
}
