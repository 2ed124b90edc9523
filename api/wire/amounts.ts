/** Amounts of a body whose currency is given by what they belong to. */
import { parseMoney, type MoneyWire } from '../../domain/money.ts';
import { faultIn } from '../../domain/refusals.ts';

/** Minor units, zero or more. Refuses invalid_request, naming the field below `pointer`. */
export function minorIn(asset: string, pointer: string, money: MoneyWire): bigint {
  const minor = signedMinorIn(asset, pointer, money);
  if (minor < 0n) throw faultIn(`${pointer}/amount`, 'negative', 'must not be below zero');
  return minor;
}

/** The same, where an amount may lie below zero. */
export function signedMinorIn(asset: string, pointer: string, money: MoneyWire): bigint {
  if (money.currency !== asset)
    throw faultIn(`${pointer}/currency`, 'currency_mismatch', `must be ${asset} here`);
  const read = parseMoney(money);
  if (typeof read === 'string') throw faultIn(`${pointer}/amount`, read, 'is not an amount of the currency');
  return read.minor;
}
