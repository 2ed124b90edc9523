/** What must be booked, whatever the account says: it passes balance, block and ceiling, or stands on suspense with the account named. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AccountId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  book,
  bookAll,
  commandOf,
  grantRights,
  openHold,
  releaseHold,
  standing,
  suspended,
  type Posting,
} from '../../support/bank/holds.ts';
import { inTurn } from '../../support/bank/in-turn.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await grantRights(books.asOwner);
});
afterAll(() => books.close());

async function account(minor = 0n, state?: string): Promise<AccountId> {
  const id = await books.account(await books.user());
  if (minor > 0n) await books.fund(id, minor);
  if (state === 'closed') await books.asOwner(`select account_set_status($1, 'closed')`, [id]);
  else if (state !== undefined)
    await books.asOwner('update accounts set status = $2 where id = $1', [id, state]);
  return id;
}
const must = (posting: Omit<Posting, 'kind'>) => book(books.asOwner, { ...posting, kind: 'clearing' });
const at = (id: AccountId) => standing(books.asOwner, id);

describe('a debit that must be booked', () => {
  test('leaves the account below its limit, marked for as long as it is there', async () => {
    const id = await account(100n);
    await books.asOwner('select account_set_limits($1, 20, null)', [id]);
    expect(await book(books.asOwner, { account: id, minor: -121n })).toBe('insufficient_funds');
    expect(await must({ account: id, minor: -120n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: -20n, unarranged: 0n, since: false });
    expect(await must({ account: id, minor: -30n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: -50n, unarranged: 30n, since: true });
    expect(await book(books.asOwner, { account: id, minor: -1n })).toBe('insufficient_funds');
    expect(await book(books.asOwner, { account: id, minor: 10n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: -40n, unarranged: 20n, since: true });
    expect(await book(books.asOwner, { account: id, minor: 25n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: -15n, unarranged: 0n, since: false });
  });

  test('counts what is held as spent, and the end of a hold covers the account again', async () => {
    const id = await account(100n);
    const { hold } = await openHold(books.asOwner, { account: id, minor: 100n });
    expect(await must({ account: id, minor: -70n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: 30n, held: 100n, unarranged: 70n });
    await releaseHold(books.asOwner, String(hold));
    expect(await at(id)).toMatchObject({ posted: 30n, held: 0n, unarranged: 0n });
  });

  test('may take a balance that must be kept, which is no overdraft', async () => {
    const id = await account(100n);
    await books.asOwner('select account_set_limits($1, -50, null)', [id]);
    expect(await must({ account: id, minor: -80n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: 20n, unarranged: 0n });
    expect(await must({ account: id, minor: -30n })).toBe('posted');
    expect(await at(id)).toMatchObject({ posted: -10n, unarranged: 10n });
  });

  test('is booked once', async () => {
    const id = await account();
    const posting = { account: id, minor: -5n, source: randomUUID() };
    expect([await must(posting), await must(posting)]).toEqual(['posted', 'duplicate']);
    expect(await at(id)).toMatchObject({ posted: -5n, unarranged: 5n });
  });
});

test('a credit that must be booked passes the ceiling', async () => {
  const id = await account();
  await books.asOwner('update accounts set max_balance = 10 where id = $1', [id]);
  expect(await book(books.asOwner, { account: id, minor: 11n })).toBe('balance_limit');
  expect(await must({ account: id, minor: 11n })).toBe('posted');
  expect(await at(id)).toMatchObject({ posted: 11n });
});

test.each([
  ['blocked', -1n, 'account', null],
  ['blocked', 1n, 'account', null],
  ['frozen', -1n, 'account', null],
  ['frozen', 1n, 'suspense', 'account_blocked'],
  ['closed', -1n, 'suspense', 'account_closed'],
  ['closed', 1n, 'suspense', 'account_closed'],
] as const)('on a %s account %s goes to the %s', async (state, minor, where, why) => {
  const id = await account(0n, state);
  const source = randomUUID();
  expect(await must({ account: id, minor, source, metadata: { note: 'kept' } })).toBe('posted');
  expect(await at(id)).toMatchObject({ posted: where === 'account' ? minor : 0n, status: state });
  expect(await suspended(books.asOwner, id)).toEqual(
    where === 'account' ? [] : [{ sum: minor.toString(), why }],
  );
  const [transaction] = await books.asOwner('select metadata from ledger_transactions where source_id = $1', [
    source,
  ]);
  expect(transaction).toEqual({
    metadata: where === 'account' ? { note: 'kept' } : { note: 'kept', for_account: id, why },
  });
});

test('in one batch what must be booked passes and what need not is refused, each by itself', async () => {
  const [one, closed] = [await account(10n), await account(0n, 'closed')];
  expect(
    await bookAll(books.asOwner, [
      { account: one, minor: -11n },
      { account: one, minor: -30n, kind: 'clearing' },
      { account: closed, minor: 5n, kind: 'clearing' },
      { account: closed, minor: 5n },
      { account: one, minor: -1n },
      { account: one, minor: 12n },
    ]),
  ).toEqual(['insufficient_funds', 'posted', 'posted', 'account_closed', 'insufficient_funds', 'posted']);
  expect(await at(one)).toMatchObject({ posted: -8n, unarranged: 8n });
  expect(await suspended(books.asOwner, closed)).toEqual([{ sum: '5', why: 'account_closed' }]);
});

test('a balance that no amount can hold is refused even so', async () => {
  expect(await must({ account: await account(), minor: 10n ** 38n })).toBe('balance_limit');
});

test('a credit and the close of its account at once: the money is on the account or on suspense, never lost', async () => {
  /** Who came first, by what is left. */
  async function first(together: (id: AccountId, acts: (() => Promise<unknown>)[]) => Promise<unknown>) {
    const id = await account();
    await together(id, [
      () => must({ account: id, minor: 7n }),
      () => books.asOwner(`select account_set_status($1, 'closed')`, [id]),
    ]);
    const { posted, status } = await at(id);
    const aside = await suspended(books.asOwner, id);
    if (status === 'closed') expect([posted, aside]).toEqual([0n, [{ sum: '7', why: 'account_closed' }]]);
    else expect([posted, aside]).toEqual([7n, []]);
    return status === 'closed' ? 'close' : 'credit';
  }
  for (let round = 0; round < 20; round++)
    await first((_, acts) => Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => act())));
  // whoever comes first, both ends are right
  expect(await first((id, acts) => inTurn(books, id, acts))).toBe('credit');
  expect(await first((id, acts) => inTurn(books, id, acts.toReversed()))).toBe('close');
});

