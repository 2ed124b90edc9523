/** Limits as PostgreSQL counts them, beside a model that adds up amounts by day and month. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { openMover, type Mover } from '../../support/bank/movements.ts';
import { transferType, type Limit } from '../../support/bank/transfers.ts';
import { fc } from '../../support/property.ts';

let books: Books;
let mover: Mover;
beforeAll(async () => {
  books = openBooks(await ownBank());
  mover = await openMover(books);
});
afterAll(() => books.close());

interface Payment {
  readonly amount: number;
  readonly day: string;
  readonly to?: string;
}

/** A moment of a day of the bank, which is not far from the day in UTC at noon. */
const noonOf = (day: string): string => `${day}T12:00:00Z`;

const transferOf = (type: string, { amount, to = mover.to }: Payment, id: string) => [
  { ...{ id, customer_id: mover.customer, source_account_id: mover.from, destination_account_id: to } },
  { ...{ type_code: type, asset: 'EUR', amount } },
];

const call = async (rule: string, type: string, payment: Payment, id: string): Promise<unknown> => {
  const [found] = await books.asOwner(
    `select ${rule}(jsonb_populate_record(null::transfers, $1::jsonb || $2::jsonb), $3) as answer`,
    [...transferOf(type, payment, id).map((part) => JSON.stringify(part)), noonOf(payment.day)],
  );
  return found?.['answer'];
};

const check = (type: string, payment: Payment): Promise<unknown> =>
  call('transfer_limit_passed', type, payment, randomUUID());

/** Counts it and returns its id. */
const count = async (type: string, payment: Payment): Promise<string> => {
  const id = randomUUID();
  await call('transfer_limit_count', type, payment, id);
  return id;
};

const giveBack = (id: string): Promise<unknown> =>
  books.asOwner(`select transfer_limit_give_back(jsonb_populate_record(null::transfers, $1))`, [
    JSON.stringify({ id, customer_id: mover.customer }),
  ]);

const typeWith = (...limits: Limit[]): Promise<string> => transferType(books, { limits });

test('a limit of one payment is passed by a larger one only, and the refusal says by what', async () => {
  const type = await typeWith({ single: 1_000 });
  expect(await check(type, { amount: 1_000, day: '2026-03-04' })).toBeNull();
  expect(await check(type, { amount: 1_001, day: '2026-03-04' })).toEqual({
    limit: {
      ...{ subject: 'user', period: 'single', currency: 'EUR' },
      ...{ amount: '10.00', used: '0.00', remaining: '10.00' },
    },
  });
});

test('a limit of a recipient counts each of them by itself', async () => {
  const type = await typeWith({ subject: 'recipient', day: 1_000 });
  const day = '2026-03-04';
  expect(await check(type, { amount: 600, day })).toBeNull();
  await count(type, { amount: 600, day });
  expect(await check(type, { amount: 401, day })).toMatchObject({
    limit: { subject: 'recipient', period: 'day', used: '6.00', remaining: '4.00' },
  });
  expect(await check(type, { amount: 1_000, day, to: mover.from })).toBeNull();
});

test('what is paid on a later day does not make an earlier payment pass the limit of its day', async () => {
  const type = await typeWith({ day: 1_000, month: 2_000 });
  const isLowered = async (day: string): Promise<unknown> => {
    const [found] = await books.asOwner(
      `select transfer_limit_lowered(jsonb_populate_record(null::transfers, $1::jsonb || $2::jsonb || $3::jsonb)) as answer`,
      [...transferOf(type, { amount: 1_000, day }, randomUUID()), { created_at: noonOf(day) }].map((part) =>
        JSON.stringify(part),
      ),
    );
    return found?.['answer'];
  };
  for (const day of ['2026-03-04', '2026-03-05', '2026-04-01']) {
    await check(type, { amount: 1_000, day });
    await count(type, { amount: 1_000, day });
  }
  for (const day of ['2026-03-04', '2026-03-05', '2026-04-01']) expect(await isLowered(day)).toBe(false);
  await count(type, { amount: 1, day: '2026-04-30' });
  expect(await isLowered('2026-04-01')).toBe(false);
  await books.asOwner('update transfer_limits set month = 1000 where type_code = $1', [type]);
  expect(await isLowered('2026-03-04')).toBe(true);
  expect(await isLowered('2026-04-01')).toBe(true);
});

test('a type without a limit refuses nothing', async () => {
  expect(await check(await typeWith(), { amount: 99_999_999, day: '2026-03-04' })).toBeNull();
});

const DAY_LIMIT = 1_000;
const MONTH_LIMIT = 2_500;
/** Across the end of a month, and of a February. */
const DAYS = [
  '2026-02-26',
  '2026-02-27',
  '2026-02-28',
  '2026-03-01',
  '2026-03-02',
  '2026-03-31',
  '2026-04-01',
];

test('as days go by, a payment passes exactly if day and month leave room for it', async () => {
  const payments = fc.array(
    fc.record({ amount: fc.integer({ min: 1, max: 900 }), step: fc.constantFrom(0, 0, 1) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(payments, async (wishes) => {
      const type = await typeWith({ day: DAY_LIMIT, month: MONTH_LIMIT });
      const paid: Payment[] = [];
      let at = 0;
      for (const { amount, step } of wishes) {
        at = Math.min(at + step, DAYS.length - 1);
        const day = DAYS[at] ?? '';
        const sum = (period: string): number =>
          paid
            .filter((other) => other.day.startsWith(period))
            .reduce((total, other) => total + other.amount, 0);
        const fits = sum(day) + amount <= DAY_LIMIT && sum(day.slice(0, 7)) + amount <= MONTH_LIMIT;
        expect((await check(type, { amount, day })) === null).toBe(fits);
        if (!fits) continue;
        await count(type, { amount, day });
        paid.push({ amount, day });
      }
    }),
    { numRuns: 25 },
  );
});

test('what is given back makes room in its own day and month only', async () => {
  const type = await typeWith({ day: 1_000, month: 1_500 });
  const [first, second] = ['2026-03-04', '2026-03-05'] as const;
  await check(type, { amount: 1, day: first });
  const earlier = await count(type, { amount: 1_000, day: first });
  const later = await count(type, { amount: 300, day: second });
  // the day before is over, so only the month has room again
  await giveBack(earlier);
  expect(await check(type, { amount: 701, day: second })).toMatchObject({
    limit: { period: 'day', used: '3.00' },
  });
  expect(await check(type, { amount: 700, day: second })).toBeNull();
  // a month that is over is no longer counted
  await count(type, { amount: 900, day: '2026-04-01' });
  await giveBack(later);
  expect(await check(type, { amount: 101, day: '2026-04-01' })).toMatchObject({ limit: { used: '9.00' } });
});
