/** Which changes make the bank less careful: each operation's rule by itself. */
import { describe, expect, test } from '@jest/globals';
import { loosensLimits, loosensType, type TypeTerms } from '../../../domain/accounts/loosening.ts';
import { loosensCoinLimits, type CoinLimit } from '../../../domain/crypto/limits.ts';
import { empowers, letsIn } from '../../../domain/identity/deciding-actions.ts';
import { hidingPersonal, maskedEmail } from '../../../domain/identity/personal-data.ts';
import { leavesBand } from '../../../domain/pricing/rate-band.ts';
import {
  loosensTransfers,
  type TransferControls,
  type TypeLimit,
} from '../../../domain/transfers/loosening.ts';

describe('limits of an account', () => {
  const before = { minBalance: 100n, maxBalance: 1_000n, overdraftLimit: 0n };
  test.each([
    ['a higher overdraft', { overdraftLimit: 1n }, true],
    ['a lower balance to keep', { minBalance: 99n }, true],
    ['a higher maximum', { maxBalance: 1_001n }, true],
    ['no maximum', { maxBalance: null }, true],
    ['the same limits', {}, false],
    ['a higher balance to keep', { minBalance: 101n }, false],
    ['a lower maximum', { maxBalance: 999n }, false],
    ['a lower maximum with a higher overdraft', { maxBalance: 999n, overdraftLimit: 1n }, true],
  ])('%s', (_what, change, loosens) => {
    expect(loosensLimits(before, { ...before, ...change })).toBe(loosens);
  });

  test('a first maximum and a lower overdraft tighten', () => {
    const open = { minBalance: 0n, maxBalance: null, overdraftLimit: 500n };
    expect(loosensLimits(open, { ...open, maxBalance: 1n, overdraftLimit: 499n })).toBe(false);
  });
});

describe('an account type', () => {
  const before: TypeTerms = {
    ...{ minBalance: 0n, maxBalance: null, overdraftLimit: 0n },
    ...{ enabled: true, openableBy: 'request', kycLevelRequired: 1 },
  };
  test.each<[string, Partial<TypeTerms>, boolean]>([
    ['opened at once instead of after a review', { openableBy: 'customer' }, true],
    ['for customers who are known less', { kycLevelRequired: 0 }, true],
    ['with an overdraft', { overdraftLimit: 1n }, true],
    ['for customers who are known better', { kycLevelRequired: 2 }, false],
    ['disabled', { enabled: false, overdraftLimit: 1_000n }, false],
    ['as it was', {}, false],
  ])('%s', (_what, change, loosens) => {
    expect(loosensType(before, { ...before, ...change })).toBe(loosens);
  });

  test('a new one that is enabled loosens, as does enabling one; a disabled or deleted one does not', () => {
    const off = { ...before, enabled: false };
    expect([loosensType(null, before), loosensType(off, before)]).toEqual([true, true]);
    expect([loosensType(null, off), loosensType(before, null)]).toEqual([false, false]);
  });
});

describe('a kind of transfer', () => {
  const limit: TypeLimit = {
    ...{ asset: 'EUR', kycLevel: 1, subject: 'user', single: 100n, day: 200n, month: null },
  };
  const before: TransferControls = {
    enabled: true,
    currencies: [{ asset: 'EUR', approvalAbove: 50n }],
    limits: [limit],
  };
  const eur = (approvalAbove: bigint) => [{ asset: 'EUR', approvalAbove }];
  test.each<[string, Partial<TransferControls>, boolean]>([
    ['a higher threshold', { currencies: eur(51n) }, true],
    ['a lower threshold', { currencies: eur(49n) }, false],
    ['another currency', { currencies: [...eur(50n), { asset: 'USD', approvalAbove: 0n }] }, true],
    ['no currency', { currencies: [] }, false],
    ['a higher limit', { limits: [{ ...limit, day: 201n }] }, true],
    ['no limit', { limits: [] }, true],
    ['a lower limit', { limits: [{ ...limit, single: 99n }] }, false],
    ['a first limit of the month', { limits: [{ ...limit, month: 1n }] }, false],
    ['a limit for another subject beside it', { limits: [limit, { ...limit, subject: 'account' }] }, false],
    ['the same limit for another subject instead', { limits: [{ ...limit, subject: 'account' }] }, true],
    // whoever has reached no level has the limit of the lowest
    ['a lower level with a higher limit', { limits: [limit, { ...limit, kycLevel: 0, day: 999n }] }, true],
    ['a higher level with a higher limit', { limits: [limit, { ...limit, kycLevel: 2, day: 999n }] }, true],
    ['a higher level with a lower limit', { limits: [limit, { ...limit, kycLevel: 2, day: 1n }] }, false],
    ['switched off', { enabled: false, limits: [] }, false],
    ['as it was', {}, false],
  ])('%s', (_what, change, loosens) => {
    expect(loosensTransfers(before, { ...before, ...change })).toBe(loosens);
  });

  test('switched on again', () => {
    expect(loosensTransfers({ ...before, enabled: false }, before)).toBe(true);
  });
});