describe('the right', () => {
  test.each([
    ['another kind', { kind: 'plain' }],
    ['another source', { source_type: 'transfer' }],
  ])('of %s is not enough, and nothing is written', async (_what, changes) => {
    const id = await account();
    const command = { ...(await commandOf(books.asOwner, { account: id, minor: -1n, kind: 'clearing' })) };
    await expect(
      books.asOwner('select * from ledger_post($1)', [JSON.stringify([{ ...command, ...changes }])]),
    ).rejects.toMatchObject({ code: '28T01' });
    expect(await at(id)).toMatchObject({ posted: 0n });
  });

  test('to hold what is not there is one of its own', async () => {
    const id = await account();
    const open = `select * from hold_open('transfer', uuidv7(), $1, 'EUR', 1, null, true)`;
    await expect(books.asOwner(open, [id])).rejects.toMatchObject({ code: '28T01' });
    const [hold] = await books.asOwner(
      `insert into holds (account_id, amount, source_type, source_id, status, resolved_at)
         values ($1, 1, 'transfer', uuidv7(), 'released', now()) returning id`,
      [id],
    );
    await expect(
      books.asOwner('select hold_change($1, 5, null, true)', [hold?.['id']]),
    ).rejects.toMatchObject({ code: '28T01' });
  });

  test('is for one customer’s account at a time', async () => {
    const [one, two] = [await account(10n), await account(10n)];
    const command = {
      ...(await commandOf(books.asOwner, { account: one, minor: -1n, kind: 'clearing' })),
      entries: [
        { account: one, asset: 'EUR', amount: '-1' },
        { account: two, asset: 'EUR', amount: '1' },
      ],
    };
    await expect(books.asOwner('select * from ledger_post($1)', [JSON.stringify([command])])).rejects.toThrow(
      /one customer/,
    );
  });
});

test('no other posting leaves an account below its limit: the table refuses it to everybody', async () => {
  const id = await account();
  await must({ account: id, minor: -10n });
  await expect(books.asOwner('update accounts set held = held + 1 where id = $1', [id])).rejects.toThrow(
    /accounts_never_overdrawn/,
  );
  await expect(books.asOwner('update accounts set unarranged = 0 where id = $1', [id])).rejects.toThrow(
    /accounts_never_overdrawn/,
  );
});

test('a higher overdraft covers what was unarranged, and none is lowered further', async () => {
  const id = await account();
  await must({ account: id, minor: -100n });
  const limit = async (minor: number) =>
    (await books.asOwner('select refusal from account_set_limits($1, $2, null)', [id, minor]))[0]?.[
      'refusal'
    ];
  expect(await limit(40)).toBeNull();
  expect(await at(id)).toMatchObject({ unarranged: 60n, since: true });
  expect(await limit(39)).toBe('overdraft_in_use');
  expect(await limit(-5)).toBe('overdraft_in_use');
  expect(await limit(100)).toBeNull();
  expect(await at(id)).toMatchObject({ unarranged: 0n, since: false });
});
