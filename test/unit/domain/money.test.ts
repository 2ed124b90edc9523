/** Money is exact: what goes in as text comes out as the same text. */
import { describe, expect, test } from '@jest/globals';
import { currencyScales } from '../../../domain/standards/currencies.ts';
import { formatMoney, parseMoney } from '../../../domain/money.ts';
import { fc } from '../../support/property.ts';

test.each([
  ['0.01', 'EUR', 1n],
  ['12.3', 'EUR', 1230n],
  ['12', 'EUR', 1200n],
  ['-1.00', 'EUR', -100n],
  ['5', 'JPY', 5n],
  ['1.234', 'KWD', 1234n],
  ['0.0001', 'CLF', 1n],
  ['90071992547409.93', 'EUR', 9_007_199_254_740_993n],
])('%s %s is %s minor units', (amount, currency, minor) => {
  expect(parseMoney({ amount, currency })).toEqual({ minor, asset: currency });
});

test.each([
  ['1.001', 'EUR', 'too_many_digits'],
  ['1.5', 'JPY', 'too_many_digits'],
  ['1', 'XXX', 'unknown_currency'],
  ['1', 'eur', 'unknown_currency'],
  ['', 'EUR', 'not_a_decimal'],
  ['1e3', 'EUR', 'not_a_decimal'],
  ['01', 'EUR', 'not_a_decimal'],
  ['+1', 'EUR', 'not_a_decimal'],
  ['1,00', 'EUR', 'not_a_decimal'],
  ['١', 'EUR', 'not_a_decimal'],
  [' 1', 'EUR', 'not_a_decimal'],
  ['NaN', 'EUR', 'not_a_decimal'],
  ['9'.repeat(38), 'EUR', 'too_large'],
])('%j %s is refused as %s, not rounded', (amount, currency, fault) => {
  expect(parseMoney({ amount, currency })).toBe(fault);
});

describe('every currency of ISO 4217', () => {
  test('is there, with the scales that the standard has', () => {
    const scales = [...currencyScales.values()];
    expect(currencyScales.size).toBe(165);
    expect([...new Set(scales)].sort()).toEqual([0, 2, 3, 4]);
  });

  test('writes and reads any amount without loss, and refuses one digit more', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...currencyScales),
        fc.bigInt(-(10n ** 37n), 10n ** 37n),
        ([asset, scale], minor) => {
          const wire = formatMoney({ minor, asset });
          expect(parseMoney(wire)).toEqual({ minor, asset });
          const longer = `${wire.amount}${scale === 0 ? '.' : ''}1`;
          expect(parseMoney({ amount: longer, currency: asset })).toBe('too_many_digits');
        },
      ),
    );
  });
});