describe('limits of coins', () => {
  const limit = (kycLevel: number, day: bigint | null, month: bigint | null): CoinLimit => ({
    ...{ kycLevel, day, month },
  });
  const [low, high] = [limit(1, 100n, 500n), limit(2, 200n, null)];
  test.each<[string, readonly CoinLimit[], boolean]>([
    ['as they were, in another order', [high, low], false],
    ['more in 24 hours', [limit(1, 101n, 500n), high], true],
    ['more in 30 days', [limit(1, 100n, 501n), high], true],
    ['less in 24 hours', [limit(1, 99n, 500n), high], false],
    ['without one of the 30 days', [limit(1, 100n, null), high], true],
    ['with a first one of the 30 days', [low, limit(2, 200n, 9n)], false],
    ['without the higher level', [low], false],
    // the lowest level holds for whoever has not reached it
    ['without the lower level', [high], true],
    ['with a lower level that allows more', [limit(0, 101n, 500n), low, high], true],
    ['with a lower level that allows less', [limit(0, 99n, 500n), low, high], false],
    ['with a higher level that allows more', [low, high, limit(3, 201n, null)], true],
    ['without any', [], true],
  ])('%s', (_what, after, loosens) => {
    expect(loosensCoinLimits([low, high], after)).toBe(loosens);
  });

  test('the first ones tighten', () => {
    expect(loosensCoinLimits([], [limit(0, 1n, 1n)])).toBe(false);
  });
});

describe('an exchange rate', () => {
  const now = new Date('2026-03-01T09:30:00Z');
  const rate = (value: string, opposite: string | null = null, validFrom = now) => ({
    added: { rate: value, validFrom, createdAt: now },
    opposite,
  });
  test.each([
    ['inside the band', ['1.00'], '1.02', null, false],
    ['at the lower end of the band', ['1.00'], '0.98', null, false],
    ['above the band', ['1.00'], '1.0201', null, true],
    ['below the band', ['1.00'], '0.9799', null, true],
    ['a thousand times too high', ['1.0825'], '1082.5', null, true],
    [
      'inside the band of the last, and outside that of an earlier one of the day',
      ['1.00', '1.02'],
      '1.03',
      null,
      true,
    ],
    ['the first of its pair', [], '1.00', null, true],
    ['the first of its pair, as its opposite says', [], '0.5', '2', false],
    ['by which exchanging to and fro gains', ['0.5'], '0.501', '2', true],
    ['by which exchanging to and fro loses', ['0.5'], '0.499', '2', false],
  ])('%s', (_what, recent, value, opposite, leaves) => {
    expect(leavesBand(recent, rate(value, opposite), 200)).toBe(leaves);
  });

  test('that begins in the past leaves the band, by the delay of a feed it does not', () => {
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    expect(leavesBand(['1'], rate('1', null, ago(6)), 200)).toBe(true);
    expect(leavesBand(['1'], rate('1', null, ago(4)), 200)).toBe(false);
  });

  test('that was not added leaves nothing, and a band of nothing lets only the same rate pass', () => {
    expect(leavesBand(['1'], { added: null, opposite: null }, 200)).toBe(false);
    expect([leavesBand(['1'], rate('1.000'), 0), leavesBand(['1'], rate('1.0001'), 0)]).toEqual([
      false,
      true,
    ]);
  });
});

test('to be given an action that decides empowers; to keep it, or to be given another one, does not', () => {
  const standing = (...actions: string[]) => ({ actions, status: 'active' as const });
  expect(empowers(null, standing('transfers:review'))).toBe(true);
  expect(empowers(standing('users:read'), standing('fx:write', 'users:read'))).toBe(true);
  expect(empowers(standing('fx:write'), standing('fx:write', 'users:read'))).toBe(false);
  expect(empowers(standing('fx:write'), standing())).toBe(false);
  expect(empowers(null, standing('tickets:read'))).toBe(false);
});

test('personal data is hidden at any depth, and what says nothing of a person is not', () => {
  const at = new Date(0);
  const state = {
    email: 'a@b.test',
    phone: null,
    list: [{ last_name: 'Lind', id: 1 }],
    owner: { address: {} },
    at,
  };
  expect(hidingPersonal(state)).toEqual({
    ...{ email: '•••', phone: null, list: [{ last_name: '•••', id: 1 }], owner: { address: '•••' }, at },
  });
  expect(maskedEmail('ann@example.com')).toBe('a•••@example.com');
});

test('to let somebody in who was blocked loosens if they can decide, and to block nobody does', () => {
  const standing = (status: 'pending' | 'active' | 'blocked', ...actions: string[]) => ({ actions, status });
  expect(letsIn(standing('blocked', 'transfers:review'), standing('active', 'transfers:review'))).toBe(true);
  expect(letsIn(standing('blocked', 'fx:write'), standing('pending', 'fx:write'))).toBe(true);
  expect(letsIn(standing('blocked', 'users:read'), standing('active', 'users:read'))).toBe(false);
  expect(letsIn(standing('active', 'fx:write'), standing('blocked', 'fx:write'))).toBe(false);
  expect(letsIn(standing('active', 'fx:write'), standing('active', 'fx:write'))).toBe(false);
  expect(letsIn(null, null)).toBe(false);
});
