/** Databases of a test's own, on the server that the tests share. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { TEMPLATE } from '../../../dev/testing/banks.ts';
import { copyDatabase, type Server } from '../../../tools/devstack/stack/database.ts';
import { stack } from './stack.ts';

/** Addresses of a database, as the role of the application and as the owner of the tables. */
export interface Database {
  readonly url: string;
  readonly ownerUrl: string;
}

/** The database that most tests share. */
export const SHARED: Database = { url: stack.databaseUrl, ownerUrl: stack.ownerUrl };

/** The server that the tests share. */
export const sharedServer: Server = {
  folder: join(stack.folder, 'postgres'),
  port: Number(new URL(stack.databaseUrl).port),
};

/**
 * An empty bank of a test's own. For tests that order what waits: in the shared database the standing worker starts its process, and
 * gives it to its rail.
 */
export function ownBank(): Promise<Database> {
  return emptyBank(`own-${randomUUID().slice(0, 8)}`);
}

/** An empty bank of this name. */
export function emptyBank(name: string): Promise<Database> {
  return copyDatabase(sharedServer, TEMPLATE, name);
}
