/** Percents as forms write them, and exact products of them. */

/** In ten-thousandths of a percent: 25.0000 is 250_000n. Undefined if the text is not a percent, such as "0025", ".5" or "1e1". */
export function parsePercent(text: string): bigint | undefined {
  const [, whole = '', places = ''] = /^(0|[1-9]\d{0,2})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const percent = BigInt(whole + places.padEnd(4, '0'));
  return percent > WHOLE ? undefined : percent;
}

/** 100 percent, in ten-thousandths of one. */
export const WHOLE = 1_000_000n;

/** A share without rounding: `part` divided by WHOLE to the power of `power`. */
export interface Share {
  readonly part: bigint;
  readonly power: number;
}

export const NOTHING: Share = { part: 0n, power: 0 };
export const ALL: Share = { part: 1n, power: 0 };

/** So many ten-thousandths of a percent of a share. */
export function portionOf({ part, power }: Share, percent: bigint): Share {
  // the whole of a share leaves its power as it is, which keeps the numbers of long chains small
  return percent === WHOLE ? { part, power } : { part: part * percent, power: power + 1 };
}

export function sumOf(a: Share, b: Share): Share {
  if (a.part === 0n) return b;
  if (b.part === 0n) return a;
  const power = Math.max(a.power, b.power);
  return { part: atPower(a, power) + atPower(b, power), power };
}

const atPower = (share: Share, power: number): bigint =>
  share.power === power ? share.part : share.part * WHOLE ** BigInt(power - share.power);

/** Below zero if `a` is the smaller one, zero if both are the same. */
export function compareShares(a: Share, b: Share): number {
  const power = Math.max(a.power, b.power);
  const [left, right] = [atPower(a, power), atPower(b, power)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether a share is at least so many whole percent. */
export const isAtLeast = ({ part, power }: Share, percent: bigint): boolean =>
  part * 100n >= percent * WHOLE ** BigInt(power);

/** A share in percent with six places, rounded down or up: "33.333333". */
export function formatShare({ part, power }: Share, rounded: 'down' | 'up'): string {
  const whole = WHOLE ** BigInt(power);
  const scaled = part * 100n * MILLION;
  const millionths = (rounded === 'down' ? scaled : scaled + whole - 1n) / whole;
  return `${millionths / MILLION}.${String(millionths % MILLION).padStart(6, '0')}`;
}
const MILLION = 1_000_000n;
