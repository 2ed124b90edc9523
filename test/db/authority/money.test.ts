/** What the application's role cannot do to money with plain SQL, whoever it acts for: these are the statements that were tried. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import {
  BROKEN,
  NOT_GRANTED,
  TAKE,
  openApplication,
  tryOut,
  orderOf as orderBetween,
  type Application,
} from '../../support/bank/as-application.ts';
import { ownBank } from '../../support/stack/database.ts';
import { payment, type Books } from '../../support/bank/books.ts';
import { post } from '../../support/bank/posting.ts';
import { stack } from '../../support/stack/stack.ts';

let application: Application;
let books: Books;
let app: pg.Pool;
let customer: UserId;
let other: UserId;
let account: AccountId;
let theirs: AccountId;
let admin: UserId;
beforeAll(async () => {
  application = await openApplication(await ownBank());
  ({ books, app, customer, other, account, theirs, admin } = application);
});
afterAll(() => application.close());

const tried = (statement: string, parameters?: readonly unknown[], actor?: UserId) =>
  tryOut(app, statement, parameters, actor);
const orderOf = (changes: object, caller?: UserId): string => orderBetween(application, changes, caller);

const legs = (from: string, to: string) =>
  JSON.stringify([
    {
      ...{ id: randomUUID(), kind: 'adjustment', source_type: 'transfer', source_id: randomUUID() },
      entries: [
        { account: from, asset: 'EUR', amount: '-77700' },
        { account: to, asset: 'EUR', amount: '77700' },
      ],
    },
  ]);

describe('money', () => {
  test.each([
    ['posts by the ledger function', 'select * from ledger_post($1)', () => [legs(account, theirs)]],
    ['opens a house account', `select house_account('fees', 'EUR', $1)`, () => [account]],
    ['writes an entry', 'insert into ledger_entries select * from ledger_entries limit 1', () => []],
    [
      'writes a ledger transaction',
      'insert into ledger_transactions (id, kind, source_type, source_id) values (uuidv7(), $1, $1, uuidv7())',
      () => ['adjustment'],
    ],
    [
      'changes an entry',
      'update ledger_entries set amount = amount * 2 where account_id = $1',
      () => [account],
    ],
    ['deletes entries', 'delete from ledger_entries where account_id = $1', () => [account]],
    ['empties the ledger', 'truncate ledger_entries', () => []],
    ['raises a balance', 'update accounts set posted = posted + 100 where id = $1', () => [account]],
    ['lets go of what is held', 'update accounts set held = 0 where id = $1', () => [account]],
    ['takes an overdraft', 'update accounts set overdraft_limit = 1000000 where id = $1', () => [account]],
    [
      'makes an account',
      `insert into accounts (kind, role, asset, shard) values ('house', 'fees', 'EUR', 15)`,
      () => [],
    ],
    ['gives an account away', 'update accounts set owner_id = $2 where id = $1', () => [account, other]],
    ['writes a hold', 'insert into holds select * from holds limit 1', () => []],
    ['opens a hold', `select hold_open('transfer', $1, $1, 'EUR', 1, null, false)`, () => [account]],
    ['changes a hold', 'select hold_change($1, 1, null, true)', () => [randomUUID()]],
    ['releases a hold', 'select hold_release($1)', () => [randomUUID()]],
    ['captures a hold', `select hold_capture($1, '{}', true)`, () => [randomUUID()]],
    [
      'gives a source more rights',
      `insert into source_rights (source_type, kind, permits) values ('transfer', 'transfer', 'must_book')`,
      () => [],
    ],
    ['writes a transfer', 'insert into transfers select * from transfers limit 1', () => []],
    ['executes a transfer', `update transfers set status = 'executed'`, () => []],
    [
      'moves a transfer on',
      `select * from transfer_move($1, 'execute', $1, '', $1, null)`,
      () => [randomUUID()],
    ],
    ['writes a charge', 'insert into account_fees select * from account_fees limit 1', () => []],
    ['switches the triggers off', `set session_replication_role = replica`, () => []],
    ['drops a trigger', 'drop trigger ledger_entries_check on ledger_entries', () => []],
    ['becomes the owner', 'set role teller_owner', () => []],
    [
      'makes a function of their own',
      'create function public.mine() returns int language sql as $$ select 1 $$',
      () => [],
    ],
  ] as const)('nobody %s', async (_what, statement, parameters: () => readonly unknown[]) => {
    expect(await tried(statement, parameters(), admin)).toBe(NOT_GRANTED);
  });

  test('nobody orders from an account of somebody else, or more than there is', async () => {
    const swapped = { source_account_id: theirs, destination_account_id: account };
    expect(await tried(TAKE, [orderOf(swapped)])).toEqual([{ refusal: 'not_found' }]);
    expect(await tried(TAKE, [orderOf({ amount: '10001' })])).toEqual([{ refusal: 'insufficient_funds' }]);
  });

  test('nobody books beside an order, neither from an account of somebody else nor out of nothing', async () => {
    const side = (leg: object, back: object) => [
      { at: 'source', asset: 'EUR', amount: '-1' },
      { at: 'destination', asset: 'EUR', amount: '1' },
      { asset: 'EUR', amount: '-5000', ...leg },
      { asset: 'EUR', amount: '5000', ...back },
    ];
    for (const legs of [
      side({ account: theirs }, { account }),
      side({ at: 'adjustments' }, { at: 'fees' }),
      side({ at: 'source', account: theirs }, { at: 'fees' }),
    ])
      expect(await tried(TAKE, [orderOf({ legs })])).toBe(BROKEN);
    const gift = {
      ...{ kind: 'adjustment', type_code: null, reason: 'a gift', source_account_id: null },
      requested_by: admin,
    };
    const legs = side({ account: theirs }, { account });
    expect(await tried(TAKE, [orderOf({ ...gift, destination_account_id: account, legs }, admin)])).toBe(
      BROKEN,
    );
  });

  test('nobody converts at a price of their own, quoted or not', async () => {
    await books.asOwner(
      `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source) values (uuidv7(), 'EUR', 'NZD', 1.8, 0, clock_timestamp(), 'test')`,
    );
    await books.asOwner(
      `insert into account_types (code, name, asset, openable_by) values ('t' || replace($1, '-', ''), 'x', 'NZD', 'customer')`,
      [randomUUID()],
    );
    const target = await books.account(customer, 'NZD');
    const legs = (into: string) => [
      { at: 'source', asset: 'EUR', amount: '-100' },
      { at: 'fx_position', asset: 'EUR', amount: '100' },
      { at: 'fx_position', asset: 'NZD', amount: `-${into}` },
      { at: 'destination', asset: 'NZD', amount: into },
    ];
    const exchanged = (into: string) =>
      orderOf({
        ...{ type_code: 'own', destination_account_id: target, amount: '100', legs: legs(into) },
        ...{ target_asset: 'NZD', target_amount: into },
      });
    expect(await tried(TAKE, [exchanged('181')])).toEqual([{ refusal: 'rate_unavailable' }]);
    expect(await tried(TAKE, [exchanged('180')])).toEqual([{ refusal: null }]);
    const quoted = (into: string, expires: string) =>
      tried(
        `insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, asset, amount,
           target_asset, target_amount, requires_approval, expires_at)
         values (uuidv7(), $1, 'own', $2, $3, 'EUR', 100, 'NZD', $4, false, now() + $5::interval)`,
        [customer, account, target, into, expires],
      );
    expect(await quoted('181', '1 minute')).toBe(BROKEN);
    expect(await quoted('180', '1 day')).toBe(BROKEN);
    expect(await quoted('180', '1 minute')).toEqual([]);
  });

  test('nobody spares an approval by a quote of their own', async () => {
    const [threshold] = await books.asOwner(
      `select approval_above from transfer_type_currencies where type_code = 'internal' and asset = 'EUR'`,
    );
    const above = BigInt(String(threshold?.['approval_above'])) + 1n;
    const quote = `insert into transfer_quotes (id, requested_by, type_code, source_account_id, destination_account_id, asset, amount,
      target_asset, target_amount, requires_approval, expires_at)
      values (uuidv7(), $1, 'internal', $2, $3, 'EUR', $4, 'EUR', $4, $5, now() + interval '1 minute')`;
    expect(await tried(quote, [customer, account, theirs, above.toString(), false])).toBe(BROKEN);
    expect(await tried(quote, [customer, account, theirs, above.toString(), true])).toEqual([]);
  });

  test('nobody gives the rail a payment that no transfer ordered', async () => {
    const paid = `insert into rail_payments (transfer_id, message_id, asset, amount) values ($1, 'mine', 'EUR', 1)`;
    expect(await tried(paid, [randomUUID()])).toBe(BROKEN);
  });

  test('the check of the books finds a transaction without a source', async () => {
    const broken = async () =>
      (await trialBalance(books.em())).checks.find(
        ({ check }) => check === 'every transaction has its source',
      )?.broken ?? 0;
    const before = await broken();
    await post(books.ownerEm(), [
      { ...payment(account, theirs, 1n), sourceType: 'test', sourceId: randomUUID() },
    ]);
    expect(await broken()).toBeGreaterThan(before);
  });
});

test.each(['postgres', 'template1'])('the role cannot connect to the database %s', async (name) => {
  const url = new URL(stack.databaseUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await expect(client.connect()).rejects.toMatchObject({ code: NOT_GRANTED });
});
