/**
 * A programmer's mistake must not break the books: each test writes one straight into PostgreSQL, as the application's role
 * (which may not write at all) and as the owner of the tables (whom only constraints and triggers stop).
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { record } from '../../../db/queries/platform/audit.ts';
import { rows } from '../../support/stack/sql.ts';
import { SYSTEM } from '../../../domain/actor.ts';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { transferMoves, transferStatuses } from '../../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
let customer: UserId;
let account: AccountId;
let other: AccountId;

beforeAll(async () => {
  // what is emptied locks every table, which would stop the tests beside it in a shared bank
  books = openBooks(await ownBank());
  customer = await books.user();
  [account, other] = [await books.account(customer), await books.account(customer)];
  await books.fund(account, 10_000n);
  await record(books.em(), SYSTEM, { action: 'test', subject: ['account', account] });
});
afterAll(() => books.close());

const header = (id: string) =>
  `with t as (insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date)
     values ('${id}', 'test', 'test', '${id}', now(), current_date) returning id)`;

describe.each([
  [
    'one-sided entry',
    () =>
      `${header(randomUUID())} insert into ledger_entries select '${account}', 2, id, 'EUR', -5, 9995, now(), current_date from t`,
    /sum to zero|foreign key/,
  ],
  [
    'entry in another asset than its account',
    () =>
      `insert into ledger_entries select '${account}', 2, transaction_id, 'USD', -5, 9995, now(), current_date from ledger_entries limit 1`,
    /sum to zero|foreign key/,
  ],
  [
    'entry of half a minor unit',
    () =>
      `insert into ledger_entries select '${account}', 2, transaction_id, 'EUR', 0.5, 10000.5, now(), current_date from ledger_entries limit 1`,
    /minor/,
  ],
  [
    'change of a posted entry',
    () => `update ledger_entries set amount = amount * 2 where account_id = '${account}'`,
    /append-only/,
  ],
  [
    'deletion of a posted entry',
    () => `delete from ledger_entries where account_id = '${account}'`,
    /append-only/,
  ],
  [
    'change of a ledger transaction',
    () => `update ledger_transactions set description = 'other'`,
    /append-only/,
  ],
  ['deletion of a ledger transaction', () => 'delete from ledger_transactions', /append-only/],
  ['emptying of the entries', () => 'truncate ledger_entries cascade', /append-only/],
  [
    'balance without entries',
    () => `update accounts set posted = posted + 1 where id = '${account}'`,
    /does not agree/,
  ],
  [
    'overdraft',
    () => `update accounts set held = posted + 1 where id = '${account}'`,
    /accounts_never_overdrawn/,
  ],
  ['negative hold', () => `update accounts set held = -1 where id = '${account}'`, /held_check/],
  [
    'new owner for an account',
    () =>
      `update accounts set owner_id = (select id from users where id <> '${customer}' limit 1) where id = '${account}'`,
    /never changes/,
  ],
  [
    'closed account with money in it',
    () => `update accounts set status = 'closed', closed_at = now() where id = '${account}'`,
    /accounts_closed_empty/,
  ],
  ['deletion of an account', () => `delete from accounts where id = '${other}'`, /append-only|foreign key/],
  ['new scale for a currency', () => `update assets set scale = 3 where code = 'EUR'`, /append-only/],
  ['audit entry rewritten', () => `update audit_log set action = 'nothing'`, /append-only/],
])('%s', (_mistake, statement, reason) => {
  test('is refused to the owner of the tables', async () => {
    const before = await books.balance(account);
    await expect(books.asOwner(statement())).rejects.toThrow(reason);
    expect(await books.balance(account)).toEqual(before);
  });

  test('is refused to the application', async () => {
    await expect(rows(books.em(), statement())).rejects.toThrow(/permission denied|accounts_closed_empty/);
  });
});

test('an executed transfer that its asker approved is refused, whoever writes it', async () => {
  const insert = `insert into transfers (id, kind, status, requested_by, customer_id, source_account_id, destination_account_id, asset, amount, target_asset, target_amount,
      reason, requires_approval, transaction_id, approved_by, decided_by, finished_at)
    select $1, 'adjustment', 'executed', $2, $3, $4, $5, 'EUR', 1, 'EUR', 1, 'x', true, id, $2, $2, now() from ledger_transactions limit 1`;
  await expect(
    books.asOwner(insert, [randomUUID(), await books.user(), customer, account, other]),
  ).rejects.toThrow(/transfers_four_eyes/);
});

test('the database allows exactly the moves of the table in the domain', async () => {
  const moves = await books.asOwner('select from_status, to_status from transfer_moves');
  const expected = transferStatuses.flatMap((from) => transferMoves[from].map((to) => `${from} > ${to}`));
  expect(moves.map((move) => `${String(move['from_status'])} > ${String(move['to_status'])}`).sort()).toEqual(
    expected.sort(),
  );
});

test('the application may write no table of the books', async () => {
  const grants = await books.asOwner(
    `select table_name, privilege_type from information_schema.role_table_grants where grantee = 'teller_app'
      and table_name in ('accounts', 'assets', 'asset_networks', 'house_roles', 'limit_counters', 'limit_uses', 'holds', 'ledger_entries', 'ledger_transactions', 'transfers', 'transfer_moves')
      and privilege_type <> 'SELECT'`,
  );
  expect(grants).toEqual([]);
});

test('the application owns nothing', async () => {
  const owned = await books.asOwner(`select relname from pg_class where relowner = 'teller_app'::regrole`);
  expect(owned).toEqual([]);
});
