/**
 * `npm run migrate:check`: migrates an empty database, twice, and holds every entity against the tables that came out:
 * same columns, same types, same nullability. Exits with 1 and names each difference.
 */
import { MikroORM, type EntityMetadata, type EntityProperty } from '@mikro-orm/postgresql';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { entities } from '../db/entities.ts';
import { migrate } from '../db/migrate.ts';
import { claimPorts } from './process/ports.ts';
import { stopOnSignals, supervise } from './process/supervisor.ts';
import { startPostgres } from './stack/postgres.ts';

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly has_default: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'teller-migration-'));
chmodSync(folder, 0o711);
const supervision = await supervise(join(folder, 'run'), [folder]);
const stop = async (): Promise<void> => {
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};
stopOnSignals(stop, supervision.abandon);
try {
  const block = await claimPorts();
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await block.next(),
    durable: false,
    logFile: join(folder, 'postgres.log'),
    runFolder: supervision.runFolder,
  });
  const first = await migrate(server.ownerUrl);
  const second = await migrate(server.ownerUrl);
  const differences = second.map((name) => `${name} runs again on a database that has it`);
  differences.push(...(await compare(server.ownerUrl)));
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  process.stdout.write(
    `${first.length} migrations, ${entities.length} entities, ${differences.length} differences\n`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await stop();
}

async function compare(ownerUrl: string): Promise<string[]> {
  const columns = await columnsOf(ownerUrl);
  const orm = new MikroORM({ clientUrl: ownerUrl, entities: [...entities] });
  try {
    return Object.values(orm.getMetadata().getAll()).flatMap((entity) => compareEntity(entity, columns));
  } finally {
    await orm.close(true);
  }
}

async function columnsOf(ownerUrl: string): Promise<Column[]> {
  const client = new pg.Client(ownerUrl);
  await client.connect();
  try {
    const found = await client.query<Column>(
      `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as type,
              not a.attnotnull as nullable, a.atthasdef or a.attidentity <> '' as has_default
         from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    );
    return found.rows;
  } finally {
    await client.end();
  }
}

function compareEntity(entity: EntityMetadata, columns: readonly Column[]): string[] {
  const table = columns.filter((column) => column.table_name === entity.tableName);
  if (table.length === 0) return [`${entity.className}: there is no table ${entity.tableName}`];
  const known = new Set<string>();
  const differences = entity.props.flatMap((property) => {
    const [name] = property.fieldNames ?? [];
    if (property.persist === false || name === undefined) return [];
    known.add(name);
    const column = table.find(({ column_name }) => column_name === name);
    const place = `${entity.className}.${property.name}`;
    return column === undefined
      ? [`${place}: there is no column ${entity.tableName}.${name}`]
      : compareProperty(place, property, column);
  });
  const forgotten = table.filter(
    (column) => !known.has(column.column_name) && !column.nullable && !column.has_default,
  );
  return [
    ...differences,
    ...forgotten.map(
      (column) => `${entity.className}: lacks ${column.column_name}, without which no row can be inserted`,
    ),
  ];
}

function compareProperty(place: string, property: EntityProperty, column: Column): string[] {
  const differences: string[] = [];
  const expected = plainType(property.columnTypes?.[0] ?? '');
  if (expected !== plainType(column.type))
    differences.push(`${place}: is ${expected}, the column is ${column.type}`);
  if (Boolean(property.nullable) !== column.nullable)
    differences.push(`${place}: is ${property.nullable ? '' : 'not '}nullable, the column is the opposite`);
  return differences;
}

/** One spelling for each type. */
function plainType(type: string): string {
  return type
    .toLowerCase()
    .replace(/^timestamp\((\d)\) with time zone$/, 'timestamptz($1)')
    .replace(/^int$|^int4$/, 'integer')
    .replace(/^int8$/, 'bigint')
    .replace(/^int2$/, 'smallint')
    .replace(/^bool$/, 'boolean');
}
