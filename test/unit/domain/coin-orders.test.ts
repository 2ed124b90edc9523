/** Prices of orders of coins to the last digit: a table calculated by hand, and what holds of every price, spread and fee. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  coinRoad,
  priceOrder,
  type FixedSide,
  type Market,
  type OrderPrice,
} from '../../../domain/crypto/orders.ts';
import { learnAssets } from '../../../domain/assets.ts';
import { FeeRuleId } from '../../../domain/ids.ts';
import { formatAmount, parseAmount } from '../../../domain/money.ts';
import { feeLines, type FeeRule } from '../../../domain/pricing/fees.ts';
import { fc } from '../../support/property.ts';

beforeAll(() => {
  learnAssets([
    { code: 'EUR', scale: 2, kind: 'fiat' },
    { code: 'USD', scale: 2, kind: 'fiat' },
    { code: 'JPY', scale: 0, kind: 'fiat' },
    { code: 'BTC', scale: 8, kind: 'crypto' },
    { code: 'ETH', scale: 18, kind: 'crypto' },
  ]);
});

const AT = new Date('2026-03-01T12:00:00.000Z');

function rule(more: Partial<FeeRule>): FeeRule {
  return {
    ruleId: FeeRuleId.parse('0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e'),
    ...{ version: 1, code: 'order', description: 'Order', transferType: null, accountTypeId: null },
    ...{ priority: 0, flat: 0n, rateBps: '0', minimum: null, maximum: null },
    ...{ tierMode: 'graduated', tiers: [] },
    ...more,
  };
}

function market(price: string, more: Partial<Market> = {}): Market {
  return {
    ...{ side: 'buy', coin: 'BTC', currency: 'EUR', baseAsset: 'EUR' },
    ...{ price: { id: 'price', price, pricedAt: AT }, spreadBps: 100, rates: [], fees: [] },
    ...more,
  };
}

function priced(of: Market, fixed: FixedSide): OrderPrice | null {
  const road = coinRoad(of);
  return road && priceOrder(of, road, fixed);
}

/** `12.34 EUR` in minor units. */
function minor(amount: string, asset: string): bigint {
  const money = parseAmount(amount, asset);
  if (typeof money === 'string') throw new Error(money);
  return money.minor;
}

const PERCENT = rule({ rateBps: '100' });
const buy = (price: string, more: Partial<Market> = {}) => market(price, { side: 'buy', ...more });
const sell = (price: string, more: Partial<Market> = {}) => market(price, { side: 'sell', ...more });
const EURUSD = {
  ...{ id: 'fx', base: 'EUR', quote: 'USD', rate: '1.1', spreadBps: '50', validFrom: AT, stale: false },
};

