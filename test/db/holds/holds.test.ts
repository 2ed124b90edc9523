/** Holds: opened, changed, captured in parts and released, by the functions that every source of holds calls. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AccountId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  book,
  captureHold,
  changeHold,
  expireDue,
  grantRights,
  holdAt,
  mustHold,
  openHold,
  releaseHold,
  standing,
  suspended,
  type OpenWish,
} from '../../support/bank/holds.ts';
import { ownBank } from '../../support/stack/database.ts';

const PAST = '2026-01-01T00:00:00Z';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await grantRights(books.asOwner);
});
afterAll(() => books.close());

const funded = async (minor: bigint): Promise<AccountId> => {
  const account = await books.account(await books.user());
  if (minor > 0n) await books.fund(account, minor);
  return account;
};
const held = (
  account: AccountId,
  minor: bigint,
  wish: Parameters<typeof mustHold>[3] = {},
): Promise<string> => mustHold(books.asOwner, account, minor, wish);
const status = (account: AccountId, wanted: string) =>
  books.asOwner('update accounts set status = $2 where id = $1', [account, wanted]);

describe('a hold', () => {
  test('takes from what is available, and its repeat takes nothing more', async () => {
    const account = await funded(100n);
    const source = randomUUID();
    const first = await openHold(books.asOwner, { account, minor: 60n, source });
    expect(first).toEqual({ hold: expect.any(String), refusal: null });
    expect(await openHold(books.asOwner, { account, minor: 60n, source })).toEqual(first);
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 100n, held: 60n });
    expect(await book(books.asOwner, { account, minor: -41n })).toBe('insufficient_funds');
    expect(await book(books.asOwner, { account, minor: -40n })).toBe('posted');
  });

  test('is refused beyond the balance, on an account that gives nothing, and on what is no customer’s account', async () => {
    const account = await funded(100n);
    const refused = async (wish: Partial<OpenWish> = {}) =>
      (await openHold(books.asOwner, { account, minor: 1n, ...wish })).refusal;
    expect(await refused({ minor: 101n })).toBe('insufficient_funds');
    expect(await refused({ asset: 'USD' })).toBe('currency_mismatch');
    for (const wanted of ['blocked', 'frozen']) {
      await status(account, wanted);
      expect(await refused()).toBe('account_blocked');
    }
    const closed = await funded(0n);
    await books.asOwner(`select account_set_status($1, 'closed')`, [closed]);
    expect(await refused({ account: closed })).toBe('account_closed');
    expect(await refused({ account: closed, must: true })).toBe('account_closed');
    expect(await refused({ account: randomUUID() as AccountId })).toBe('not_found');
    const [house] = await books.asOwner(`select house_account('fees', 'EUR', uuidv7()) as id`);
    expect(await refused({ account: house?.['id'] as AccountId })).toBe('not_found');
  });

  test('grows within the balance and shrinks; at nothing it is released, and can be opened again', async () => {
    const account = await funded(100n);
    const hold = await held(account, 50n);
    expect(await changeHold(books.asOwner, hold, 101n)).toBe('insufficient_funds');
    expect(await changeHold(books.asOwner, hold, 100n)).toBeNull();
    expect(await changeHold(books.asOwner, hold, 100n)).toBeNull();
    expect(await changeHold(books.asOwner, hold, 30n)).toBeNull();
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 30n });
    expect(await changeHold(books.asOwner, hold, 0n)).toBeNull();
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'released', ended: true });
    await releaseHold(books.asOwner, hold);
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 0n });
    expect(await changeHold(books.asOwner, hold, 70n)).toBeNull();
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open', amount: 70n, ended: false });
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 70n });
  });

  test('of a blocked account shrinks and does not grow', async () => {
    const account = await funded(100n);
    const hold = await held(account, 50n);
    await status(account, 'blocked');
    expect(await changeHold(books.asOwner, hold, 51n)).toBe('account_blocked');
    expect(await changeHold(books.asOwner, hold, 49n)).toBeNull();
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 49n });
  });

  test('that must be there passes balance and freeze, and is marked as unarranged', async () => {
    const account = await funded(100n);
    await status(account, 'frozen');
    const hold = await held(account, 150n, { must: true });
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 150n, unarranged: 50n });
    expect(await changeHold(books.asOwner, hold, 180n, { must: true })).toBeNull();
    expect(await standing(books.asOwner, account)).toMatchObject({ unarranged: 80n, since: true });
    expect(await changeHold(books.asOwner, hold, 100n)).toBeNull();
    expect(await standing(books.asOwner, account)).toMatchObject({ unarranged: 0n, since: false });
  });
});

describe('a capture', () => {
  test('in parts leaves the rest held, and a final one lets go of it', async () => {
    const account = await funded(100n);
    const hold = await held(account, 80n);
    const part = (minor: bigint, final: boolean) =>
      captureHold(books.asOwner, hold, { account, minor: -minor }, final);
    expect(await part(30n, false)).toBe('posted');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 70n, held: 50n });
    expect(await part(51n, true)).toBe('hold_exceeded');
    expect(await part(20n, true)).toBe('posted');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 50n, held: 0n });
    expect(await holdAt(books.asOwner, hold)).toEqual({
      ...{ status: 'captured', amount: 80n, captured: 50n, ended: true },
    });
    expect(await changeHold(books.asOwner, hold, 10n)).toBe('hold_captured');
    expect(await part(1n, true)).toBe('hold_exceeded');
  });

  test('of all that is held leaves the hold open for more, unless it is final', async () => {
    const account = await funded(100n);
    const hold = await held(account, 40n);
    expect(await captureHold(books.asOwner, hold, { account, minor: -40n }, false)).toBe('posted');
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open', captured: 40n });
    expect(await changeHold(books.asOwner, hold, 25n)).toBeNull();
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ amount: 65n, captured: 40n });
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 60n, held: 25n });
  });

  test('is booked once: its repeat is a duplicate, even when nothing is left', async () => {
    const account = await funded(100n);
    const hold = await held(account, 40n);
    const capture = { account, minor: -40n, source: randomUUID() };
    expect(await captureHold(books.asOwner, hold, capture, true)).toBe('posted');
    expect(await captureHold(books.asOwner, hold, capture, true)).toBe('duplicate');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 60n, held: 0n });
  });

  test('of more than is held needs the right, and money for the rest or the right to pass without', async () => {
    const account = await funded(100n);
    const hold = await held(account, 40n);
    const more = (minor: bigint, kind: 'late' | 'clearing') =>
      captureHold(books.asOwner, hold, { account, minor: -minor, kind }, false);
    expect(await more(101n, 'late')).toBe('insufficient_funds');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 100n, held: 40n });
    expect(await more(60n, 'late')).toBe('posted');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 40n, held: 0n });
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open', amount: 40n, captured: 40n });
    expect(await more(90n, 'clearing')).toBe('posted');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: -50n, unarranged: 50n });
  });

  test('that the account refuses leaves everything as it was', async () => {
    const account = await funded(100n);
    const hold = await held(account, 40n);
    await status(account, 'blocked');
    expect(await captureHold(books.asOwner, hold, { account, minor: -40n }, true)).toBe('account_blocked');
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 100n, held: 40n });
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open', captured: 0n });
  });

  test('of what must be held and must be booked does not interrupt the time below the limit', async () => {
    const account = await funded(0n);
    const hold = await held(account, 30n, { must: true });
    const since = async () =>
      (await books.asOwner('select unarranged_since from accounts where id = $1', [account]))[0];
    const before = await since();
    expect(await captureHold(books.asOwner, hold, { account, minor: -30n, kind: 'clearing' }, true)).toBe(
      'posted',
    );
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: -30n, held: 0n, unarranged: 30n });
    expect(await since()).toEqual(before);
    const again = { account, minor: -(10n ** 38n), kind: 'clearing' } as const;
    expect(await captureHold(books.asOwner, hold, again, false)).toBe('balance_limit');
  });

  test('after the account has closed goes to suspense, if it must be booked', async () => {
    const account = await funded(50n);
    const hold = await held(account, 50n);
    await releaseHold(books.asOwner, hold);
    await book(books.asOwner, { account, minor: -50n });
    await books.asOwner(`select account_set_status($1, 'closed')`, [account]);
    expect(await captureHold(books.asOwner, hold, { account, minor: -50n, kind: 'clearing' }, true)).toBe(
      'posted',
    );
    expect(await suspended(books.asOwner, account)).toEqual([{ sum: '-50', why: 'account_closed' }]);
  });

  test('takes money from the account of the hold, or is a mistake', async () => {
    const account = await funded(100n);
    const hold = await held(account, 40n);
    await expect(captureHold(books.asOwner, hold, { account, minor: 40n }, true)).rejects.toThrow(
      /takes nothing/,
    );
    const other = await funded(100n);
    await expect(captureHold(books.asOwner, hold, { account: other, minor: -40n }, true)).rejects.toThrow(
      /takes nothing/,
    );
  });
});

describe('at the same moment', () => {
  test('twenty captures of a tenth each are ten', async () => {
    const account = await funded(100n);
    const hold = await held(account, 100n);
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => captureHold(books.asOwner, hold, { account, minor: -10n }, false)),
    );
    expect(verdicts.filter((verdict) => verdict === 'posted')).toHaveLength(10);
    expect(verdicts.filter((verdict) => verdict === 'hold_exceeded')).toHaveLength(10);
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 0n, held: 0n });
  });

  test('the same hold twenty times is one, and twenty holds are as many as there is money for', async () => {
    const account = await funded(100n);
    const source = randomUUID();
    const same = await Promise.all(
      Array.from({ length: 20 }, () => openHold(books.asOwner, { account, minor: 30n, source })),
    );
    expect(new Set(same.map(({ hold }) => hold)).size).toBe(1);
    const others = await Promise.all(
      Array.from({ length: 20 }, () => openHold(books.asOwner, { account, minor: 10n })),
    );
    expect(others.filter(({ refusal }) => refusal === null)).toHaveLength(7);
    expect(await standing(books.asOwner, account)).toMatchObject({ held: 100n });
  });

  test('captures, changes, releases and expiry of one hold leave nothing held, whoever wins', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await funded(100n);
      const hold = await held(account, 50n, { until: PAST });
      await Promise.all([
        captureHold(books.asOwner, hold, { account, minor: -50n }, true),
        changeHold(books.asOwner, hold, 80n, { until: PAST }),
        releaseHold(books.asOwner, hold),
        expireDue(books.asOwner),
        expireDue(books.asOwner),
      ]);
      await releaseHold(books.asOwner, hold);
      expect(await standing(books.asOwner, account)).toMatchObject({ held: 0n });
    }
  });
});

test.each([
  ['for somebody else', 'update holds set account_id = account_id, source_id = uuidv7() where id = $1'],
  ['with less captured', 'update holds set captured = captured - 1 where id = $1'],
])('a hold is never rewritten %s, by whomever', async (_what, statement) => {
  const account = await funded(100n);
  const hold = await held(account, 50n);
  await captureHold(books.asOwner, hold, { account, minor: -10n }, false);
  await expect(books.asOwner(statement, [hold])).rejects.toThrow(/is resolved/);
});

test('a hold that has ended is neither ended again nor captured beyond its amount', async () => {
  const account = await funded(100n);
  const hold = await held(account, 50n);
  await releaseHold(books.asOwner, hold);
  await expect(books.asOwner(`update holds set status = 'expired' where id = $1`, [hold])).rejects.toThrow(
    /is resolved/,
  );
  const open = await held(account, 50n);
  await expect(books.asOwner('update holds set captured = 51 where id = $1', [open])).rejects.toThrow(
    /holds_captured/,
  );
});

test('an account with an open hold cannot be closed, even when nothing of it is left', async () => {
  const account = await funded(40n);
  const hold = await held(account, 40n);
  const close = async () =>
    (await books.asOwner(`select refusal from account_set_status($1, 'closed')`, [account]))[0]?.['refusal'];
  expect(await close()).toBe('account_not_empty');
  await captureHold(books.asOwner, hold, { account, minor: -40n }, false);
  expect(await standing(books.asOwner, account)).toMatchObject({ posted: 0n, held: 0n });
  expect(await close()).toBe('account_not_empty');
  await releaseHold(books.asOwner, hold);
  expect(await close()).toBeNull();
});
