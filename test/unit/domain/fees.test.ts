/** Fees to the last digit: tables calculated by hand, and what holds of every rule. */
import { describe, expect, test } from '@jest/globals';
import { feeLines, feeOf, type FeeFormula, type FeeRule } from '../../../domain/pricing/fees.ts';
import { FeeRuleId } from '../../../domain/ids.ts';
import { MAX_MINOR, parseMoney } from '../../../domain/money.ts';
import { fc } from '../../support/property.ts';

const NOTHING: FeeFormula = {
  flat: 0n,
  rateBps: '0',
  minimum: null,
  maximum: null,
  tierMode: 'graduated',
  tiers: [],
};

function minor(amount: string, currency: string): bigint {
  const money = parseMoney({ amount, currency });
  if (typeof money === 'string') throw new Error(money);
  return money.minor;
}

describe('a fee calculated by hand', () => {
  test.each<[string, string, string, Partial<FeeFormula>, string]>([
    ['flat, whatever the amount', 'EUR', '123.45', { flat: 150n }, '1.50'],
    ['1.5 % of a large amount', 'EUR', '123456789.00', { rateBps: '150' }, '1851851.84'],
    [
      '1 % of half a cent more: right between two, to the even one below',
      'EUR',
      '0.50',
      { rateBps: '100' },
      '0.00',
    ],
    ['1 % of 1.50: right between two, to the even one above', 'EUR', '1.50', { rateBps: '100' }, '0.02'],
    ['1 % of 2.50: right between two, to the even one below', 'EUR', '2.50', { rateBps: '100' }, '0.02'],
    ['a hair over the half goes up', 'EUR', '2.51', { rateBps: '100' }, '0.03'],
    ['a fraction of a basis point', 'EUR', '1000000.00', { rateBps: '0.5' }, '50.00'],
    ['a millionth of a basis point', 'EUR', '10000000000.00', { rateBps: '0.000001' }, '1.00'],
    ['a third that has no end is rounded once', 'EUR', '100.00', { rateBps: '33.333333' }, '0.33'],
    [
      'flat and percentage are added before the rounding',
      'EUR',
      '0.50',
      { flat: 1n, rateBps: '100' },
      '0.02',
    ],
    ['flat and percentage', 'EUR', '200.00', { flat: 35n, rateBps: '290' }, '6.15'],
    ['the minimum', 'EUR', '10.00', { rateBps: '100', minimum: 250n }, '2.50'],
    ['the maximum', 'EUR', '100000.00', { rateBps: '100', maximum: 5_000n }, '50.00'],
    [
      'between minimum and maximum',
      'EUR',
      '300.00',
      { rateBps: '100', minimum: 250n, maximum: 5_000n },
      '3.00',
    ],
    ['the whole amount', 'EUR', '9.99', { rateBps: '10000' }, '9.99'],
    ['yen have no digits: 0.5 is even below', 'JPY', '50', { rateBps: '100' }, '0'],
    ['yen have no digits: 1.5 is even above', 'JPY', '150', { rateBps: '100' }, '2'],
    ['yen, 0.35 % of 12345', 'JPY', '12345', { rateBps: '35' }, '43'],
    ['dinars have three digits', 'KWD', '1234.567', { rateBps: '25' }, '3.086'],
    ['unidades de fomento have four', 'CLF', '0.0150', { rateBps: '100' }, '0.0002'],
    ['unidades de fomento, 1.5 %', 'CLF', '123456.7891', { rateBps: '150' }, '1851.8518'],
  ])('%s', (_name, currency, amount, formula, fee) => {
    expect(feeOf({ ...NOTHING, ...formula }, minor(amount, currency))).toBe(minor(fee, currency));
  });

  test('of the largest amount the books hold', () => {
    expect(feeOf({ ...NOTHING, rateBps: '10000' }, MAX_MINOR)).toBe(MAX_MINOR);
    // 1.5 % of 99999999999999999999999999999999999999 is 1499999999999999999999999999999999999.985
    expect(feeOf({ ...NOTHING, rateBps: '150' }, MAX_MINOR)).toBe(15n * 10n ** 35n);
    expect(feeOf({ ...NOTHING, rateBps: '33.333333' }, MAX_MINOR)).toBe(
      // 33333333 parts in ten thousand million
      333_333_330_000_000_000_000_000_000_000_000_000n,
    );
  });
});

/** 1 % up to 1,000.00; 0.5 % and 1.00 from there to 10,000.00; 0.1 % beyond. */
const TIERS: Pick<FeeFormula, 'rateBps' | 'tiers'> = {
  rateBps: '100',
  tiers: [
    { above: 100_000n, flat: 100n, rateBps: '50' },
    { above: 1_000_000n, flat: 0n, rateBps: '10' },
  ],
};

