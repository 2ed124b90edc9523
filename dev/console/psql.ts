/** `npm run psql [-- --app] [-- arguments of psql]`: psql on the database of the service, as its owner or as the application. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findOnPath } from '../../tools/devstack/binaries/acquire.ts';
import { locatePostgres } from '../../tools/devstack/stack/postgres-programs.ts';
import { databaseOf } from './database-address.ts';
import { readPsqlOptions } from './psql-options.ts';
import { alignedTable } from './aligned-table.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const options = readPsqlOptions(process.argv.slice(2));
  const address = databaseOf(process.env, options.role);
  const psql = findPsql();
  if (psql !== undefined) process.exitCode = await runPsql(psql, address, options.rest);
  else if (options.statement !== undefined) await runStatement(address, options.statement);
  else {
    say(
      'psql is not installed: install the PostgreSQL client (the package postgresql-client, or libpq on macOS).',
    );
    say('Without it, one statement can be run: npm run psql -- -c "select 1"');
    process.exitCode = 1;
  }
} catch (error) {
  say(error instanceof Error && error.message !== '' ? error.message : String(error));
  process.exitCode = 1;
}

/** The psql beside our own server if the packages bring one, else that of the machine. */
function findPsql(): string | undefined {
  const bundled = bundledPsql();
  return bundled !== undefined && existsSync(bundled) ? bundled : findOnPath('psql');
}

function bundledPsql(): string | undefined {
  try {
    return join(locatePostgres(), 'psql');
  } catch {
    // no server for this platform among the packages: the database is elsewhere
    return undefined;
  }
}

async function runPsql(command: string, address: URL, args: readonly string[]): Promise<number> {
  const { password } = address;
  const shown = new URL(address);
  shown.password = '';
  const child = spawn(command, [`--dbname=${shown.href}`, ...args], {
    stdio: 'inherit',
    // by environment: a command line can be read by everybody on the machine
    env: { ...process.env, PGPASSWORD: decodeURIComponent(password) },
  });
  // Ctrl-C is for psql, where it cancels a statement; the end of this process is the end of psql too
  process.on('SIGINT', () => undefined);
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  await once(child, 'exit');
  return child.exitCode ?? 1;
}

/** What `psql -c` would do, for machines without it. */
async function runStatement(address: URL, statement: string): Promise<void> {
  // values as PostgreSQL writes them, not as JavaScript would
  const types = { getTypeParser: () => (text: string | Buffer) => String(text) };
  const client = new pg.Client({ connectionString: address.href, types });
  try {
    await client.connect();
    const answer: unknown = await client.query({ text: statement, rowMode: 'array' });
    // several statements in one text answer several results
    for (const result of [answer].flat()) process.stdout.write(`${alignedTable(result)}\n`);
  } finally {
    await client.end();
  }
}
