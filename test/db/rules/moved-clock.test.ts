/** The clock of the bank is moved forward by a bank in development only, and by whole seconds. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { advanceClock, clockDifference } from '../../../db/queries/platform/clock.ts';
import { openBooks, payment, type Books } from '../../support/bank/books.ts';
import { post } from '../../support/bank/posting.ts';
import { loadConfig } from '../../../config.ts';
import { machineNow, now } from '../../../domain/time/now.ts';
import { followClock } from '../../../services/platform/clock.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { stack } from '../../support/stack/stack.ts';
import { until } from '../../support/stack/processes.ts';

let bank: Database;
let books: Books;
beforeAll(async () => {
  bank = await ownBank();
  books = openBooks(bank);
});
afterAll(() => books.close());

const DAY = 86_400;

/** How far business time is ahead of the machine's, in seconds. */
async function ahead(): Promise<unknown> {
  const [found] = await books.asOwner(
    'select round(extract(epoch from bank_now() - machine_now()))::int as seconds',
  );
  return found?.['seconds'];
}

test('outside development nobody moves the clock, not even the owner of the tables', async () => {
  await expect(advanceClock.one(books.em(), { seconds: DAY })).rejects.toThrow(/bank_settings_clock_ahead/);
  await expect(books.asOwner('select clock_advance(60)')).rejects.toThrow(/bank_settings_clock_ahead/);
  await expect(books.asOwner('update bank_settings set clock_ahead_seconds = 60')).rejects.toThrow(
    /bank_settings_clock_ahead/,
  );
  expect(await ahead()).toBe(0);
});

test('the application cannot make a bank one of development', async () => {
  await expect(
    books.em().getConnection().execute('update bank_settings set clock_moves = true'),
  ).rejects.toThrow(/permission denied/);
});

test('a clock that is moved goes on from where it was, also for sessions that have read it before', async () => {
  const [from, to] = await Promise.all(
    [books.user(), books.user()].map(async (user) => books.account(await user)),
  );
  if (from === undefined || to === undefined) throw new Error('no accounts');
  await books.fund(from, 100n);
  expect(await post(books.ownerEm(), [payment(from, to, 1n)])).toEqual(['posted']);
  await books.asOwner('update bank_settings set clock_moves = true');
  expect(await ahead()).toBe(0);
  expect(await advanceClock.one(books.em(), { seconds: DAY })).toEqual({ ahead: DAY });
  expect(await ahead()).toBe(DAY);
  expect(await advanceClock.one(books.em(), { seconds: 60 })).toEqual({ ahead: DAY + 60 });
  await expect(advanceClock.one(books.em(), { seconds: -1 })).rejects.toThrow(/forward only/);
  // the machines' clocks agree, so posting goes on, and is dated by the moved clock
  expect(await clockDifference(books.em())).toBeCloseTo(0, -1);
  expect(await post(books.ownerEm(), [payment(from, to, 1n)])).toEqual(['posted']);
  const [entries] = await books.asOwner(
    `select array_agg(round(extract(epoch from booked_at - machine_now()))::int order by seq) as ages
       from ledger_entries where account_id = $1`,
    [to],
  );
  expect(entries?.['ages']).toEqual([expect.closeTo(0, -2), expect.closeTo(DAY + 60, -2)]);
  const { checks } = await trialBalance(books.em());
  expect(checks).toContainEqual({ check: 'no entry is in the future', broken: 0 });
  // a bank that was moved cannot become one of production
  await expect(books.asOwner('update bank_settings set clock_moves = false')).rejects.toThrow(
    /bank_settings_clock_ahead/,
  );
});

/** How far business time of this process is ahead of the machine's, in seconds. */
const aheadHere = (): number => Math.round((now().getTime() - machineNow().getTime()) / 1_000);

test('a process follows the clock when it is told, when nobody tells it, and once the database is back', async () => {
  await books.asOwner('update bank_settings set clock_moves = true');
  let away = true;
  const clock = await followClock({
    config: loadConfig({ ...stack.serviceEnv, DATABASE_URL: bank.url, NODE_ENV: 'development' }),
    em: () => {
      if (away) throw new Error('the database is away');
      return books.em();
    },
    log: pino({ level: 'silent' }),
  });
  const moveTo = (seconds: number): Promise<void> => until(() => aheadHere() === seconds, aheadHere);
  const before = Number(await ahead());
  away = false;
  await moveTo(before);
  const told = (await advanceClock.one(books.em(), { seconds: 3_600 })).ahead;
  await moveTo(told);
  // nothing notifies here
  await books.asOwner('update bank_settings set clock_ahead_seconds = clock_ahead_seconds + 60');
  await moveTo(told + 60);
  await clock.close();
});

test('a fee rule that begins at once is never refused for having begun before it was made', async () => {
  for (let version = 1; version <= 200; version += 1) {
    const rule = randomUUID();
    await books.asOwner(
      `with rule as (insert into fee_rules (id, code, purpose, asset) values ($1, $2, 'monthly', 'EUR') returning id)
       insert into fee_rule_versions (rule_id, version, purpose, asset, description, enabled, priority, flat, rate_bps, tier_mode, valid_from)
         select id, 1, 'monthly', 'EUR', 'Fee', false, 0, 490, 0, 'graduated', date_trunc('milliseconds', now()) + $3::int * interval '1 s'
           from rule`,
      [rule, `r${rule.slice(0, 8)}`, await ahead()],
    );
  }
});
