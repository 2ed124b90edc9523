/** The database in a fresh server, and its two roles: one owns, the other may only connect until a migration grants. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';

const Passwords = z.object({ superuser: z.string(), owner: z.string(), app: z.string() });
export type Passwords = z.infer<typeof Passwords>;

/** The passwords kept beside the cluster, readable by their owner only; made on first use. */
export function passwordsIn(folder: string): Passwords {
  const file = join(folder, 'passwords.json');
  try {
    return Passwords.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const made = { superuser: secret(), owner: secret(), app: secret() };
  writeFileSync(`${file}.new`, JSON.stringify(made), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return made;
}

/** Makes roles and database where they are missing; the same each time. */
export async function prepareDatabase(port: number, passwords: Passwords): Promise<void> {
  await asSuperuser(port, passwords, 'postgres', async (client) => {
    await ensureRole(client, 'teller_owner', passwords.owner);
    await ensureRole(client, 'teller_app', passwords.app);
    const { rowCount } = await client.query(`select from pg_database where datname = 'teller'`);
    if (rowCount === 0) await client.query('create database teller owner teller_owner');
    await client.query('revoke all on database teller, postgres, template1 from public');
    await client.query('grant connect on database teller to teller_app');
  });
  await asSuperuser(port, passwords, 'teller', async (client) => {
    await client.query('alter schema public owner to teller_owner');
    await client.query('revoke all on schema public from public');
  });
}

/** A server and where its passwords are kept. */
export interface Server {
  readonly folder: string;
  readonly port: number;
}

/** Copies a database that nobody is connected to, with its rights, over what had the name; a copy takes a tenth of a second. */
export async function copyDatabase(
  { folder, port }: Server,
  from: string,
  name: string,
): Promise<{ readonly url: string; readonly ownerUrl: string }> {
  const passwords = passwordsIn(folder);
  await asSuperuser(port, passwords, 'postgres', async (client) => {
    // names take no parameters; both are ours
    await client.query(`drop database if exists "${name}"`);
    await client.query(`create database "${name}" template "${from}" owner teller_owner`);
    await client.query(`revoke all on database "${name}" from public`);
    await client.query(`grant connect on database "${name}" to teller_app`);
  });
  return {
    url: addressOf(port, passwords, 'app', name),
    ownerUrl: addressOf(port, passwords, 'owner', name),
  };
}

/**
 * The texts of all statements that a server with `countStatements` has run, constants replaced by `$1`, those inside functions too.
 * Throws if there were more than the server keeps, or if it has lost some of the texts.
 */
export async function statementsRun({ folder, port }: Server): Promise<string[]> {
  const texts: string[] = [];
  await asSuperuser(port, passwordsIn(folder), 'postgres', async (client) => {
    await client.query('create extension if not exists pg_stat_statements');
    const forgotten = await client.query('select from pg_stat_statements_info where dealloc > 0');
    if (forgotten.rowCount !== 0)
      throw new Error('The server has forgotten statements: raise pg_stat_statements.max.');
    const { rows } = await client.query<{ query: string | null }>(
      'select distinct query from pg_stat_statements where calls > 0',
    );
    for (const { query } of rows) {
      if (query === null) throw new Error('The server has lost the texts of statements.');
      texts.push(query);
    }
  });
  return texts;
}

/** The address of a database as one of the two roles. */
export function addressOf(
  port: number,
  passwords: Passwords,
  role: 'app' | 'owner',
  database: string,
): string {
  return `postgresql://teller_${role}:${passwords[role]}@127.0.0.1:${port}/${database}`;
}

async function asSuperuser(
  port: number,
  passwords: Passwords,
  database: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = await connected(port, passwords.superuser, database);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The port answers a little before the server does: until it has recovered it says so (57P03). */
async function connected(port: number, password: string, database: string): Promise<pg.Client> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const starting = codeOf(error) === '57P03';
      if (!starting || performance.now() > deadline) throw error;
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
}

async function ensureRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  // a statement that makes roles takes no parameters; the password is hexadecimal, the role a name of ours
  if (rowCount === 0) await client.query(`create role ${role} login password '${password}'`);
}

function secret(): string {
  return randomBytes(24).toString('hex');
}

/** The code of a system's or PostgreSQL's error. Under Jest such errors are of another realm, where `instanceof Error` is false. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
