/** Exact fractions of whole numbers, for rates and percentages: nothing is rounded until one of the three roundings is called. */

/** `num / den`, with `den` above zero. */
export interface Ratio {
  readonly num: bigint;
  readonly den: bigint;
}

const DECIMAL = /^(\d{1,38})(?:\.(\d{1,38}))?$/;
/** Digits after the point up to which a rate is written in full. */
const FULL_PLACES = 24;
/** Digits of a rate that has no end, such as 1 / 3. */
const SIGNIFICANT = 18;

/** The number that a decimal string such as "1.0825" says. */
export function ratioOf(decimal: string): Ratio {
  const match = DECIMAL.exec(decimal);
  if (match === null) throw new RangeError('not a decimal number');
  const [, whole = '0', fraction = ''] = match;
  return { num: BigInt(whole + fraction), den: 10n ** BigInt(fraction.length) };
}

export function whole(value: bigint): Ratio {
  return { num: value, den: 1n };
}

export function plus(a: Ratio, b: Ratio): Ratio {
  return { num: a.num * b.den + b.num * a.den, den: a.den * b.den };
}

export function times(a: Ratio, b: Ratio): Ratio {
  return { num: a.num * b.num, den: a.den * b.den };
}

/** 1 / a, of a number above zero. */
export function inverse({ num, den }: Ratio): Ratio {
  if (num <= 0n) throw new RangeError('only what is above zero has an inverse here');
  return { num: den, den: num };
}

/** Down, of a number not below zero: what is credited. */
export function floor({ num, den }: Ratio): bigint {
  return num / den;
}

/** Up, of a number not below zero: what is debited. */
export function ceil({ num, den }: Ratio): bigint {
  return (num + den - 1n) / den;
}

/** To the nearest whole number and, right between two, to the even one; of a number not below zero: fees. */
export function halfEven({ num, den }: Ratio): bigint {
  const down = num / den;
  const twice = (num % den) * 2n;
  const up = twice > den || (twice === den && down % 2n === 1n);
  return up ? down + 1n : down;
}

/** For readers: in full where 24 digits after the point are enough, else to 18 significant digits. */
export function toDecimal({ num, den }: Ratio): string {
  const shift = 10n ** BigInt(FULL_PLACES);
  if ((num * shift) % den === 0n) return decimal((num * shift) / den, FULL_PLACES);
  // digits before the point; below one, less the zeros after it
  const leading = num >= den ? (num / den).toString().length : 1 - ((den - 1n) / num).toString().length;
  const places = Math.max(SIGNIFICANT - leading, 0);
  return decimal(halfEven(times({ num, den }, whole(10n ** BigInt(places)))), places);
}

function decimal(scaled: bigint, places: number): string {
  const digits = scaled.toString().padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  const integer = digits.slice(0, digits.length - places);
  return fraction === '' ? integer : `${integer}.${fraction}`;
}
