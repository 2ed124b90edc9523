/** Conversions to the last digit: tables calculated by hand, and what holds of every rate. */
import { describe, expect, test } from '@jest/globals';
import { currencyScales } from '../../../domain/standards/currencies.ts';
import {
  convert,
  roadBetween,
  significantDigits,
  type Conversion,
  type Fixed,
  type StoredRate,
} from '../../../domain/exchange.ts';
import { formatMoney, MAX_MINOR, parseMoney } from '../../../domain/money.ts';
import { inverse, ratioOf, times, toDecimal, whole } from '../../../domain/pricing/ratio.ts';
import { fc } from '../../support/property.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

function rate(pair: string, value: string, spreadBps = '0', more: Partial<StoredRate> = {}): StoredRate {
  const [base = '', quote = ''] = pair.split('/');
  return {
    id: `${pair}@${value}`,
    base,
    quote,
    rate: value,
    spreadBps,
    validFrom: NOW,
    stale: false,
    ...more,
  };
}

function minor(amount: string, currency: string): bigint {
  const money = parseMoney({ amount, currency });
  if (typeof money === 'string') throw new Error(money);
  return money.minor;
}

function converted(rates: StoredRate[], source: string, target: string, fixed: Fixed): Conversion {
  const road = roadBetween(rates, source, target, 'EUR');
  const conversion = road && convert(road, source, target, fixed);
  if (conversion == null) throw new Error('not convertible');
  return conversion;
}

const text = (money: { minor: bigint; asset: string }): string => formatMoney(money).amount;

describe('fixed source, calculated by hand: the target goes down', () => {
  test.each<[string, StoredRate[], string, string, { target: string; mid: string; rate: string }]>([
    [
      'no spread',
      [rate('EUR/USD', '1.0825')],
      'EUR 100.00',
      'USD',
      { target: '108.25', mid: '108.25', rate: '1.0825' },
    ],
    // 1.0825 × 0.9975 = 1.07979375
    [
      'a spread of 0.25 %',
      [rate('EUR/USD', '1.0825', '25')],
      'EUR 100.00',
      'USD',
      { target: '107.97', mid: '108.25', rate: '1.07979375' },
    ],
    // 99.99 × 1.0825 = 108.239175; × 0.9975 = 107.96857706…
    [
      'both go down',
      [rate('EUR/USD', '1.0825', '25')],
      'EUR 99.99',
      'USD',
      { target: '107.96', mid: '108.23', rate: '1.07979375' },
    ],
    [
      'to a currency without digits',
      [rate('EUR/JPY', '163.457')],
      'EUR 12.34',
      'JPY',
      { target: '2017', mid: '2017', rate: '163.457' },
    ],
    // 12345 / 163.457 = 75.5244…
    [
      'from one, by the inverse',
      [rate('EUR/JPY', '163.457')],
      'JPY 12345',
      'EUR',
      { target: '75.52', mid: '75.52', rate: '0.00611781691821090562' },
    ],
    // 1234.56 × 0.3334 = 411.602304
    [
      'to three digits',
      [rate('EUR/KWD', '0.3334')],
      'EUR 1234.56',
      'KWD',
      { target: '411.602', mid: '411.602', rate: '0.3334' },
    ],
    // 100 / 41.28 = 2.42248…
    [
      'to four digits, by the inverse',
      [rate('CLF/EUR', '41.28')],
      'EUR 100.00',
      'CLF',
      { target: '2.4224', mid: '2.4224', rate: '0.0242248062015503876' },
    ],
    // 163.457 / 0.3334 = 490.2729454… ; 10.000 KWD × 490.2729… = 4902.729…
    [
      'over the base currency: inverse and direct',
      [rate('EUR/KWD', '0.3334'), rate('EUR/JPY', '163.457')],
      'KWD 10.000',
      'JPY',
      { target: '4902', mid: '4902', rate: '490.27294541091781' },
    ],
    // 100 / 1.0825 × 0.9544 = 88.16628…; less 10 + 25 = 35 bps: 87.85770…
    [
      'over the base currency: the spreads add up',
      [rate('EUR/USD', '1.0825', '10'), rate('EUR/CHF', '0.9544', '25')],
      'USD 100.00',
      'CHF',
      { target: '87.85', mid: '88.16', rate: '0.87857699' },
    ],
  ])('%s', (_name, rates, from, targetAsset, expected) => {
    const [asset = '', amount = ''] = from.split(' ');
    const { source, target, exchange } = converted(rates, asset, targetAsset, {
      side: 'source',
      minor: minor(amount, asset),
    });
    expect({ target: text(target), mid: text(exchange.mid) }).toEqual({
      target: expected.target,
      mid: expected.mid,
    });
    expect(exchange.rate.slice(0, expected.rate.length)).toBe(expected.rate);
    expect(text(source)).toBe(amount);
    expect(exchange.spread).toEqual({ minor: exchange.mid.minor - target.minor, asset: targetAsset });
  });
});