describe('tiers calculated by hand', () => {
  test.each([
    ['inside the first', '999.99', '10.00', '10.00'],
    ['a limit belongs to the tier below', '1000.00', '10.00', '10.00'],
    // graduated: 10.00 + 1.00 + 0.00005; slab: 1.00 + 5.00005
    ['one cent over the first limit', '1000.01', '11.00', '6.00'],
    ['inside the second', '5000.00', '31.00', '26.00'],
    ['at the second limit', '10000.00', '56.00', '51.00'],
    ['one cent over the second limit', '10000.01', '56.00', '10.00'],
    ['far inside the last', '1000000.00', '1046.00', '1000.00'],
    // 10.00 + 1.00 + 45.00 + 113.45678; 123.45678
    ['with a rounding at the end only', '123456.78', '169.46', '123.46'],
    ['of nothing', '0.00', '0.00', '0.00'],
  ])('%s', (_name, amount, graduated, slab) => {
    const fee = (tierMode: FeeFormula['tierMode']): bigint =>
      feeOf({ ...NOTHING, ...TIERS, tierMode }, minor(amount, 'EUR'));
    expect([fee('graduated'), fee('slab')]).toEqual([minor(graduated, 'EUR'), minor(slab, 'EUR')]);
  });
});

const amounts = fc.bigInt({ min: 0n, max: 10n ** 24n });
const bps = fc
  .tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, millionths]) => `${whole}.${String(millionths).padStart(6, '0')}`);
const bounds = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 12n }))
  .map(([low, more]) => ({ minimum: low, maximum: low + more }));
const formulas = fc.record({
  flat: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  rateBps: bps,
  tierMode: fc.constantFrom('graduated' as const, 'slab' as const),
  tiers: fc.uniqueArray(fc.bigInt({ min: 1n, max: 10n ** 20n }), { maxLength: 6 }).chain((limits) =>
    fc.tuple(
      ...limits
        .toSorted((a, b) => (a < b ? -1 : 1))
        .map((above) =>
          fc.record({
            above: fc.constant(above),
            flat: fc.bigInt({ min: 0n, max: 10n ** 9n }),
            rateBps: bps,
          }),
        ),
    ),
  ),
});

describe('of every rule', () => {
  test('minimum ≤ fee ≤ maximum', () => {
    fc.assert(
      fc.property(formulas, bounds, amounts, (formula, { minimum, maximum }, amount) => {
        const fee = feeOf({ ...formula, minimum, maximum }, amount);
        expect(fee >= minimum && fee <= maximum).toBe(true);
      }),
    );
  });

  test('without slabs, moving more never costs less', () => {
    fc.assert(
      fc.property(formulas, amounts, amounts, (formula, a, more) => {
        const rule = { ...formula, tierMode: 'graduated' as const, minimum: null, maximum: null };
        expect(feeOf(rule, a + more) >= feeOf(rule, a)).toBe(true);
      }),
    );
  });

  test('a graduated fee is the sum of its slices, but for the one rounding', () => {
    fc.assert(
      fc.property(formulas, amounts, (formula, amount) => {
        const rule = { ...NOTHING, ...formula, tierMode: 'graduated' as const };
        const limits = [0n, ...rule.tiers.map(({ above }) => above)];
        const slices = [rule, ...rule.tiers].flatMap(({ flat, rateBps }, index) => {
          const from = limits[index] ?? 0n;
          const end = limits[index + 1] ?? amount;
          const slice = (amount < end ? amount : end) - from;
          return index === 0 || slice > 0n ? [feeOf({ ...NOTHING, flat, rateBps }, slice)] : [];
        });
        const difference = feeOf(rule, amount) - slices.reduce((sum, slice) => sum + slice, 0n);
        expect(difference <= BigInt(slices.length) && -difference <= BigInt(slices.length)).toBe(true);
      }),
    );
  });

  test('tiers that all say the same are as good as none', () => {
    fc.assert(
      fc.property(formulas, amounts, (formula, amount) => {
        const tiers = formula.tiers.map(({ above }) => ({ above, flat: 0n, rateBps: formula.rateBps }));
        const graduated = feeOf({ ...NOTHING, ...formula, tierMode: 'graduated', tiers }, amount);
        expect(graduated).toBe(feeOf({ ...NOTHING, ...formula, tiers: [] }, amount));
      }),
    );
  });
});

describe('which rules a transfer pays', () => {
  const ACCOUNT_TYPE = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
  const rule = (name: number, more: Partial<FeeRule> = {}): FeeRule => ({
    ...NOTHING,
    ruleId: FeeRuleId.parse(`0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d${name}`),
    version: name,
    code: 'fee',
    description: 'Fee',
    transferType: null,
    accountTypeId: null,
    priority: 0,
    flat: BigInt(name),
    ...more,
  });
  const paid = (...rules: FeeRule[]): bigint[] => feeLines(rules, 100n).map(({ minor: fee }) => fee);

  test('one of each code, in the order of their codes', () => {
    expect(paid(rule(11, { code: 'urgent' }), rule(12), rule(13))).toEqual([13n, 11n]);
  });
  test('the highest priority before all else', () => {
    expect(
      paid(rule(11, { priority: 1 }), rule(12, { accountTypeId: ACCOUNT_TYPE, transferType: 'sepa' })),
    ).toEqual([11n]);
  });
  test('then the one for the account type, then the one for the transfer type, then the newest', () => {
    const type = rule(11, { accountTypeId: ACCOUNT_TYPE });
    const transfer = rule(12, { transferType: 'sepa' });
    const both = rule(10, { accountTypeId: ACCOUNT_TYPE, transferType: 'sepa' });
    expect([
      paid(transfer, type),
      paid(rule(13), transfer),
      paid(type, both, transfer),
      paid(rule(14), rule(15)),
    ]).toEqual([[11n], [12n], [10n], [15n]]);
  });
  test('a line of zero is no line', () => {
    expect(feeLines([rule(11, { flat: 0n })], 100n)).toEqual([]);
  });
});
