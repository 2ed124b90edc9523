/**
 * Money: integer minor units of one asset. The rounding rules of the whole service stand here:
 * an amount that arrives is never rounded (too many digits is a refusal); later calculations are exact and round once, at their end:
 * fees to the nearest and right between two to the even (domain/pricing/fees.ts), conversions down what is credited and up what is
 * debited (domain/exchange.ts).
 */
import { isCurrency, scaleOf, type AssetCode } from './assets.ts';

/** An amount of one asset in minor units: `{ minor: 1234n, asset: 'EUR' }` is 12.34 €. */
export interface Money {
  readonly minor: bigint;
  readonly asset: AssetCode;
}

/** Makes money of minor units of this asset. */
export function moneyIn(asset: AssetCode): (minor: bigint) => Money {
  return (minor) => ({ minor, asset });
}

/** Money of a currency as it crosses a wire: `{ "amount": "12.34", "currency": "EUR" }`. */
export interface MoneyWire {
  readonly amount: string;
  readonly currency: string;
}

/** Anything else that the books hold: `{ "amount": "0.5", "asset": "BTC" }`. */
export interface AssetWire {
  readonly amount: string;
  readonly asset: string;
}

const MOST_DIGITS = 38;
/** The largest count of minor units the books hold (PostgreSQL's domain `minor` says the same). */
export const MAX_MINOR = 10n ** BigInt(MOST_DIGITS) - 1n;

const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

type DigitsFault = 'not_a_decimal' | 'too_many_digits' | 'too_large';
export type AmountFault = 'unknown_currency' | DigitsFault;

/** Reads money of a currency exactly. Returns the fault instead of rounding, so that a caller can name the field. */
export function parseMoney({ amount, currency }: MoneyWire): Money | AmountFault {
  return isCurrency(currency) ? parseAmount(amount, currency) : 'unknown_currency';
}

/** Reads a decimal string of an asset exactly. Throws UnknownAsset. */
export function parseAmount(amount: string, asset: AssetCode): Money | DigitsFault {
  const minor = parseMinor(amount, scaleOf(asset));
  return typeof minor === 'string' ? minor : { minor, asset };
}

/** Reads a decimal string exactly as minor units with `scale` digits after the point. */
export function parseMinor(amount: string, scale: number): bigint | DigitsFault {
  const match = DECIMAL.exec(amount);
  if (match === null) return 'not_a_decimal';
  const [, sign = '', whole = '0', fraction = ''] = match;
  if (fraction.length > scale) return 'too_many_digits';
  if (whole.length > MOST_DIGITS) return 'too_large';
  const minor = BigInt(whole + fraction.padEnd(scale, '0'));
  if (minor > MAX_MINOR) return 'too_large';
  return sign === '-' ? -minor : minor;
}

/** Writes minor units with exactly the asset's scale: 1234n EUR is "12.34", 5n JPY is "5". Throws UnknownAsset. */
export function formatAmount({ minor, asset }: Money): string {
  return formatMinor(minor, scaleOf(asset));
}

/** Writes minor units with `scale` digits after the point. */
export function formatMinor(minor: bigint, scale: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0');
  const sign = minor < 0n ? '-' : '';
  return sign + (scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** Writes money of a currency. */
export function formatMoney(money: Money): MoneyWire {
  return { amount: formatAmount(money), currency: money.asset };
}

/** Writes what may be of any asset: a currency by `currency`, anything else by `asset`. */
export function formatHolding(money: Money): MoneyWire | AssetWire {
  const amount = formatAmount(money);
  return isCurrency(money.asset) ? { amount, currency: money.asset } : { amount, asset: money.asset };
}