describe('calculated by hand', () => {
  test.each<[string, Market, FixedSide['side'], string, Record<string, string>]>([
    // 500 / 60000 = 0.008333…; with the spread 0.00825
    [
      'a buy without a fee',
      buy('60000'),
      'spend',
      '500.00',
      { spend: '500.00', receive: '0.00825000', subtotal: '500.00', fee: '0.00', spread: '0.00008333' },
    ],
    // the fee first: 495 / 60000 = 0.00825, with the spread 0.0081675
    [
      'a buy with a fee of 1 %',
      buy('60000', { fees: [PERCENT] }),
      'spend',
      '500.00',
      { spend: '500.00', receive: '0.00816750', subtotal: '495.00', fee: '5.00', spread: '0.00008250' },
    ],
    // 0.01 × 60000 / 0.99 = 606.0606…, up to 606.07; 612.19 less its 1 % is that, 612.18 less its 1 % is not
    [
      'a buy of so many coins',
      buy('60000', { fees: [PERCENT] }),
      'receive',
      '0.01',
      { spend: '612.19', receive: '0.01000000', subtotal: '606.07', fee: '6.12', spread: '0.00010116' },
    ],
    [
      'a sale',
      sell('60000', { fees: [PERCENT] }),
      'spend',
      '0.01',
      { spend: '0.01000000', receive: '588.06', subtotal: '594.00', fee: '5.94', spread: '6.00' },
    ],
    // 594.00 less its 1 % is 588.06, and 593.99 less its 1 % is not
    [
      'a sale for so much money',
      sell('60000', { fees: [PERCENT] }),
      'receive',
      '588.06',
      { spend: '0.01000000', receive: '588.06', subtotal: '594.00', fee: '5.94', spread: '6.00' },
    ],
    // one coin is 60000 × 1.1 USD, and of that 1.5 % are spread
    [
      'a sale into a foreign currency',
      sell('60000', { currency: 'USD', rates: [EURUSD] }),
      'spend',
      '1',
      { spend: '1.00000000', receive: '65010.00', subtotal: '65010.00', fee: '0.00', spread: '990.00' },
    ],
    [
      'a buy out of a foreign currency, against the direction of the rate',
      buy('60000', { currency: 'USD', rates: [EURUSD] }),
      'spend',
      '66000.00',
      { spend: '66000.00', receive: '0.98500000', subtotal: '66000.00', fee: '0.00', spread: '0.01500000' },
    ],
    // 1.000000000000000001 × 2000 × 0.99 = 1980.00000000000000198
    [
      'a coin of 18 digits',
      sell('2000', { coin: 'ETH' }),
      'spend',
      '1.000000000000000001',
      {
        spend: '1.000000000000000001',
        receive: '1980.00',
        subtotal: '1980.00',
        fee: '0.00',
        spread: '20.00',
      },
    ],
    [
      'so many coins of 18 digits',
      buy('2000', { coin: 'ETH', spreadBps: 0 }),
      'receive',
      '0.281685078728048940',
      {
        ...{ spend: '563.38', receive: '0.281685078728048940', subtotal: '563.38', fee: '0.00' },
        spread: '0.000004921271951060',
      },
    ],
    [
      'a currency without minor units, and a spread of nothing',
      buy('9000000', { currency: 'JPY', baseAsset: 'JPY', spreadBps: 0 }),
      'receive',
      '0.00000012',
      { spend: '2', receive: '0.00000012', subtotal: '2', fee: '0', spread: '0.00000010' },
    ],
    [
      'a smallest fee',
      buy('100', { spreadBps: 0, fees: [rule({ rateBps: '100', minimum: 200n })] }),
      'receive',
      '0.5',
      { spend: '52.00', receive: '0.50000000', subtotal: '50.00', fee: '2.00', spread: '0.00000000' },
    ],
  ])('%s', (_name, of, side, amount, expected) => {
    const [spent, received] = of.side === 'buy' ? [of.currency, of.coin] : [of.coin, of.currency];
    const price = priced(of, { side, minor: minor(amount, side === 'spend' ? spent : received) });
    if (price === null) throw new Error('not convertible');
    expect({
      spend: formatAmount(price.spend),
      receive: formatAmount(price.receive),
      subtotal: formatAmount(price.subtotal),
      fee: formatAmount({
        minor: price.fees.reduce((sum, fee) => sum + fee.minor, 0n),
        asset: of.currency,
      }),
      spread: formatAmount(price.conversion.exchange.spread),
    }).toEqual(expected);
  });

  test('the price in the middle is that of the sources, and in another currency with the rate', () => {
    expect(priced(buy('60001.15'), { side: 'spend', minor: 10_000n })?.midPrice).toBe('60001.15');
    expect(priced(sell('0.000012'), { side: 'spend', minor: 10n ** 12n })?.midPrice).toBe('0.000012');
    const foreign = { currency: 'USD', rates: [EURUSD] };
    expect(priced(buy('60001.15', foreign), { side: 'spend', minor: 10_000n })?.midPrice).toBe('66001.265');
  });

  test('where a tariff falls from one tier to the next, the smallest amount that leaves enough is taken', () => {
    // 10.00 up to 100.00, and 1.00 above: 100.00 leaves 90.00, and 100.01 leaves 99.01
    const falling = rule({
      ...{ flat: 1_000n, tierMode: 'slab', tiers: [{ above: 10_000n, flat: 100n, rateBps: '0' }] },
    });
    const of = buy('100', { spreadBps: 0, fees: [falling] });
    expect(priced(of, { side: 'receive', minor: 90_000_000n })).toMatchObject({
      spend: { minor: 10_000n },
      receive: { minor: 90_000_000n },
    });
    // nothing leaves exactly 95.00, so 100.01 are spent, and what they buy is more
    expect(priced(of, { side: 'receive', minor: 95_000_000n })).toMatchObject({
      spend: { minor: 10_001n },
      subtotal: { minor: 9_901n },
      receive: { minor: 99_010_000n },
    });
    const sale = sell('100', { spreadBps: 0, fees: [falling] });
    expect(priced(sale, { side: 'receive', minor: 9_500n })).toMatchObject({
      subtotal: { minor: 10_001n },
      receive: { minor: 9_901n },
    });
  });

  test.each<[string, Market, FixedSide]>([
    ['less than a minor unit of the coin', buy('60000000000'), { side: 'spend', minor: 1n }],
    ['less than a cent', sell('60000'), { side: 'spend', minor: 10n }],
    ['a fee that takes all', buy('1', { fees: [rule({ flat: 100n })] }), { side: 'spend', minor: 100n }],
    [
      'a fee that takes all of a sale',
      sell('1', { fees: [rule({ flat: 99n })] }),
      { side: 'spend', minor: 10n ** 8n },
    ],
    [
      'a fee of everything',
      buy('1', { fees: [rule({ rateBps: '10000' })] }),
      { side: 'receive', minor: 10n ** 8n },
    ],
    [
      'the same of a sale',
      sell('1', { fees: [rule({ rateBps: '10000' })] }),
      { side: 'receive', minor: 100n },
    ],
    ['more than the books hold', buy('6000000000'), { side: 'receive', minor: 10n ** 37n }],
    ['spreads of everything', buy('1', { spreadBps: 10_000 }), { side: 'receive', minor: 100n }],
  ])('%s is not convertible', (_name, of, fixed) => {
    expect(priced(of, fixed)).toBeNull();
  });

  test('there is no road without a rate, or with a stale one', () => {
    expect(coinRoad(buy('1', { currency: 'USD' }))).toBeNull();
    expect(coinRoad(sell('1', { currency: 'USD', rates: [{ ...EURUSD, stale: true }] }))).toBeNull();
  });
});

