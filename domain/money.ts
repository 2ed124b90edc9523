/**
 * Money: integer minor units of one asset. The rounding rules of the whole service stand here:
 * an amount that arrives is never rounded (too many digits is a refusal); later calculations are exact and round once, at their end:
 * fees to the nearest and right between two to the even (domain/pricing/fees.ts), conversions down what is credited and up what is
 * debited (domain/exchange.ts).
 */
import { currencyScales } from './standards/currencies.ts';

/** An amount of one asset in minor units: `{ minor: 1234n, asset: 'EUR' }` is 12.34 €. */
export interface Money {
  readonly minor: bigint;
  readonly asset: string;
}

/** Makes money of minor units of this asset. */
export function moneyIn(asset: string): (minor: bigint) => Money {
  return (minor) => ({ minor, asset });
}

/** Money as it crosses a wire: `{ "amount": "12.34", "currency": "EUR" }`. */
export interface MoneyWire {
  readonly amount: string;
  readonly currency: string;
}

/** The largest count of minor units the books hold (PostgreSQL's domain `minor` says the same). */
export const MAX_MINOR = 10n ** 38n - 1n;

const DECIMAL = /^(-?)(0|[1-9]\d{0,37})(?:\.(\d{1,18}))?$/;

export type AmountFault = 'unknown_currency' | 'not_a_decimal' | 'too_many_digits' | 'too_large';

/** Scale of an asset, or undefined where the asset is not known. */
export function scaleOf(asset: string): number | undefined {
  return currencyScales.get(asset);
}

/** Reads a decimal string exactly. Answers the fault instead of rounding, so that a caller can name the field. */
export function parseMoney(wire: MoneyWire): Money | AmountFault {
  const scale = scaleOf(wire.currency);
  if (scale === undefined) return 'unknown_currency';
  const match = DECIMAL.exec(wire.amount);
  if (match === null) return 'not_a_decimal';
  const [, sign = '', whole = '0', fraction = ''] = match;
  if (fraction.length > scale) return 'too_many_digits';
  const minor = BigInt(whole + fraction.padEnd(scale, '0'));
  if (minor > MAX_MINOR) return 'too_large';
  return { minor: sign === '-' ? -minor : minor, asset: wire.currency };
}

/** Writes money with exactly its asset's scale: 1234n EUR is "12.34", 5n JPY is "5". */
export function formatMoney({ minor, asset }: Money): MoneyWire {
  const scale = scaleOf(asset);
  if (scale === undefined) throw new RangeError(`asset ${asset} has no scale`);
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0');
  const sign = minor < 0n ? '-' : '';
  const amount = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return { amount: sign + amount, currency: asset };
}
