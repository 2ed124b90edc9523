/** The counter of all limits: periods of the calendar and rolling windows, beside a model, and with many callers at once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { row } from '../../support/stack/sql.ts';
import { fc } from '../../support/property.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const value = async (expression: string, ...parameters: unknown[]): Promise<unknown> =>
  (await books.asOwner(`select ${expression} as value`, parameters))[0]?.['value'];

const newCounter = async (unit = 'EUR', owner = randomUUID()): Promise<string> =>
  String(
    await value(`(limit_counter($1, 'test/counting', $2, 'card', $3)).counter`, owner, unit, randomUUID()),
  );

const used = async (counter: string, period: string, at: string | Date): Promise<[string, string]> => {
  const [found] = await books.asOwner('select amount::text, uses::text from limit_used($1, $2, $3)', [
    counter,
    period,
    at,
  ]);
  return [String(found?.['amount']), String(found?.['uses'])];
};

const count = async (counter: string, amount: string | number, at: string | Date): Promise<string> => {
  const source = randomUUID();
  await books.asOwner('select limit_count($1, $2, $3, $4)', [counter, source, amount, at]);
  return source;
};

const change = (source: string, amount: string | number): Promise<unknown> =>
  books.asOwner('select limit_change($1, $2)', [source, amount]);

const passed = (counter: string | null, rules: object[], wanted: string, unit: string, at: string) =>
  value('limit_passed($1, $2, $3, $4, $5)', counter, JSON.stringify(rules), wanted, unit, at);

describe('a period of the calendar', () => {
  // clocks that are put forward or back at midnight, by half an hour, and over a whole day
  const zones = [
    'Europe/Berlin',
    'America/Havana',
    'America/Sao_Paulo',
    'Australia/Lord_Howe',
    'Pacific/Apia',
  ];
  const dayIn = (zone: string) => {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    return (moment: number): string => format.format(moment);
  };
  const moments = fc.date({
    min: new Date('2005-01-01T00:00:00Z'),
    max: new Date('2024-01-01T00:00:00Z'),
    noInvalidDate: true,
  });

  test.each(zones)('is all of a day in %s and nothing else, also when its clocks change', async (zone) => {
    const day = dayIn(zone);
    await fc.assert(
      fc.asyncProperty(moments, async (at) => {
        const [found] = await books.asOwner(
          `select extract(epoch from begins) * 1000 as begins, extract(epoch from ends) * 1000 as ends
             from calendar_period('day', $1, $2)`,
          [at, zone],
        );
        const [begins, ends] = [Number(found?.['begins']), Number(found?.['ends'])];
        expect(begins <= at.getTime() && at.getTime() < ends).toBe(true);
        expect([day(begins), day(ends - 1)]).toEqual([day(at.getTime()), day(at.getTime())]);
        expect(day(begins - 1)).not.toBe(day(begins));
        expect(day(ends)).not.toBe(day(begins));
      }),
      { numRuns: 150 },
    );
  });

  test('has both first hours of a night in which midnight comes twice', async () => {
    // in Havana, 01:00 became 00:00 on this day
    const [found] = await books.asOwner(
      `select begins, ends from calendar_period('day', '2023-11-05T04:30:00Z', 'America/Havana')`,
    );
    expect(found).toEqual({
      begins: new Date('2023-11-05T04:00:00Z'),
      ends: new Date('2023-11-06T05:00:00Z'),
    });
  });

  test('begins on Monday if it is a week, and on the first if it is a month', async () => {
    const at = '2026-10-25T12:00:00Z';
    const begins = (period: string) =>
      value(`(calendar_period($1, $2, 'Europe/Berlin')).begins at time zone 'UTC'`, period, at);
    expect(await begins('week')).toEqual(new Date('2026-10-18T22:00:00'));
    expect(await begins('month')).toEqual(new Date('2026-09-30T22:00:00'));
  });
});

test('a rolling window ends with its moment, and leaves out what lies exactly its length before', async () => {
  const counter = await newCounter();
  await count(counter, 5, '2026-03-29T00:30:00.000Z');
  expect(await used(counter, 'PT24H', '2026-03-30T00:29:59.999Z')).toEqual(['5', '1']);
  expect(await used(counter, 'PT24H', '2026-03-30T00:30:00.000Z')).toEqual(['0', '0']);
  expect(await used(counter, 'PT24H', '2026-03-29T00:30:00.000Z')).toEqual(['5', '1']);
  // a day of a window is 24 hours, whatever the clocks do
  expect(await used(counter, 'P1D', '2026-03-30T00:29:59.999Z')).toEqual(['5', '1']);
  expect(await used(counter, 'P1D', '2026-03-30T00:30:00.000Z')).toEqual(['0', '0']);
});

const PERIODS = ['day', 'week', 'month', 'ever', 'PT1H', 'PT24H', 'P30D'] as const;

interface Use {
  readonly at: number;
  amount: number;
  readonly source: string;
}

test('as uses come, change and are given back, each period holds exactly the uses that lie in it', async () => {
  const step = fc.record({
    hours: fc.integer({ min: 0, max: 200 }),
    amount: fc.integer({ min: 1, max: 900 }),
    change: fc.option(fc.record({ of: fc.nat(), to: fc.integer({ min: 0, max: 900 }) })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const counter = await newCounter();
      let uses: Use[] = [];
      let at = Date.parse('2026-03-27T12:00:00Z');
      for (const { hours, amount, change: wanted } of steps) {
        at += hours * 3_600_000;
        uses.push({ at, amount, source: await count(counter, amount, new Date(at)) });
        const changed = wanted && uses[wanted.of % uses.length];
        if (wanted && changed) {
          await change(changed.source, wanted.to);
          changed.amount = wanted.to;
          uses = uses.filter((use) => use.amount > 0);
        }
      }
      for (const period of PERIODS) {
        const [found] = await books.asOwner(
          'select extract(epoch from begins)::text as begins from limit_period($1, $2)',
          [period, new Date(at)],
        );
        const begins = Number(found?.['begins']) * 1_000;
        const within = uses.filter((use) => (period.startsWith('P') ? use.at > begins : use.at >= begins));
        const sum = within.reduce((total, use) => total + use.amount, 0);
        expect([period, await used(counter, period, new Date(at))]).toEqual([
          period,
          [String(sum), String(within.length)],
        ]);
      }
    }),
    { numRuns: 40 },
  );
});

test('what is given back is given back once, and what was never counted not at all', async () => {
  const counter = await newCounter();
  const source = await count(counter, 70, '2026-03-04T12:00:00Z');
  await count(counter, 30, '2026-03-04T12:00:01Z');
  await change(source, 0);
  await change(source, 0);
  await change(randomUUID(), 0);
  expect(await used(counter, 'ever', '2026-03-04T13:00:00Z')).toEqual(['30', '1']);
  expect(await used(counter, 'day', '2026-03-04T13:00:00Z')).toEqual(['30', '1']);
});

test('what a new counter has missed is counted at once, in its order, and is given back like anything else', async () => {
  const counter = await newCounter();
  const [sources] = await books.asOwner('select array_agg(uuidv7()) as ids from generate_series(1, 3000)');
  await books.asOwner(
    `select limit_count_past($1, $2::uuid[], array_agg(n::numeric order by n), array_agg('2026-03-04T12:00:00Z'::timestamptz + n * interval '1 s' order by n),
                             array_fill(1, array[3000]))
       from generate_series(1, 3000) n`,
    [counter, sources?.['ids']],
  );
  const at = '2026-03-04T13:00:00Z';
  expect(await used(counter, 'ever', at)).toEqual([String((3_000 * 3_001) / 2), '3000']);
  expect(await used(counter, 'PT10M', '2026-03-04T12:59:59Z')).toEqual(['3000', '1']);
  await change(String((sources?.['ids'] as string[])[0]), 0);
  expect(await used(counter, 'day', at)).toEqual([String((3_000 * 3_001) / 2 - 1), '2999']);
  await books.asOwner('select limit_count_past($1, null, null, null, null)', [await newCounter()]);
});

test('a use is counted once by a counter, whoever counts it again', async () => {
  const counter = await newCounter();
  const source = await count(counter, 70, '2026-03-04T12:00:00Z');
  await expect(books.asOwner('select limit_count($1, $2, 1, now())', [counter, source])).rejects.toThrow(
    /limit_uses_once/,
  );
});

test('after a small step back of the clock a use has the time of the one before it', async () => {
  const counter = await newCounter();
  await count(counter, 1, '2026-03-04T12:00:01Z');
  await count(counter, 2, '2026-03-04T12:00:00Z');
  const rows = await books.asOwner(
    'select at, amount_before::text from limit_uses where counter_id = $1 order by at, id',
    [counter],
  );
  const at = new Date('2026-03-04T12:00:01Z');
  expect(rows).toEqual([
    { at, amount_before: '0' },
    { at, amount_before: '1' },
  ]);
});

test('a rule names its limit, what is used of it and what remains, by amount and by number', async () => {
  const counter = await newCounter();
  await count(counter, 1_250, '2026-03-04T12:00:00Z');
  const at = '2026-03-04T13:00:00Z';
  expect(await passed(counter, [{ period: 'transaction', amount: '500' }], '501', 'EUR', at)).toEqual({
    ...{ period: 'transaction', currency: 'EUR', amount: '5.00', used: '0.00', remaining: '5.00' },
  });
  expect(
    await passed(
      counter,
      [
        { period: 'PT24H', amount: '1251' },
        { period: 'week', count: 1 },
      ],
      '1',
      'EUR',
      at,
    ),
  ).toEqual({ period: 'week', count: 1, used: 1, remaining: 0 });
  expect(await passed(counter, [{ period: 'day', amount: '1000' }], '1', 'EUR', at)).toMatchObject({
    used: '12.50',
    remaining: '0.00',
  });
  expect(await passed(counter, [{ period: 'ever', amount: '1251' }], '1', 'EUR', at)).toBeNull();
});

test('the worth of something else is compared to the last digit, and what remains is rounded down', async () => {
  const counter = await newCounter();
  await count(counter, '99.000000000000000001', '2026-03-04T12:00:00Z');
  const rules = [{ period: 'P30D', amount: '100' }];
  const at = '2026-03-04T13:00:00Z';
  expect(await passed(counter, rules, '0.999999999999999999', 'EUR', at)).toBeNull();
  expect(await passed(counter, rules, '1', 'EUR', at)).toMatchObject({ amount: '1.00', remaining: '0.00' });
});

test('a subject that has used nothing has a limit too', async () => {
  expect(
    await passed(null, [{ period: 'day', amount: '5' }], '6', 'EUR', '2026-03-04T13:00:00Z'),
  ).toMatchObject({
    ...{ used: '0.00', remaining: '0.05' },
  });
});

describe('of twenty at once, a limit of ten lets exactly ten through', () => {
  /** The night in which clocks in Berlin go forward, the one in which they go back, and a day like others; and when periods end. */
  const days = [
    {
      name: 'a day of 23 hours',
      ...{ at: '2027-03-28T00:30:00.000Z', midnight: '2027-03-28T22:00:00.000Z' },
      ...{ week: '2027-03-28T22:00:00.000Z', month: '2027-03-31T22:00:00.000Z' },
    },
    {
      name: 'a day of 25 hours',
      ...{ at: '2027-10-31T00:30:00.000Z', midnight: '2027-10-31T23:00:00.000Z' },
      ...{ week: '2027-10-31T23:00:00.000Z', month: '2027-10-31T23:00:00.000Z' },
    },
    {
      name: 'a day of 24 hours',
      ...{ at: '2027-06-09T00:30:00.000Z', midnight: '2027-06-09T22:00:00.000Z' },
      ...{ week: '2027-06-13T22:00:00.000Z', month: '2027-06-30T22:00:00.000Z' },
    },
  ];

  /** Takes one of a hundred; returns its source, or null if the limit is reached. */
  async function takeOne(owner: string, card: string, rule: object, at: string): Promise<string | null> {
    return books.ownerEm().transactional(async (db) => {
      await row(db, 'select limit_lock(array[$1::uuid])', [owner]);
      const made = await row<{ counter: string }>(
        db,
        `select counter from limit_counter($1, 'test/taking', 'EUR', 'card', $2)`,
        [owner, card],
      );
      const verdict = await row<{ passed: object | null }>(
        db,
        `select limit_passed($1, $2, 100, 'EUR', $3) as passed`,
        [made?.counter, JSON.stringify([rule]), at],
      );
      if (verdict?.passed !== null) return null;
      const source = randomUUID();
      await row(db, 'select limit_count($1, $2, 100, $3)', [made?.counter, source, at]);
      return source;
    });
  }

  async function giveBack(owner: string, source: string): Promise<void> {
    await books.ownerEm().transactional(async (db) => {
      await row(db, 'select limit_lock(array[$1::uuid])', [owner]);
      await row(db, 'select limit_change($1, 0)', [source]);
    });
  }

  const later = (at: string, milliseconds: number): string =>
    new Date(Date.parse(at) + milliseconds).toISOString();
  const MINUTE = 60_000;
  const DAY = 24 * 60 * MINUTE;
  const isString = (source: string | null): source is string => source !== null;

  test.each(days)(
    'in periods of the calendar, rolling windows and ever: $name',
    async ({ at, midnight, week, month }) => {
      const rules = [
        { rule: { period: 'day', amount: '1000' }, free: midnight },
        { rule: { period: 'day', count: 10 }, free: midnight },
        { rule: { period: 'week', amount: '1000' }, free: week },
        { rule: { period: 'month', count: 10 }, free: month },
        { rule: { period: 'PT24H', amount: '1000' }, free: later(at, DAY) },
        { rule: { period: 'P1D', count: 10 }, free: later(at, DAY) },
        { rule: { period: 'P7D', amount: '1000' }, free: later(at, 7 * DAY) },
        { rule: { period: 'P30D', count: 10 }, free: later(at, 30 * DAY) },
        { rule: { period: 'ever', amount: '1000' }, free: null },
      ];
      for (const { rule, free } of rules) {
        const [owner, card] = [randomUUID(), randomUUID()];
        const taken = await Promise.all(Array.from({ length: 20 }, () => takeOne(owner, card, rule, at)));
        expect([rule, taken.filter(isString).length]).toEqual([rule, 10]);
        const until = free ?? later(at, 400 * DAY);
        expect(await takeOne(owner, card, rule, later(until, -1))).toBeNull();
        const again = await Promise.all(Array.from({ length: 20 }, () => takeOne(owner, card, rule, until)));
        expect([rule, again.filter(isString).length]).toEqual([rule, free === null ? 0 : 10]);
      }
    },
  );

  test.each(days)('at different minutes, while some are given back beside them: $name', async ({ at }) => {
    for (const period of ['day', 'PT24H']) {
      const [owner, card] = [randomUUID(), randomUUID()];
      const rule = { period, amount: '1000' };
      // the clocks change half an hour after the first of them
      const twenty = (from: number) =>
        Array.from({ length: 20 }, (_, n) => takeOne(owner, card, rule, later(at, (from + 3 * n) * MINUTE)));
      const first = (await Promise.all(twenty(0))).filter(isString);
      expect([period, first.length]).toEqual([period, 10]);
      const given = first.slice(0, 3);
      const [second] = await Promise.all([
        Promise.all(twenty(60)),
        // each is given back once, however often that is asked for
        ...given.flatMap((source) => [giveBack(owner, source), giveBack(owner, source)]),
      ]);
      // those that came before a giving back found no room
      const third = await Promise.all(twenty(120));
      expect([period, [...second, ...third].filter(isString).length]).toEqual([period, 3]);
    }
  });
});
