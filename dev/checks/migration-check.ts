/**
 * `npm run migrate:check`: on an empty PostgreSQL of its own, all migrations run as the owner of the tables, a second
 * run finds nothing to do, and each column that an entity names is there with the type and nullability it expects. Then the same
 * on a bank in use, filled at the schemas of earlier releases: nothing of it may have changed.
 */
import { MikroORM } from '@mikro-orm/postgresql';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadStoredBank } from '../../config.ts';
import { entities } from '../../db/entities.ts';
import { migrate } from '../../db/migrate.ts';
import { RELEASES, STILL_TRUE } from './migration-data.ts';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { stopOnSignals, supervise } from '../../tools/devstack/process/supervisor.ts';
import { startPostgres } from '../../tools/devstack/stack/postgres.ts';

interface Column {
  readonly type: string;
  readonly nullable: boolean;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'teller-migrations-'));
// PostgreSQL runs as another user where this is root
chmodSync(folder, 0o711);
const supervision = await supervise(join(folder, 'run'), [folder]);
stopOnSignals(stop, supervision.abandon);

try {
  const faults = await check();
  for (const fault of faults) say(`  ${fault}`);
  say(faults.length === 0 ? 'Migrations and entities agree.' : 'Migrations and entities do not agree.');
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await stop();
}

async function check(): Promise<string[]> {
  const ownerUrl = await emptyDatabase('empty');
  const done = await migrate(ownerUrl, loadStoredBank({}));
  say(`${done.length} migrations run on an empty database.`);
  const again = await migrate(ownerUrl, loadStoredBank({}));
  const repeated = again.length === 0 ? [] : [`a second run migrated again: ${again.join(', ')}`];
  return [...repeated, ...(await compare(ownerUrl)), ...(await checkInUse())];
}

/** The same on a bank that earlier releases have been used with. */
async function checkInUse(): Promise<string[]> {
  const ownerUrl = await emptyDatabase('in-use');
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    for (const { last, written } of RELEASES) {
      await migrate(ownerUrl, loadStoredBank({}), last);
      for (const statement of written) await client.query(statement);
    }
    const done = await migrate(ownerUrl, loadStoredBank({}));
    say(
      `${done.length} migrations run on a bank in use since ${RELEASES.map(({ last }) => last).join(' and ')}.`,
    );
    const faults: string[] = [];
    for (const [what, statement] of STILL_TRUE) {
      const { rows } = await client.query<{ holds: boolean }>(statement);
      if (rows[0]?.holds !== true) faults.push(`after migrating a bank in use, no longer: ${what}`);
    }
    return faults;
  } finally {
    await client.end();
  }
}

async function emptyDatabase(name: string): Promise<string> {
  const block = await claimPorts();
  const { ownerUrl } = await startPostgres({
    folder: join(folder, name),
    port: await block.next(),
    runFolder: supervision.runFolder,
    logFile: join(folder, `${name}.log`),
    durable: false,
  });
  await block.release();
  return ownerUrl;
}

/** The schema is written by hand, with more in it than entities can say, so only what both say is compared. */
async function compare(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const orm = new MikroORM({ clientUrl: ownerUrl, entities: [...entities] });
  try {
    const faults: string[] = [];
    for (const entity of orm.getMetadata().getAll().values()) {
      const columns = await columnsOf(client, entity.tableName);
      if (columns.size === 0) faults.push(`${entity.tableName}: ${entity.className} has no such table`);
      for (const property of columns.size === 0 ? [] : entity.props) {
        for (const [position, name] of (property.persist === false
          ? []
          : (property.fieldNames ?? [])
        ).entries()) {
          const expected = property.columnTypes[position] ?? 'unknown';
          const fault = await differs(client, columns.get(name), expected, property.nullable === true);
          if (fault !== undefined) faults.push(`${entity.tableName}.${name}: ${fault}`);
        }
      }
    }
    return faults;
  } finally {
    await orm.close(true);
    await client.end();
  }
}

async function columnsOf(client: pg.Client, table: string): Promise<Map<string, Column>> {
  const { rows } = await client.query<Column & { name: string }>(
    `select attname as name, format_type(atttypid, null) as type, not attnotnull as nullable
       from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [table],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

async function differs(
  client: pg.Client,
  column: Column | undefined,
  expected: string,
  nullable: boolean,
): Promise<string | undefined> {
  if (column === undefined) return 'the entity names a column that is not there';
  const { rows } = await client.query<{ same: boolean }>(
    // lengths of text are the schema's matter: an entity says text where the column says varchar(100)
    `select to_regtype($1) = to_regtype($2) or bool_and(typcategory = 'S') as same
       from pg_type where oid in (to_regtype($1), to_regtype($2))`,
    [column.type, expected],
  );
  if (rows[0]?.same !== true) return `the column is ${column.type}, the entity expects ${expected}`;
  if (column.nullable === nullable) return undefined;
  return column.nullable
    ? 'the column may be null, the entity’s property not'
    : 'the entity’s property may be null, the column not';
}

async function stop(): Promise<void> {
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
