/** Tapes have every coin at every source, in exact decimals, and do what their names say. */
import { describe, expect, test } from '@jest/globals';
import { product } from '../../../dev/prices/decimals.ts';
import { COINS, CURRENCIES, readTape, readTapes, type Tape } from '../../../dev/prices/tapes.ts';
import { PRICE_SOURCES } from '../../../domain/crypto/prices.ts';

const tapes = readTapes();
const LATER_SECONDS = 3_600;

function tapeNamed(name: string): Tape {
  const tape = tapes.get(name);
  if (tape === undefined) throw new Error(`there is no tape ${name}`);
  return tape;
}

/** How far apart two prices are, in basis points of the first. */
function basisPoints(one: string, other: string): number {
  return Math.abs(Number(other) / Number(one) - 1) * 10_000;
}

test('there are four tapes', () => {
  expect([...tapes.keys()]).toEqual(['calm', 'jump', 'outlier', 'silent']);
});

describe.each([...tapes.values()])('the tape $name', (tape) => {
  test('has every coin in every currency at every source, as a positive decimal', () => {
    for (const source of PRICE_SOURCES)
      for (const coin of COINS)
        for (const currency of CURRENCIES)
          for (const seconds of [0, tape.seconds - 1, LATER_SECONDS]) {
            const price = tape.priceAt(source, coin, currency, seconds);
            expect(price).toMatch(/^\d{1,6}\.\d{2,6}$/);
            expect(Number(price)).toBeGreaterThan(0);
          }
  });

  test('has sources that differ by a few basis points for each coin but the outlier', () => {
    for (const coin of COINS.filter((one) => tape.name !== 'outlier' || one !== 'BTC')) {
      const [one = '', ...others] = PRICE_SOURCES.map((source) => tape.priceAt(source, coin, 'EUR', 0));
      for (const other of others) expect(basisPoints(one, other)).toBeLessThan(10);
    }
    expect(tape.priceAt('coinbase', 'BTC', 'EUR', 0)).not.toBe(tape.priceAt('bitstamp', 'BTC', 'EUR', 0));
  });
});

test('the calm tape moves every coin by less than half a percent in all, and begins anew', () => {
  const calm = tapeNamed('calm');
  const moments = Array.from({ length: calm.seconds }, (_, second) => second);
  for (const coin of COINS) {
    const prices = moments.map((second) => Number(calm.priceAt('okx', coin, 'USD', second)));
    expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(1.005);
    expect(new Set(prices).size).toBeGreaterThan(1);
    expect(calm.priceAt('okx', coin, 'USD', calm.seconds)).toBe(calm.priceAt('okx', coin, 'USD', 0));
  }
});

test('the tape of a jump raises bitcoin by a quarter at its second step and stays there', () => {
  const at = (seconds: number): string => tapeNamed('jump').priceAt('okx', 'BTC', 'EUR', seconds);
  expect([at(0), at(4.9), at(5), at(LATER_SECONDS)]).toEqual([
    '60000.00',
    '60000.00',
    '75000.00',
    '75000.00',
  ]);
});

test('the tape of an outlier has one source a tenth off for bitcoin alone', () => {
  const outlier = tapeNamed('outlier');
  expect(outlier.priceAt('okx', 'BTC', 'EUR', 0)).toBe('66000.00');
  expect(outlier.priceAt('coinbase', 'BTC', 'EUR', 0)).toBe('60012.00');
  expect(outlier.priceAt('okx', 'ETH', 'EUR', 0)).toBe('2500.00');
});

test('the tape of silence silences two sources', () => {
  const silent = tapeNamed('silent');
  expect(PRICE_SOURCES.filter((source) => silent.isSilent(source))).toEqual(['bitstamp', 'okx']);
});

test('a tape that lacks a coin is not read', () => {
  expect(() => readTape('broken', '{"about":"Nothing","every_seconds":1,"loops":true,"steps":[{}]}')).toThrow(
    /BTC/,
  );
});

test.each([
  [['60000.00', '1.0002'], '60012.00'],
  [['0.92379', '1.0825', '1.0002'], '1.00020'],
  [['0.1', '0.2'], '0.0'],
  [['0.5', '0.1'], '0.1'],
  [['3', '1.5'], '5'],
  [['123456789012345678.01', '1'], '123456789012345678.01'],
] as const)('%p multiplied is exactly %s', ([first, ...factors], expected) => {
  expect(product(first, ...factors)).toBe(expected);
});
