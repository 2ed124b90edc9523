/** Settings as the application's role writes them for an administrator: tried and undone. */
import pg from 'pg';
import type { UserId } from '../../../domain/ids.ts';
import { NOT_ALLOWED, RULE } from './as-application.ts';
import type { Books } from './books.ts';

export const ADMIN_RULE = { NOT_ALLOWED, RULE };

type Execute = (statement: string, parameters?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Does it in a transaction of the application's role that acts for a new administrator with these actions, and undoes it. */
export async function asAdmin(
  books: Books,
  url: string,
  actions: readonly string[],
  work: (execute: Execute, admin: UserId) => Promise<void>,
): Promise<void> {
  const admin = await books.admin(actions);
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select act_as($1)', [admin]);
    await work(
      async (statement, parameters = []) =>
        (await client.query<Record<string, unknown>>(statement, [...parameters])).rows,
      admin,
    );
  } finally {
    await client.query('rollback');
    await client.end();
  }
}