describe('fixed target, calculated by hand: the source goes up', () => {
  test.each<[string, StoredRate[], string, string, { source: string; mid: string }]>([
    // 100 / 1.0825 = 92.37875…; 92.38 × 1.0825 = 100.00135
    ['no spread', [rate('EUR/USD', '1.0825')], 'USD 100.00', 'EUR', { source: '92.38', mid: '100.00' }],
    // 100 / 1.07979375 = 92.6102…; 92.62 × 1.0825 = 100.26115
    [
      'a spread of 0.25 %',
      [rate('EUR/USD', '1.0825', '25')],
      'USD 100.00',
      'EUR',
      { source: '92.62', mid: '100.26' },
    ],
    [
      'what comes out even stays',
      [rate('EUR/USD', '1.25')],
      'USD 125.00',
      'EUR',
      { source: '100.00', mid: '125.00' },
    ],
    // 1 cent is 1.63457 yen: two cents for two yen
    [
      'a source so coarse that it is worth more',
      [rate('EUR/JPY', '163.457')],
      'JPY 2',
      'EUR',
      { source: '0.02', mid: '3' },
    ],
    // 100.00 × 163.457
    [
      'from a currency without digits',
      [rate('EUR/JPY', '163.457')],
      'EUR 100.00',
      'JPY',
      { source: '16346', mid: '100.00' },
    ],
    ['from three digits', [rate('EUR/KWD', '0.3334')], 'EUR 1.00', 'KWD', { source: '0.334', mid: '1.00' }],
  ])('%s', (_name, rates, to, sourceAsset, expected) => {
    const [asset = '', amount = ''] = to.split(' ');
    const { source, target, exchange } = converted(rates, sourceAsset, asset, {
      side: 'target',
      minor: minor(amount, asset),
    });
    expect({ source: text(source), target: text(target), mid: text(exchange.mid) }).toEqual({
      ...expected,
      target: amount,
    });
  });
});

describe('which rate counts', () => {
  const ids = (rates: StoredRate[], source: string, target: string): readonly string[] | null =>
    roadBetween(rates, source, target, 'EUR')?.rateIds ?? null;
  const usdChf = rate('USD/CHF', '0.88');
  const chfUsd = rate('CHF/USD', '1.13');
  const legs = [rate('EUR/USD', '1.08'), rate('EUR/CHF', '0.95')];

  test('the pair’s own, then the inverse, then the two legs', () => {
    expect(ids([...legs, chfUsd, usdChf], 'USD', 'CHF')).toEqual(['USD/CHF@0.88']);
    expect(ids([...legs, chfUsd], 'USD', 'CHF')).toEqual(['CHF/USD@1.13']);
    expect(ids(legs, 'USD', 'CHF')).toEqual(['EUR/USD@1.08', 'EUR/CHF@0.95']);
  });
  test('a stale one is refused, and no detour is taken round it', () => {
    expect(ids([...legs, chfUsd, { ...usdChf, stale: true }], 'USD', 'CHF')).toBeNull();
    expect(ids([...legs, { ...chfUsd, stale: true }], 'USD', 'CHF')).toBeNull();
    expect(
      ids([rate('EUR/USD', '1.08', '0', { stale: true }), rate('EUR/CHF', '0.95')], 'USD', 'CHF'),
    ).toBeNull();
  });
  test('where a leg is missing there is none', () => {
    expect(ids([rate('EUR/USD', '1.08')], 'USD', 'CHF')).toBeNull();
    expect(ids([], 'EUR', 'CHF')).toBeNull();
  });
  test('a rate is as old as the oldest one in it', () => {
    const old = rate('EUR/CHF', '0.95', '0', { validFrom: new Date('2026-03-01T08:00:00.000Z') });
    const { exchange } = converted([rate('EUR/USD', '1.08'), old], 'USD', 'CHF', {
      side: 'source',
      minor: 100n,
    });
    expect(exchange.asOf).toBe('2026-03-01T08:00:00.000Z');
  });
});

test('what would come to nothing, or to more than the books hold, is not convertible', () => {
  const road = roadBetween([rate('EUR/JPY', '163.457')], 'JPY', 'EUR', 'EUR');
  const back = roadBetween([rate('EUR/JPY', '163.457')], 'EUR', 'JPY', 'EUR');
  expect(road && convert(road, 'JPY', 'EUR', { side: 'source', minor: 1n })).toBeNull();
  expect(back && convert(back, 'EUR', 'JPY', { side: 'source', minor: MAX_MINOR })).toBeNull();
  expect(back && convert(back, 'EUR', 'JPY', { side: 'target', minor: MAX_MINOR })).not.toBeNull();
  expect(road && convert(road, 'JPY', 'EUR', { side: 'target', minor: MAX_MINOR })).toBeNull();
});

