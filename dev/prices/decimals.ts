/** Products of decimal texts, exact until they are rounded once. No price is ever a floating-point number. */

interface Decimal {
  readonly units: bigint;
  readonly digits: number;
}

/** A decimal without a sign, such as `60000.00`. */
export const DECIMAL = /^\d{1,18}(\.\d{1,18})?$/;

/** The product, rounded half up to as many decimals as the first factor has: `60000.00` times `1.0002` is `60012.00`. */
export function product(first: string, ...factors: readonly string[]): string {
  const { digits } = read(first);
  const exact = [first, ...factors].map(read).reduce((one, other) => ({
    units: one.units * other.units,
    digits: one.digits + other.digits,
  }));
  const divisor = 10n ** BigInt(exact.digits - digits);
  return write({ units: (exact.units * 2n + divisor) / (divisor * 2n), digits });
}

function read(text: string): Decimal {
  if (!DECIMAL.test(text)) throw new Error(`${text} is not a decimal`);
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), digits: fraction.length };
}

function write({ units, digits }: Decimal): string {
  const text = units.toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  return digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
}
