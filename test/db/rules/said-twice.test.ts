/** Rules that the API needs before it asks the books: the domain says them in TypeScript, the database in SQL, and both agree. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nearestReach, reachCovers } from '../../../domain/transfers/reach.ts';
import {
  heldStatuses,
  transferReaches,
  transferStatuses,
  unspentStatuses,
} from '../../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** An account in every country that there is or could be, and one without an IBAN. */
const IBANS = [null, ...LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}00`))];

test('an account abroad is reached by SEPA exactly in the countries of its schemes, and in euro', async () => {
  for (const asset of ['EUR', 'USD']) {
    const reached = await books.asOwner(
      'select payee_reach(null, iban, $2) as reach from unnest($1::text[]) with ordinality x(iban, n) order by n',
      [IBANS, asset],
    );
    expect(reached.map(({ reach }) => reach)).toEqual(IBANS.map((iban) => nearestReach({ iban }, asset)));
  }
});

test('an account of this bank is one’s own or somebody else’s, in any currency', async () => {
  for (const isOwn of [true, false]) {
    const [found] = await books.asOwner(`select payee_reach($1, null, 'EUR') as reach`, [isOwn]);
    expect(found?.['reach']).toBe(nearestReach({ isOwn }, 'EUR'));
  }
});

test('a type reaches what is nearer than it on the same side of the bank’s door', async () => {
  const pairs = transferReaches.flatMap((reach) => transferReaches.map((nearest) => ({ reach, nearest })));
  const covered = await books.asOwner(
    `select reach_covers(x->>'reach', x->>'nearest') as covers from jsonb_array_elements($1) with ordinality y(x, n) order by n`,
    [JSON.stringify(pairs)],
  );
  expect(covered.map(({ covers }) => covers)).toEqual(
    pairs.map(({ reach, nearest }) => reachCovers(reach, nearest)),
  );
});

test.each([
  ['its money is held', 'transfer_is_held', heldStatuses],
  ['it has ended without the money having gone', 'transfer_is_unspent', unspentStatuses],
])('of a transfer, %s in the same statuses', async (_what, rule, statuses) => {
  const found = await books.asOwner(`select status from unnest($1::text[]) status where ${rule}(status)`, [
    transferStatuses,
  ]);
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(statuses));
});
