/** Decimal strings and the whole numbers of smallest units behind them. No amount is ever a floating-point number. */

/** `1.5` with 8 decimals is 150000000n; undefined if the text is not a decimal or has more digits than the chain. */
export function unitsOf(text: string, decimals: number): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, '');
  if (whole === '' || digits.length > decimals) return undefined;
  return BigInt(whole + digits.padEnd(decimals, '0'));
}

/** 150000000n with 8 decimals is `1.5`. Fireblocks writes amounts without trailing zeros, too. */
export function decimalOf(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
export const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);
