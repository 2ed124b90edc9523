/** Amounts of anything that the books hold, with up to 18 digits. */
import { expect, test } from '@jest/globals';
import { learnAssets } from '../../../domain/assets.ts';
import { formatAmount, formatHolding, MAX_MINOR, parseAmount, parseMoney } from '../../../domain/money.ts';
import { fc } from '../../support/property.ts';

const coins = Array.from({ length: 19 }, (_, scale) => ({ code: `C${scale}`, kind: 'crypto', scale }));
learnAssets(coins);

test('an amount of any scale from 0 to 18 is written and read without loss, and one digit more is refused', () => {
  fc.assert(
    fc.property(fc.constantFrom(...coins), fc.bigInt(-MAX_MINOR, MAX_MINOR), ({ code, scale }, minor) => {
      const text = formatAmount({ minor, asset: code });
      expect(parseAmount(text, code)).toEqual({ minor, asset: code });
      expect(parseAmount(`${text}${scale === 0 ? '.' : ''}1`, code)).toBe('too_many_digits');
    }),
  );
});

test('more than the books can hold is too large, however many digits it has', () => {
  expect(parseAmount(String(2n ** 256n - 1n), 'C18')).toBe('too_large');
  expect(parseAmount('1'.repeat(21), 'C18')).toBe('too_large');
  expect(parseAmount('9'.repeat(20), 'C18')).toEqual({
    minor: BigInt(`${'9'.repeat(20)}${'0'.repeat(18)}`),
    asset: 'C18',
  });
});

test('a coin is no currency: it has another field, and is not read as money', () => {
  expect(formatHolding({ minor: 5n, asset: 'C1' })).toEqual({ amount: '0.5', asset: 'C1' });
  expect(formatHolding({ minor: 5n, asset: 'EUR' })).toEqual({ amount: '0.05', currency: 'EUR' });
  expect(parseMoney({ amount: '1', currency: 'C1' })).toBe('unknown_currency');
});
