/** Which changes of a card product, and of a card's own controls and limits, loosen. */
import { describe, expect, test } from '@jest/globals';
import {
  addsNumbers,
  loosensCardLimits,
  loosensControls,
  loosensProduct,
} from '../../../domain/cards/loosening.ts';
import type { CardControl, CardLimit, ProductTerms } from '../../../domain/cards/products.ts';

const control = (mode: 'allow' | 'block', ...values: string[]): CardControl => ({
  type: 'country',
  mode,
  values,
});
const limit = (amount: string | null, count: number | null = null): CardLimit => ({
  ...{ period: 'day', scope: 'all' as const, amount, count },
});

describe('controls', () => {
  test.each([
    ['a list of what is allowed that grows', [control('allow', 'DE')], [control('allow', 'DE', 'FR')], true],
    ['one that shrinks', [control('allow', 'DE', 'FR')], [control('allow', 'DE')], false],
    ['a list of what is blocked that grows', [control('block', 'DE')], [control('block', 'DE', 'FR')], false],
    ['one that shrinks', [control('block', 'DE', 'FR')], [control('block', 'DE')], true],
    ['a control that is gone', [control('block', 'DE')], [], true],
    ['one that is new', [], [control('block', 'DE')], false],
    ['another way of control', [control('block', 'DE')], [control('allow', 'FR')], true],
  ])('%s', (_what, before, after, loosens) => {
    expect(loosensControls(before, after)).toBe(loosens);
  });
});

describe('limits', () => {
  test.each([
    ['a higher amount', limit('100'), limit('101'), true],
    ['the same', limit('100', 3), limit('100', 3), false],
    ['a lower amount', limit('100'), limit('9'), false],
    ['no amount', limit('100'), limit(null, 1), true],
    ['more payments', limit(null, 1), limit(null, 2), true],
    ['an amount beside the number', limit(null, 1), limit('5', 1), false],
    ['another period', limit('100'), { ...limit('1'), period: 'month' }, true],
  ])('%s', (_what, before, after, loosens) => {
    expect(loosensCardLimits([before], [after])).toBe(loosens);
  });
});

describe('products', () => {
  const terms: ProductTerms = {
    ...{ enabled: true, accountTypeIds: ['a'], validityMonths: 48, holdRules: [], controls: [], limits: [] },
    sca: { mode: 'amount', amount: '15000', count: null },
    scaRemote: { amount: '10000', count: 5 },
    ...{ pinTries: 3, standInLimit: 0n },
  };
  test.each([
    ['a new one', null, terms, true],
    ['one that is gone', terms, null, false],
    ['one that is disabled', terms, { ...terms, enabled: false, pinTries: 9 }, false],
    ['one that is enabled', { ...terms, enabled: false }, terms, true],
    ['another account type', terms, { ...terms, accountTypeIds: ['a', 'b'] }, true],
    ['every account type', terms, { ...terms, accountTypeIds: [] }, true],
    ['one of all account types', { ...terms, accountTypeIds: [] }, terms, false],
    ['a longer life', terms, { ...terms, validityMonths: 60 }, false],
    ['no check of the customer', terms, { ...terms, sca: { ...terms.sca, mode: 'off' as const } }, true],
    ['a check that was not there', { ...terms, sca: { ...terms.sca, mode: 'off' as const } }, terms, false],
    ['a check later without the card', terms, { ...terms, scaRemote: { amount: '10000', count: 6 } }, true],
    ['a check later', terms, { ...terms, sca: { ...terms.sca, amount: '15001' } }, true],
  ])('%s', (_what, before, after, loosens) => {
    expect(loosensProduct(before, after)).toBe(loosens);
  });
});

test('numbers are added by a range that is wider, and by one that is new', () => {
  const range = (first: bigint, last: bigint) => ({ first, last });
  expect(addsNumbers([range(10n, 20n)], [range(10n, 20n)])).toBe(false);
  expect(addsNumbers([range(10n, 20n)], [range(12n, 15n)])).toBe(false);
  expect(addsNumbers([range(10n, 20n)], [])).toBe(false);
  expect(addsNumbers([range(10n, 20n)], [range(10n, 21n)])).toBe(true);
  expect(addsNumbers([], [range(1n, 1n)])).toBe(true);
});