const currencies = fc.constantFrom(...currencyScales.keys());
const pairs = fc.tuple(currencies, currencies).filter(([a, b]) => a !== b && a !== 'EUR' && b !== 'EUR');
const rateText = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 8n }), fc.bigInt({ min: 1n, max: 10n ** 12n - 1n }))
  .map(([integer, fraction]) => `${integer}.${String(fraction).padStart(12, '0')}`);
const spreads = fc
  .integer({ min: 0, max: 49_999_999 })
  .map((tenThousandths) => String(tenThousandths / 10_000));
const amounts = fc.bigInt({ min: 1n, max: 10n ** 20n });

describe('of every rate', () => {
  test('a fixed target is exactly reached, by the smallest source that is worth it', () => {
    fc.assert(
      fc.property(pairs, rateText, spreads, amounts, ([from, to], value, spread, wanted) => {
        const road = roadBetween([rate(`${from}/${to}`, value, spread)], from, to, 'EUR');
        const found = road && convert(road, from, to, { side: 'target', minor: wanted });
        if (found == null) return;
        expect(found.target.minor).toBe(wanted);
        const worth = (source: bigint): bigint =>
          convert(road!, from, to, { side: 'source', minor: source })?.target.minor ?? 0n;
        expect(worth(found.source.minor) >= wanted).toBe(true);
        expect(found.source.minor === 1n || worth(found.source.minor - 1n) < wanted).toBe(true);
      }),
    );
  });

  test('the spread is never negative, and the mid amount is target and spread', () => {
    fc.assert(
      fc.property(
        pairs,
        rateText,
        spreads,
        amounts,
        fc.constantFrom('source' as const, 'target' as const),
        ([from, to], value, spread, amount, side) => {
          const road = roadBetween([rate(`${from}/${to}`, value, spread)], from, to, 'EUR');
          const found = road && convert(road, from, to, { side, minor: amount });
          if (found == null) return;
          expect(found.exchange.spread.minor >= 0n).toBe(true);
          expect(found.exchange.mid.minor).toBe(found.target.minor + found.exchange.spread.minor);
        },
      ),
    );
  });

  test('there and back again, by the inverse, nobody gains', () => {
    fc.assert(
      fc.property(pairs, rateText, amounts, ([from, to], value, amount) => {
        const rates = [rate(`${from}/${to}`, value)];
        const [there, back] = [roadBetween(rates, from, to, 'EUR'), roadBetween(rates, to, from, 'EUR')];
        const gone = there && convert(there, from, to, { side: 'source', minor: amount });
        const returned =
          gone && back && convert(back, to, from, { side: 'source', minor: gone.target.minor });
        expect((returned?.source.minor ?? 0n) >= 0n && (returned?.target.minor ?? 0n) <= amount).toBe(true);
      }),
    );
  });

  test('the cross rate is the two legs, exactly, and the inverse cross is its inverse', () => {
    fc.assert(
      fc.property(pairs, rateText, rateText, ([from, to], first, second) => {
        const rates = [rate(`EUR/${from}`, first), rate(`EUR/${to}`, second)];
        const there = roadBetween(rates, from, to, 'EUR');
        const back = roadBetween(rates, to, from, 'EUR');
        const exact = times(ratioOf(second), inverse(ratioOf(first)));
        expect(there && there.mid.num * exact.den).toBe(there && there.mid.den * exact.num);
        const one = there && back && times(there.mid, back.mid);
        expect(one?.num).toBe(one?.den);
      }),
    );
  });
});

test('a rate is written in full, or to eighteen digits where it has no end', () => {
  expect(toDecimal(ratioOf('0.000000000001'))).toBe('0.000000000001');
  expect(toDecimal(ratioOf('1234567890123456.123456789012'))).toBe('1234567890123456.123456789012');
  expect(toDecimal({ num: 1n, den: 3n })).toBe('0.333333333333333333');
  expect(toDecimal({ num: 2n, den: 300n })).toBe('0.00666666666666666667');
  expect(toDecimal({ num: 200n, den: 3n })).toBe('66.6666666666666667');
  expect(toDecimal(whole(10n))).toBe('10');
});

test.each([
  ['1', 1],
  ['1200', 2],
  ['0.00120', 2],
  ['10.50', 3],
  ['0.000000000000112345678901234567', 18],
  ['100000000000000001', 18],
])('%s has %i significant digits', (decimal, digits) => {
  expect(significantDigits(decimal)).toBe(digits);
});
