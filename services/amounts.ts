/** Amounts of a request whose currency is given by what they belong to. */
import { isCurrency } from '../domain/assets.ts';
import type { Money } from '../domain/money.ts';
import { faultIn } from '../domain/refusals.ts';

/** Minor units, zero or more. Refuses invalid_request, naming the field below `pointer`. */
export function minorIn(asset: string, pointer: string, money: Money): bigint {
  const minor = signedMinorIn(asset, pointer, money);
  if (minor < 0n) throw faultIn(`${pointer}/amount`, 'negative', 'must not be below zero');
  return minor;
}

/** The same for an amount that may lie below zero. */
export function signedMinorIn(asset: string, pointer: string, money: Money): bigint {
  if (money.asset === asset) return money.minor;
  const field = isCurrency(money.asset) ? 'currency' : 'asset';
  throw faultIn(`${pointer}/${field}`, `${field}_mismatch`, `must be ${asset} here`);
}