describe('of every price, spread, fee and amount', () => {
  const Fees = fc.record({
    flat: fc.bigInt({ min: 0n, max: 500n }),
    rateBps: fc.nat({ max: 500 }).map(String),
    minimum: fc.option(fc.bigInt({ min: 0n, max: 1_000n })),
    tierMode: fc.constantFrom('graduated', 'slab'),
    tiers: fc
      .array(
        fc.record({ above: fc.bigInt({ min: 1n, max: 10n ** 7n }), flat: fc.bigInt({ min: 0n, max: 900n }) }),
        {
          maxLength: 2,
        },
      )
      .map((tiers) =>
        tiers
          .map((tier) => ({ ...tier, rateBps: '40' }))
          .toSorted((one, other) => (one.above < other.above ? -1 : 1)),
      ),
  });
  const AnyMarket = fc.record({
    price: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.nat({ max: 6 })).map(([digits, places]) => {
      const text = digits.toString().padStart(places + 1, '0');
      return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
    }),
    spreadBps: fc.nat({ max: 5_000 }),
    fees: fc
      .array(Fees, { maxLength: 2 })
      .map((made) => made.map((fee, index) => rule({ ...fee, code: `code${String(index)}` }))),
    coin: fc.constantFrom('BTC', 'ETH'),
  });
  const Amount = fc.bigInt({ min: 1n, max: 10n ** 20n });

  test('buying and selling at once never yields a gain', () => {
    fc.assert(
      fc.property(AnyMarket, Amount, ({ price, ...more }, spend) => {
        const bought = priced(buy(price, more), { side: 'spend', minor: spend });
        if (bought === null) return;
        const sold = priced(sell(price, more), { side: 'spend', minor: bought.receive.minor });
        expect(sold === null || sold.receive.minor <= spend).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('nor does buying for so many coins, or selling for so much money', () => {
    fc.assert(
      fc.property(AnyMarket, Amount, ({ price, ...more }, wanted) => {
        const bought = priced(buy(price, more), { side: 'receive', minor: wanted });
        if (bought === null) return;
        expect(bought.receive.minor).toBeGreaterThanOrEqual(wanted);
        const back = priced(sell(price, more), { side: 'receive', minor: bought.spend.minor });
        expect(back === null || back.spend.minor >= bought.receive.minor).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('what is spent is the subtotal and the fee of the rules, and the spread is what the middle gives more', () => {
    fc.assert(
      fc.property(
        AnyMarket,
        Amount,
        fc.constantFrom('buy', 'sell'),
        fc.constantFrom('spend', 'receive'),
        ({ price, ...more }, amount, side, fixed) => {
          const of = market(price, { ...more, side });
          const made = priced(of, { side: fixed, minor: amount });
          if (made === null) return;
          const gross = side === 'buy' ? made.spend.minor : made.subtotal.minor;
          expect(made.fees).toEqual(feeLines(of.fees, gross));
          const fee = made.fees.reduce((sum, line) => sum + line.minor, 0n);
          expect(side === 'buy' ? made.subtotal.minor + fee : made.receive.minor + fee).toBe(gross);
          const { mid, spread } = made.conversion.exchange;
          const got = side === 'buy' ? made.receive.minor : made.subtotal.minor;
          expect(mid.minor).toBe(got + spread.minor);
          expect(spread.minor).toBeGreaterThanOrEqual(0n);
          // one minor unit less would not do
          if (fixed === 'receive' && made.receive.minor === amount) {
            const less = priced(of, { side: 'spend', minor: made.spend.minor - 1n });
            expect(less === null || less.receive.minor < amount).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
