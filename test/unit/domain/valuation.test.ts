/** What money is worth in another currency, calculated by hand. */
import { expect, test } from '@jest/globals';
import { StoredCurrency } from '../../../domain/assets.ts';
import type { StoredRate } from '../../../domain/exchange.ts';
import { worthOf } from '../../../domain/pricing/valuation.ts';

const rate = (base: string, quote: string, value: string, stale = false): StoredRate => ({
  id: `${base}/${quote}`,
  base,
  quote,
  rate: value,
  spreadBps: '50',
  validFrom: new Date('2026-03-01T00:00:00Z'),
  stale,
});
const RATES = [rate('EUR', 'USD', '1.25'), rate('JPY', 'EUR', '0.005'), rate('EUR', 'KWD', '0.3333', true)];
const worth = (minor: bigint, asset: string, currency: string) =>
  worthOf({ minor, asset }, StoredCurrency.parse(currency), RATES, StoredCurrency.parse('EUR'));

test.each<[string, bigint, string, string, bigint, string]>([
  ['by its own rate, whatever the spread', 10_000n, 'EUR', 'USD', 12_500n, '1.25'],
  ['by the inverse of the other direction', 10_000n, 'USD', 'EUR', 8_000n, '0.8'],
  ['over the bank’s currency, with another scale', 2_000n, 'JPY', 'USD', 1_250n, '0.00625'],
  ['in a currency of three digits', 100n, 'EUR', 'KWD', 333n, '0.3333'],
  ['right between two, to the even one', 2n, 'EUR', 'USD', 2n, '1.25'],
  ['right between two, to the even one above', 6n, 'EUR', 'USD', 8n, '1.25'],
  ['below zero like above', -6n, 'EUR', 'USD', -8n, '1.25'],
  ['in itself', 7n, 'EUR', 'EUR', 7n, '1'],
])('money is worth something %s', (_how, minor, asset, currency, expected, by) => {
  expect(worth(minor, asset, currency)).toMatchObject({
    value: { minor: expected, asset: currency },
    rate: by,
  });
});

test('a rate too old to convert by is shown, and says so', () => {
  expect(worth(100n, 'EUR', 'KWD')?.stale).toBe(true);
  expect(worth(100n, 'EUR', 'USD')?.stale).toBe(false);
});

test('without any rate the worth is not known', () => {
  expect(worth(100n, 'CHF', 'EUR')).toBeNull();
});
