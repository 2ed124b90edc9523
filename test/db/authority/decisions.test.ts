/** What the application's role cannot decide with plain SQL in the name of somebody who may not: these are the statements that were tried. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import {
  NOT_ALLOWED,
  NOT_GRANTED,
  ACTIONS,
  openApplication,
  tryOut,
  orderOf as orderBetween,
  type Application,
} from '../../support/bank/as-application.ts';
import { ownBank } from '../../support/stack/database.ts';
import { type Books } from '../../support/bank/books.ts';

let application: Application;
let books: Books;
let app: pg.Pool;
let customer: UserId;
let other: UserId;
let account: AccountId;
let admin: UserId;
let blocked: UserId;
beforeAll(async () => {
  application = await openApplication(await ownBank());
  ({ books, app, customer, other, account, admin, blocked } = application);
});
afterAll(() => application.close());

const tried = (statement: string, parameters?: readonly unknown[], actor?: UserId) =>
  tryOut(app, statement, parameters, actor);
const administrator = (actions: readonly string[] = ACTIONS): Promise<UserId> => books.admin(actions);
const orderOf = (changes: object, caller?: UserId): string => orderBetween(application, changes, caller);

describe('decisions', () => {
  test('on a transfer: not by its maker, nor by somebody who is blocked, without the permission or no administrator', async () => {
    const id = randomUUID();
    const adjustment = orderOf(
      {
        ...{
          id,
          kind: 'adjustment',
          type_code: null,
          source_account_id: null,
          destination_account_id: account,
        },
        ...{ amount: '5000', reason: 'a gift' },
      },
      admin,
    );
    const taken = await app.query<{ refusal: string | null }>(
      'select refusal from transfers_create($1, false)',
      [adjustment],
    );
    expect(taken.rows).toEqual([{ refusal: null }]);
    const accept = `select refusal from transfer_decision_accept($1, uuidv7(), 'execute', $2, 'mine', 'test')`;
    const refusals: unknown[] = [];
    for (const decider of [admin, blocked, await administrator([]), customer, other, null])
      refusals.push(await tried(accept, [id, decider]));
    const held = (refusal: string) => [{ refusal }];
    expect(refusals).toEqual([held('same_person'), ...Array<unknown>(5).fill(held('permission_not_held'))]);
    expect(
      await tried(`select refusal from transfer_carry_out($1, 'decision', $2)`, [id, randomUUID()]),
    ).toEqual([{ refusal: 'not_found' }]);
    expect(await tried('insert into transfer_decisions (id, transfer_id) values ($1, $1)', [id])).toBe(
      NOT_GRANTED,
    );
    // what nobody decides must not stay open for the next test
    await books.asOwner(`select * from transfer_move($1, 'reject', $2, 'test', uuidv7(), null)`, [
      id,
      blocked,
    ]);
  });

  test('on a flag: not by its maker, its owner, or somebody who may not', async () => {
    const raise = await administrator();
    const client = await app.connect();
    await client.query('begin');
    await client.query(`select * from account_flag($1, $2, 'odd', true)`, [account, raise]);
    const cleared = async (by: UserId) => {
      await client.query('savepoint clearing');
      const done = await client
        .query<{ refusal: string | null }>(`select refusal from account_clear_flag($1, $2, 'fine')`, [
          account,
          by,
        ])
        .then(
          ({ rows }) => rows[0]?.refusal,
          (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
        );
      await client.query('rollback to savepoint clearing');
      return done;
    };
    expect(await cleared(raise)).toBe('same_person');
    expect(await cleared(customer)).toBe('same_person');
    expect(await cleared(other)).toBe(NOT_ALLOWED);
    expect(await cleared(blocked)).toBe(NOT_ALLOWED);
    expect(await cleared(admin)).toBe(null);
    await client.query('rollback');
    client.release();
  });

  test('on a change that waits: nobody asks in the name of another, or for what they may not', async () => {
    const insert = `insert into pending_changes (id, operation, permission, resource_type, resource_id, etag, request, request_mac,
      requested_by, expires_at) values ($1, 'grantPermissions', $2, 'user', $3, 'x', '\\x00', $4, $5, now() + interval '1 day')`;
    const ask = (permission: string, by: UserId, acting: UserId) => {
      const id = randomUUID();
      return tried(insert, [id, permission, other, Buffer.from(id), by], acting);
    };
    const clerk = await administrator(['tickets:read']);
    expect(await ask('users:write', customer, customer)).toBe(NOT_ALLOWED);
    expect(await ask('users:write', clerk, clerk)).toBe(NOT_ALLOWED);
    expect(await ask('users:write', clerk, admin)).toBe(NOT_ALLOWED);
    expect(await ask('users:write', admin, admin)).toEqual([]);
  });

  test('on a request to open an account: only by somebody who may review', async () => {
    const [type] = await books.asOwner(
      `select id from account_types where asset = 'EUR' order by id limit 1`,
    );
    const id = randomUUID();
    await books.asOwner(
      `insert into account_requests (id, user_id, account_type_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
      [id, other, type?.['id']],
    );
    const reject = `update account_requests set status = 'rejected', decided_by = $2, decision_id = uuidv7(),
      decision_reason = 'no', decided_at = now() where id = $1`;
    expect(await tried(reject, [id, blocked])).toBe(NOT_ALLOWED);
    expect(await tried(reject, [id, await administrator([])])).toBe(NOT_ALLOWED);
    expect(await tried(reject, [id, admin])).toEqual([]);
    const approved = `insert into account_requests (id, user_id, account_type_id, status, decided_by, decided_at, expires_at)
      values ($1, $2, $3, 'rejected', $4, now(), now())`;
    expect(await tried(approved, [randomUUID(), other, type?.['id'], blocked])).toBe(NOT_GRANTED);
  });
});
