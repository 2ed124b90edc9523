/** SQL as the application's role, which is what a wrong program has: statements are tried and undone. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import type { Database } from '../stack/database.ts';
import { openBooks, type Books } from './books.ts';

/** What PostgreSQL answers: no right to the table or function, nobody who may, a broken check, a broken rule of a trigger. */
export const NOT_GRANTED = '42501';
export const NOT_ALLOWED = '28T01';
export const BROKEN = '23514';
export const RULE = '23001';

/** All with which an administrator can loosen something or decide. */
export const ACTIONS = [
  ...[
    'account_types:write',
    'accounts:review',
    'accounts:write',
    'adjustments:write',
    'aml:review',
    'cards:write',
    'fees:write',
  ],
  ...['fx:write', 'permissions:write', 'transfers:configure', 'transfers:review', 'users:write'],
];

/** Two customers, of whom the first has 100.00 EUR, and two administrators with all of `ACTIONS`, of whom one is blocked. */
export interface Application {
  readonly books: Books;
  /** Connected as the application's role. */
  readonly app: pg.Pool;
  readonly customer: UserId;
  readonly other: UserId;
  readonly account: AccountId;
  readonly theirs: AccountId;
  readonly admin: UserId;
  readonly blocked: UserId;
  close(): Promise<void>;
}

/** `close` it in afterAll. */
export async function openApplication(database: Database): Promise<Application> {
  const books = openBooks(database);
  const app = new pg.Pool({ connectionString: database.url, max: 4 });
  const [customer, other] = [await books.user(), await books.user()];
  const [account, theirs] = [await books.account(customer), await books.account(other)];
  await books.fund(account, 10_000n);
  const [admin, blocked] = [await books.admin(ACTIONS), await books.admin(ACTIONS)];
  await books.asOwner(`update users set status = 'blocked' where id = $1`, [blocked]);
  return {
    ...{ books, app, customer, other, account, theirs, admin, blocked },
    async close() {
      await app.end();
      await books.close();
    },
  };
}

/** Runs statements for `actor` if one is named, and undoes them. Answers the SQLSTATE, or the rows of the last one. */
export async function tryOut(
  app: pg.Pool,
  statement: string,
  parameters: readonly unknown[] = [],
  actor?: UserId,
): Promise<string | Record<string, unknown>[]> {
  const client = await app.connect();
  try {
    await client.query('begin');
    if (actor !== undefined) await client.query('select act_as($1)', [actor]);
    const result = await client.query<Record<string, unknown>>(statement, [...parameters]);
    await client.query('set constraints all immediate');
    return result.rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? 'no code';
    throw error;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Takes orders; `orderOf` makes what it takes. */
export const TAKE = 'select refusal from transfers_create($1, false)';

/** The claims of an order of 1 cent to somebody else, changed. */
export function orderOf(
  { customer, account, theirs }: Pick<Application, 'customer' | 'account' | 'theirs'>,
  changes: object,
  caller: UserId = customer,
): string {
  return JSON.stringify([
    {
      ...{
        caller,
        operation: 'createTransfer',
        key: randomUUID(),
        hmac: 'ab'.repeat(32),
        approval_seconds: 3600,
      },
      order: {
        ...{
          id: randomUUID(),
          kind: 'transfer',
          type_code: 'internal',
          requested_by: caller,
          customer_id: customer,
        },
        ...{
          source_account_id: account,
          destination_account_id: theirs,
          asset: 'EUR',
          amount: '1',
          description: '',
        },
        ...changes,
      },
    },
  ]);
}
