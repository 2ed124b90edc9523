/** What a transfer books must be what it says: the SQL functions that resolve its legs, called directly. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { openMover, type Mover } from '../../support/bank/movements.ts';

let books: Books;
let mover: Mover;
beforeAll(async () => {
  books = openBooks(await ownBank());
  mover = await openMover(books);
});
afterAll(() => books.close());

interface Leg {
  readonly at?: string;
  readonly account?: string;
  readonly asset: string;
  readonly amount: string;
  readonly part?: string;
}

interface Said {
  readonly id?: string;
  readonly amount?: number;
  readonly target?: string;
  readonly targetAmount?: number;
  readonly fee?: number;
  readonly legs?: readonly Leg[];
}

async function resolved({ id = randomUUID(), amount = 500, target = 'EUR', fee = 0, ...rest }: Said) {
  const [found] = await books.asOwner('select transfer_legs($1, $2, $3, $4, $5, $6, $7, $8, $9) as legs', [
    ...[id, mover.from, mover.to, 'EUR', amount, target, rest.targetAmount ?? amount, fee],
    rest.legs === undefined ? null : JSON.stringify(rest.legs),
  ]);
  return found?.['legs'];
}

const legs = (...all: [string, number, string?, string?][]): Leg[] =>
  all.map(([at, amount, asset = 'EUR', part]) => ({
    ...{ at, asset, amount: String(amount) },
    ...(part === undefined ? {} : { part }),
  }));

test('without legs the amount goes from the source to the destination', async () => {
  expect(await resolved({})).toEqual([
    { account: mover.from, asset: 'EUR', amount: '-500' },
    { account: mover.to, asset: 'EUR', amount: '500' },
  ]);
});

test('a fee or a conversion must say what it books', async () => {
  await expect(resolved({ fee: 1 })).rejects.toThrow('does not say what it books');
  await expect(resolved({ target: 'USD' })).rejects.toThrow('does not say what it books');
});

test('each leg gets its account, and its order and part stay', async () => {
  const id = randomUUID();
  const [house] = await books.asOwner(`select house_account('fees', 'EUR', $1) as fees`, [id]);
  expect(
    await resolved({
      ...{ id, fee: 20 },
      legs: legs(
        ['source', -500],
        ['destination', 500],
        ['source', -20, 'EUR', 'fee'],
        ['fees', 20, 'EUR', 'fee'],
      ),
    }),
  ).toEqual([
    { account: mover.from, asset: 'EUR', amount: '-500' },
    { account: mover.to, asset: 'EUR', amount: '500' },
    { account: mover.from, asset: 'EUR', amount: '-20', part: 'fee' },
    { account: house?.['fees'], asset: 'EUR', amount: '20', part: 'fee' },
  ]);
});

test.each([
  ['takes less from the source', { legs: legs(['source', -499], ['destination', 499]) }],
  ['takes more from the source', { legs: legs(['source', -501], ['destination', 500], ['fees', 1]) }],
  ['forgets the fee', { fee: 20, legs: legs(['source', -500], ['destination', 500]) }],
  ['gives the destination less', { legs: legs(['source', -500], ['destination', 480], ['fees', 20]) }],
  ['gives the destination nothing', { legs: legs(['source', -500], ['fees', 500]) }],
  ['takes nothing from the source', { legs: legs(['fees', -500], ['destination', 500]) }],
  ['pays another asset', { legs: legs(['source', -500], ['destination', 500, 'USD']) }],
  [
    'converts at another amount',
    {
      ...{ target: 'USD', targetAmount: 540 },
      legs: legs(
        ['source', -500],
        ['fx_position', 500],
        ['fx_position', -541, 'USD'],
        ['destination', 541, 'USD'],
      ),
    },
  ],
])('legs of which one %s are refused', async (_, said) => {
  await expect(resolved(said)).rejects.toThrow('books something else than it says');
});
