/** What the application's role cannot loosen with plain SQL, and whom it cannot make an administrator: these are the statements that were tried. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import {
  NOT_ALLOWED,
  NOT_GRANTED,
  RULE,
  ACTIONS,
  openApplication,
  tryOut,
  type Application,
} from '../../support/bank/as-application.ts';
import { type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

let application: Application;
let books: Books;
let app: pg.Pool;
let customer: UserId;
let other: UserId;
let account: AccountId;
let admin: UserId;
let blocked: UserId;
beforeAll(async () => {
  // a bank of its own: for a moment these statements hold the settings that everybody's payments read
  application = await openApplication(await ownBank());
  ({ books, app, customer, other, account, admin, blocked } = application);
});
afterAll(() => application.close());

const tried = (statement: string, parameters?: readonly unknown[], actor?: UserId) =>
  tryOut(app, statement, parameters, actor);
const administrator = (actions: readonly string[] = ACTIONS): Promise<UserId> => books.admin(actions);

/** Settings that loosen or tighten, each with the action that its author must hold. */
const SETTINGS: readonly (readonly [string, string, () => readonly unknown[]])[] = [
  [
    'account_types:write',
    // a type with a minimum balance admits no overdraft
    'update account_types set overdraft_limit = 100000000 where enabled and min_balance = 0',
    () => [],
  ],
  ['account_types:write', 'delete from account_types where false', () => []],
  ['transfers:configure', 'update transfer_types set approval_seconds = 86400', () => []],
  ['transfers:configure', 'update transfer_type_currencies set approval_above = 900000000', () => []],
  ['transfers:configure', 'delete from transfer_limits', () => []],
  [
    'fx:write',
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source, created_by)
     values (uuidv7(), 'EUR', 'USD', 1000, 0, now() + interval '300 days', 'mine', $1)`,
    () => [admin],
  ],
  [
    'fees:write',
    `insert into fee_rules (id, code, purpose, asset) values (uuidv7(), 'mine', 'transfer', 'EUR')`,
    () => [],
  ],
  [
    'cards:write',
    `insert into card_payment_systems (code, name, pan_length) values ('mine', 'Mine', 16)`,
    () => [],
  ],
  ['cards:write', 'delete from card_iin_ranges where false', () => []],
  ['cards:write', 'update card_products set version = version where false', () => []],
  [
    'users:write',
    `insert into users (id, email, first_name, last_name, role, status)
     values ($1::uuid, $1::text || '@books.test', 'A', 'B', 'admin', 'pending')`,
    () => [randomUUID()],
  ],
];

describe('settings', () => {
  test.each(SETTINGS)('of %s: %s', async (action, statement, parameters) => {
    const without = await administrator(ACTIONS.filter((held) => held !== action));
    expect(await tried(statement, parameters())).toBe(NOT_ALLOWED);
    expect(await tried(statement, parameters(), customer)).toBe(NOT_ALLOWED);
    expect(await tried(statement, parameters(), blocked)).toBe(NOT_ALLOWED);
    expect(await tried(statement, parameters(), without)).toBe(NOT_ALLOWED);
    expect(await tried(statement, parameters(), admin)).toEqual(expect.any(Array));
  });

  test('of one account: its limits are set for somebody who may', async () => {
    const set = `select refusal from account_set_limits($1, 1000000, null)`;
    expect(await tried(set, [account])).toBe(NOT_ALLOWED);
    expect(await tried(set, [account], blocked)).toBe(NOT_ALLOWED);
    expect(await tried(set, [account], admin)).toEqual([{ refusal: null }]);
  });

  test('nobody signs with the name of another', async () => {
    const rate = `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source, created_by)
      values (uuidv7(), 'EUR', 'USD', 1000, 0, now(), 'mine', $1)`;
    expect(await tried(rate, [blocked], admin)).toBe(NOT_ALLOWED);
    expect(await tried(rate, [null], admin)).toBe(NOT_ALLOWED);
  });

  test.each([
    ['a rate', 'update fx_rates set rate = 1000'],
    ['a fee', 'update fee_rule_versions set flat = 0'],
    ['what a card product said', 'update card_product_versions set stand_in_limit = 100000000'],
    ['how many numbers are given', 'update card_iin_ranges set issued = 0'],
    ['what may be converted', 'update fx_settings set stale_seconds = 0'],
    ['what was decided', 'delete from transfer_decisions'],
    ['the settings of the bank', `update bank_settings set time_zone = 'UTC'`],
    ['the audit log', 'delete from audit_log'],
  ])('nobody rewrites %s', async (_what, statement) => {
    expect(await tried(statement, [], admin)).toBe(NOT_GRANTED);
  });
});

describe('administrators', () => {
  test.each([
    ['promotes', `update users set role = 'admin' where id = $1`, () => [customer]],
    ['lets in', `update users set status = 'active' where id = $1`, () => [blocked]],
    [
      'grants',
      `insert into user_permissions (user_id, action) values ($1, 'transfers:review')`,
      () => [customer],
    ],
    ['takes rights', 'delete from user_permissions where user_id = $1', () => [admin]],
    ['countersigns', `update empowerments set countersigned_by = $1`, () => [admin]],
    ['forgets who made whom', 'delete from empowerments', () => []],
    ['raises a level of identification', 'update users set kyc_level = 3 where id = $1', () => [customer]],
    [
      'begins identified',
      `insert into users (email, first_name, last_name, kyc_level) values ('a@books.test', 'A', 'B', 3)`,
      () => [],
    ],
  ] as const)(
    'nobody %s outside of a function',
    async (_what, statement, parameters: () => readonly unknown[]) => {
      expect(await tried(statement, parameters(), admin)).toBe(NOT_GRANTED);
    },
  );

  test('one who is made begins as invited, and it is noted by whom', async () => {
    const insert = `insert into users (id, email, first_name, last_name, role, status, password_hash)
      values ($1::uuid, $1::text || '@books.test', 'A', 'B', 'admin', $2, $3)`;
    const hash = '$argon2id$mine';
    expect(await tried(insert, [randomUUID(), 'active', hash], admin)).toBe(RULE);
    expect(await tried(insert, [randomUUID(), 'pending', hash], admin)).toBe(RULE);
    const id = randomUUID();
    const noted = `with made as (insert into users (id, email, first_name, last_name, role, status)
      values ($1::uuid, $1::text || '@books.test', 'A', 'B', 'admin', 'pending') returning id) select id from made`;
    const client = await app.connect();
    await client.query('begin');
    await client.query('select act_as($1)', [admin]);
    await client.query(noted, [id]);
    const steps = await client.query('select empowered_by, kind from empowerments where person_id = $1', [
      id,
    ]);
    expect(steps.rows).toEqual([{ empowered_by: admin, kind: 'created' }]);
    // a statement that changes whom it acts for while it inserts
    await client.query('savepoint renamed');
    const renamed = `insert into users (id, email, first_name, last_name, role, status)
      values ($1::uuid, $1::text || '@books.test', 'A', 'B', 'admin', 'pending') returning set_config('teller.actor', '', true)`;
    await expect(client.query(renamed, [randomUUID()])).rejects.toMatchObject({ code: NOT_ALLOWED });
    await client.query('rollback to savepoint renamed');
    // the password comes with the invitation, and nothing else
    const password = `update users set password_hash = '$argon2id$mine' where id = $1`;
    await client.query('savepoint password');
    await expect(client.query(password, [id])).rejects.toMatchObject({ code: RULE });
    await client.query('rollback to savepoint password');
    // an invitation in the name of another, or of nobody
    await client.query('savepoint invited');
    const invite = `insert into admin_invitations (user_id, invited_by, token_hash, expires_at)
      values ($1, $2, sha256($3), now() + interval '1 day')`;
    await expect(client.query(invite, [id, blocked, id])).rejects.toMatchObject({ code: NOT_ALLOWED });
    await client.query('rollback');
    client.release();
  });

  test.each([
    ['grants', 'select refusal from permissions_grant($1, $2, $3)'],
    ['takes away', 'select refusal from permissions_revoke($1, $2, $3)'],
    ['promotes', 'select refusal from user_promote($1, $2, $3)'],
  ])('by a function, nobody %s without the right', async (_what, statement) => {
    for (const actor of [customer, blocked, await administrator([])])
      expect(await tried(statement, [actor, other, ['transfers:review']])).toEqual([
        { refusal: 'permission_not_held' },
      ]);
    expect(await tried(statement, [admin, admin, ['transfers:review']])).toEqual([
      { refusal: 'same_person' },
    ]);
  });
});
