/** Small functions of the database that others build on. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isPermanentState } from '../../../db/sql-state.ts';
import { isSecret } from '../../../domain/notifications/notifications.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { fc } from '../../support/property.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

async function value(expression: string, ...parameters: unknown[]): Promise<unknown> {
  return (await books.asOwner(`select ${expression} as value`, parameters))[0]?.['value'];
}

test('minor units are written with the places that their asset has', async () => {
  expect(await value(`decimal_of(1234, 'EUR')`)).toBe('12.34');
  expect(await value(`decimal_of(5, 'EUR')`)).toBe('0.05');
  expect(await value(`decimal_of(1234, 'JPY')`)).toBe('1234');
  expect(await value(`decimal_of(-1, 'EUR')`)).toBe('-0.01');
});

test('repetitions are counted from the first day, so the 31st comes back after a February', async () => {
  const days = [1, 2, 3].map((nth) => value(`next_occurrence('2026-01-31', 'month', 1, $1)::text`, nth));
  expect(await Promise.all(days)).toEqual(['2026-02-28', '2026-03-31', '2026-04-30']);
  expect(await value(`next_occurrence('2026-01-31', 'week', 2, 3)::text`)).toBe('2026-03-14');
  expect(await value(`next_occurrence('2024-02-28', 'day', 1, 1)::text`)).toBe('2024-02-29');
});

test('a limit counts by the person, the account or whom is paid', async () => {
  const [person, account, payee] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const counted = (subject: string) =>
    value('limit_subject($1, $2, $3, $4)', subject, person, account, payee);
  expect(await Promise.all(['user', 'account', 'recipient'].map(counted))).toEqual([person, account, payee]);
});

test('the UUID of a name is the same each time, another for another name, and of version 8', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (one, other) => {
      fc.pre(one !== other && !`${one}${other}`.includes('\u0000'));
      const [first, again, second] = await Promise.all(
        [one, one, other].map((name) => value('name_uuid($1)', name.toWellFormed())),
      );
      expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      expect(again).toBe(first);
      expect(second === first).toBe(one.toWellFormed() === other.toWellFormed());
    }),
    { numRuns: 40 },
  );
});

test('the database and the service agree on which errors time may heal', async () => {
  const classes = ['00', '08', '21', '22', '23', '25', '28', '40', '42', '53', '55', '57', '58', 'P0', 'XX'];
  const heals = (state: string) => value('heals_with_time($1)', state);
  expect(await Promise.all(classes.map((each) => heals(`${each}000`)))).toEqual(
    classes.map((each) => !isPermanentState(`${each}000`)),
  );
});

test('the database and the service agree on which values are secret', async () => {
  const names = [
    ...[
      'code',
      'reset_code',
      'pin',
      'otp',
      'password',
      'client_secret',
      'token',
      'card_number',
      'pan',
      'cvv',
    ],
    ...['encode', 'codes', 'pinned', 'company', 'payment', 'at', 'card_number_end'],
  ];
  const tells = (name: string) => value(`tells_secret('common', $1::jsonb)`, JSON.stringify([{ name }]));
  expect(await Promise.all(names.map(tells))).toEqual(names.map(isSecret));
  expect(await value(`tells_secret('codes', '[]')`)).toBe(true);
});

test('an account gets the number that nobody has, with the check digits of its country', async () => {
  const numbers = await Promise.all(Array.from({ length: 20 }, () => value('next_account_number()')));
  expect(new Set(numbers).size).toBe(20);
});
