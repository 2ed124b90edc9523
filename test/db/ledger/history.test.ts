/** Balances at past times equal the sum of the entries until then, by booking and by value date, in any time zone. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { balancesAt, type Interval, type Span } from '../../../db/queries/ledger/history.ts';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { fc } from '../../support/property.ts';

let books: Books;
let owner: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  owner = await books.user();
});
afterAll(() => books.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Berlin puts its clocks forward within these days. */
const START = Date.parse('2026-03-20T00:00:00Z');

interface Entry {
  readonly bookedAt: Date;
  readonly valueDate: string;
  readonly minor: bigint;
}

const dayOf = (at: number, timeZone = 'UTC'): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);

/** Writes entries booked in the past, which only the owner of the tables can, under all checks of the books. */
async function booked(account: AccountId, entries: readonly Entry[]): Promise<void> {
  const other = await books.account(owner);
  for (const { bookedAt, valueDate, minor } of entries)
    await books.asOwner(
      `with legs as (
         select a.id, a.entry_seq + 1 as seq, a.posted + l.amount as balance, l.amount from accounts a
           join (values ($1::uuid, $4::numeric), ($5::uuid, -$4::numeric)) l(id, amount) on l.id = a.id
       ), header as (
         insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date) values (uuidv7(), 'test', 'test', uuidv7(), $2, $3) returning id
       ), moved as (
         update accounts a set posted = l.balance, entry_seq = l.seq, overdraft_limit = 1000000000, last_entry_at = greatest(a.last_entry_at, $2) from legs l where a.id = l.id
       )
       insert into ledger_entries (account_id, seq, transaction_id, asset, amount, balance_after, booked_at, value_date)
         select l.id, l.seq, h.id, 'EUR', l.amount, l.balance, $2, $3 from legs l, header h`,
      [account, bookedAt, valueDate, minor.toString(), other],
    );
}

const anEntry = fc.record({
  after: fc.integer({ min: 0, max: 20 * 60 }),
  shift: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -6, max: 6 })),
  minor: fc.bigInt({ min: -500n, max: 500n }).filter((minor) => minor !== 0n),
});
const aSpan = fc.record({
  from: fc.integer({ min: -3 * 24, max: 20 * 24 }),
  hours: fc.integer({ min: 1, max: 15 * 24 }),
  timeZone: fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  ),
  interval: fc.constantFrom<Interval>('hour', 'day', 'week', 'month'),
});

test('a history is at every point what the entries until then sum up to', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEntry, { maxLength: 12 }),
      fc.array(aSpan, { minLength: 2, maxLength: 4 }),
      async (drafts, spans) => {
        const account = await books.account(owner);
        let at = START;
        const entries = drafts.map(({ after, shift, minor }) => {
          at += after * 60_000;
          return { bookedAt: new Date(at), valueDate: dayOf(at + shift * DAY), minor };
        });
        await booked(account, entries);
        for (const { from, hours, timeZone, interval } of spans) {
          const begin = START + from * HOUR;
          const span: Span = {
            from: new Date(begin),
            to: new Date(begin + hours * HOUR),
            interval,
            timeZone,
          };
          const sum = (counts: (entry: Entry) => boolean): bigint =>
            entries.reduce((total, entry) => (counts(entry) ? total + entry.minor : total), 0n);
          for (const point of await balancesAt(books.em(), [account], span, 'booking'))
            expect(point.balance).toBe(sum(({ bookedAt }) => bookedAt <= point.at));
          for (const point of await balancesAt(books.em(), [account], span, 'value')) {
            const day = dayOf(point.at.getTime() - 1, timeZone);
            expect(point.balance).toBe(sum(({ valueDate }) => valueDate <= day));
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('several accounts are put together by currency, from zero on', async () => {
  const [one, other, yen] = [
    await books.account(owner),
    await books.account(owner),
    await books.account(owner, 'JPY'),
  ];
  await booked(one, [{ bookedAt: new Date(START + HOUR), valueDate: dayOf(START), minor: 100n }]);
  await booked(other, [
    { bookedAt: new Date(START + 2 * HOUR), valueDate: dayOf(START - 3 * DAY), minor: 20n },
  ]);
  const span: Span = {
    from: new Date(START - 2 * DAY),
    to: new Date(START + DAY),
    interval: 'day',
    timeZone: 'UTC',
  };
  const read = async (by: 'booking' | 'value') =>
    (await balancesAt(books.em(), [one, other, yen], span, by)).map(
      ({ asset, balance }) => `${asset} ${balance}`,
    );
  expect(await read('booking')).toEqual([
    'EUR 0',
    'EUR 0',
    'EUR 0',
    'EUR 120',
    'JPY 0',
    'JPY 0',
    'JPY 0',
    'JPY 0',
  ]);
  expect((await read('value')).slice(0, 4)).toEqual(['EUR 20', 'EUR 20', 'EUR 20', 'EUR 120']);
});

describe('points', () => {
  const at = async (from: string, to: string, interval: Interval, timeZone: string): Promise<string[]> => {
    const account = await books.account(owner);
    const span = { from: new Date(from), to: new Date(to), interval, timeZone };
    return (await balancesAt(books.em(), [account], span, 'booking')).map((point) => point.at.toISOString());
  };

  test('days begin at midnight of the place, also where one has 23 hours', async () => {
    expect(await at('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', 'day', 'Europe/Berlin')).toEqual([
      '2026-03-28T12:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T12:00:00.000Z',
    ]);
  });

  test('an hour that comes twice has two points', async () => {
    const hours = await at('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', 'hour', 'Europe/Berlin');
    expect(hours.map((hour) => hour.slice(11, 16))).toEqual(['00:00', '01:00', '02:00', '03:00']);
  });

  test('weeks begin on Monday, months on their first', async () => {
    expect(await at('2026-02-25T00:00:00Z', '2026-03-04T00:00:00Z', 'week', 'UTC')).toContain(
      '2026-03-02T00:00:00.000Z',
    );
    expect(await at('2026-02-25T00:00:00Z', '2026-04-04T00:00:00Z', 'month', 'Europe/Berlin')).toEqual([
      '2026-02-25T00:00:00.000Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
      '2026-04-04T00:00:00.000Z',
    ]);
  });

  test('every time zone that the service takes is one of the database', async () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const known = await books.asOwner(
      `select name from unnest($1::text[]) name where now() at time zone name is not null`,
      [zones],
    );
    expect(known).toHaveLength(zones.length);
  });
});
