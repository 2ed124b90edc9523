/** Holds whose time is over: released by rounds of the workers, and set aside while the books refuse to end them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { AccountId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { moveBusinessClock } from '../../support/bank/clock.ts';
import {
  captureHold,
  changeHold,
  expireDue,
  grantRights,
  holdAt,
  mustHold,
  releaseHold,
  standing,
} from '../../support/bank/holds.ts';
import { ownBank } from '../../support/stack/database.ts';
import { holdRound } from '../../../workers/hold-round.ts';

const PAST = '2026-01-01T00:00:00Z';
const FUTURE = '2099-01-01T00:00:00Z';

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

describe('time', () => {
  test('releases what is over and nothing else, and what was captured before stays captured', async () => {
    const account = await funded(100n);
    const over = await held(account, 30n, { until: PAST });
    const [later, never] = [await held(account, 20n, { until: FUTURE }), await held(account, 10n)];
    await captureHold(books.asOwner, over, { account, minor: -5n }, false);
    expect(await expireDue(books.asOwner)).toBe(1);
    expect(await expireDue(books.asOwner)).toBe(0);
    expect(await holdAt(books.asOwner, over)).toMatchObject({ status: 'expired', captured: 5n, ended: true });
    for (const hold of [later, never])
      expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open' });
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 95n, held: 30n });
    // a clearing that comes too late is booked without a hold, and a change opens it again
    expect(await captureHold(books.asOwner, over, { account, minor: -5n, kind: 'late' }, false)).toBe(
      'posted',
    );
    expect(await holdAt(books.asOwner, over)).toMatchObject({ status: 'expired', captured: 5n });
    expect(await changeHold(books.asOwner, over, 7n, { until: FUTURE })).toBeNull();
    expect(await standing(books.asOwner, account)).toMatchObject({ posted: 90n, held: 37n });
  });

  test('waits for no account that somebody works on: its hold is released by the next round', async () => {
    const [busy, free] = [await funded(100n), await funded(100n)];
    const holds = [await held(busy, 30n, { until: PAST }), await held(free, 30n, { until: PAST })];
    const tx = books.ownerEm();
    await tx.begin();
    await tx
      .getConnection()
      .execute('select from accounts where id = ? for update', [busy], 'all', tx.getTransactionContext());
    expect(await expireDue(books.asOwner)).toBe(1);
    await tx.rollback();
    expect(await expireDue(books.asOwner)).toBe(1);
    for (const hold of holds) expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'expired' });
  });

  test('releases all that is over in one round of the worker, and a second worker at once releases nothing twice', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => funded(100n)));
    for (const account of accounts) for (let n = 0; n < 50; n++) await held(account, 2n, { until: PAST });
    const round = holdRound({ em: books.em, log: pino({ level: 'silent' }) });
    await Promise.all([round(), round(), round()]);
    await round();
    for (const account of accounts)
      expect(await standing(books.asOwner, account)).toMatchObject({ posted: 100n, held: 0n });
  });
});

test('time is the business clock: when it is moved, what is over then is released', async () => {
  const account = await funded(100n);
  const hold = await held(account, 30n, { until: new Date(Date.now() + 3_600_000).toISOString() });
  const round = holdRound({ em: books.em, log: pino({ level: 'silent' }) });
  await round();
  expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'open' });
  await moveBusinessClock(books, 7_200);
  try {
    await round();
    expect(await holdAt(books.asOwner, hold)).toMatchObject({ status: 'expired' });
  } finally {
    await moveBusinessClock(books, 0);
  }
});

test('a round that fails is logged, and the next one goes on', async () => {
  const account = await funded(100n);
  await held(account, 30n, { until: PAST });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  let away = true;
  const round = holdRound({
    em: () => {
      if (away) throw new Error('the database is away');
      return books.em();
    },
    log,
  });
  await round();
  expect(lines).toHaveLength(1);
  away = false;
  await round();
  expect(await standing(books.asOwner, account)).toMatchObject({ held: 0n });
});

describe('a hold that the books refuse to end', () => {
  /** As a fault of some other program would leave an account: less held than its holds hold. */
  async function broken(minor: bigint): Promise<{ hold: string; account: AccountId }> {
    const account = await funded(100n);
    const hold = await held(account, minor, { until: PAST });
    await books.asOwner('update accounts set held = 0 where id = $1', [account]);
    return { hold, account };
  }
  const refusals = (hold: string) =>
    books.asOwner('select attempts, failure from refused_expiries where hold_id = $1', [hold]);

  test('keeps no other, is reported, and ends as soon as its account is mended', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const round = holdRound({ em: books.em, log });
    const bad = await broken(40n);
    // on the same account, after it and before it
    const beside = await held(bad.account, 10n, { until: PAST });
    const others = await Promise.all([funded(100n), funded(100n)]);
    for (const account of others) await held(account, 30n, { until: PAST });
    // what the account holds is enough for the smaller one only
    expect(await standing(books.asOwner, bad.account)).toMatchObject({ held: 10n });
    await round();
    for (const account of others) expect(await standing(books.asOwner, account)).toMatchObject({ held: 0n });
    expect(await holdAt(books.asOwner, beside)).toMatchObject({ status: 'expired' });
    expect(await holdAt(books.asOwner, bad.hold)).toMatchObject({ status: 'open' });
    expect(await refusals(bad.hold)).toEqual([{ attempts: 1, failure: expect.stringMatching(/constraint/) }]);
    // not at once again, and what is over meanwhile ends as ever
    const next = await funded(100n);
    await held(next, 30n, { until: PAST });
    await round();
    expect(await standing(books.asOwner, next)).toMatchObject({ held: 0n });
    expect(await refusals(bad.hold)).toEqual([expect.objectContaining({ attempts: 1 })]);
    try {
      for (const seconds of [10, 30]) {
        await moveBusinessClock(books, seconds);
        await round();
      }
      const told = lines.map((line): unknown => JSON.parse(line));
      expect(told).toMatchObject([
        { level: 40, holdId: bad.hold, accountId: bad.account, attempts: 1 },
        { level: 40, holdId: bad.hold, attempts: 2 },
        { level: 50, holdId: bad.hold, attempts: 3, alert: 'hold_not_ended' },
      ]);
      await books.asOwner('update accounts set held = 40 where id = $1', [bad.account]);
      await moveBusinessClock(books, 3_700);
      await round();
    } finally {
      await moveBusinessClock(books, 0);
    }
    expect(await standing(books.asOwner, bad.account)).toMatchObject({ held: 0n });
    expect(await refusals(bad.hold)).toEqual([]);
  });

  test('is forgotten when its source has ended it or put it off', async () => {
    const [ended, later] = [await broken(40n), await broken(40n)];
    const round = holdRound({ em: books.em, log: pino({ level: 'silent' }) });
    await round();
    await books.asOwner('update accounts set held = 40 where id = any ($1)', [
      [ended.account, later.account],
    ]);
    await releaseHold(books.asOwner, ended.hold);
    expect(await changeHold(books.asOwner, later.hold, 40n, { until: FUTURE })).toBeNull();
    try {
      await moveBusinessClock(books, 10);
      await round();
    } finally {
      await moveBusinessClock(books, 0);
    }
    for (const { hold } of [ended, later]) expect(await refusals(hold)).toEqual([]);
    expect(await holdAt(books.asOwner, later.hold)).toMatchObject({ status: 'open' });
  });

  test('two hundred and fifty of them hide none that can end', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => funded(1_000n)));
    for (const account of accounts)
      for (let n = 0; n < 50; n++) await held(account, 2n, { until: '2026-01-01T00:00:00Z' });
    await books.asOwner('update accounts set held = 0 where id = any ($1)', [accounts]);
    const good = await funded(100n);
    await held(good, 30n, { until: '2026-02-01T00:00:00Z' });
    const round = holdRound({ em: books.em, log: pino({ level: 'silent' }) });
    await round();
    expect(await standing(books.asOwner, good)).toMatchObject({ held: 0n });
    const [found] = await books.asOwner(
      'select count(*)::int as count from refused_expiries r join holds h on h.id = r.hold_id where h.account_id = any ($1)',
      [accounts],
    );
    expect(found).toEqual({ count: 250 });
  });
});
