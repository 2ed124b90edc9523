/**
 * Compares the entities of db/schema with the tables, in both directions: every column has a property and every property a column,
 * with the same type, nullability, primary key, permitted values, and the same word on whether the database fills it in.
 */
import { MikroORM, type EntityProperty } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities } from '../../../db/schema/entities.ts';

/** Tables that only the migrator reads and writes. */
const OF_THE_MIGRATOR = ['schema_migrations', 'schema_functions'];

/** MikroORM refuses an entity without a primary key; this table has none, because a row may be there twice. */
const WITHOUT_KEY = ['search_words'];

/** What a column is, as far as entity and database both say it. */
interface Column {
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  /** Who fills it in if an insert does not name it. */
  readonly filled: 'by the writer' | 'by a default' | 'by an expression' | 'by a sequence';
  /** The values that a CHECK of this column alone permits, sorted; null if there is no such list. */
  readonly values: readonly string[] | null;
}

/** Table → column → description. */
type Tables = ReadonlyMap<string, ReadonlyMap<string, Column>>;

/** Returns one sentence for each difference. */
export async function compareEntities(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return differences(await describedByEntities(ownerUrl, client), await describedByDatabase(client));
  } finally {
    await client.end();
  }
}

export function differences(entity: Tables, database: Tables): string[] {
  const tables = [...new Set([...entity.keys(), ...database.keys()])].sort();
  return tables.flatMap((table) => {
    const [said, found] = [entity.get(table), database.get(table)];
    if (said === undefined) return [`${table}: no entity in db/schema describes this table`];
    if (found === undefined) return [`${table}: an entity describes this table, but it does not exist`];
    return [...new Set([...said.keys(), ...found.keys()])].flatMap((name) =>
      columnDifferences(said.get(name), found.get(name)).map((fault) => `${table}.${name}: ${fault}`),
    );
  });
}

function columnDifferences(said: Column | undefined, found: Column | undefined): string[] {
  if (said === undefined) return ['the entity has no property for this column'];
  if (found === undefined) return ['the entity has a property for this column, but it does not exist'];
  const facts = ['type', 'nullable', 'primary', 'filled', 'values'] as const;
  return (
    facts
      .filter((fact) => String(said[fact]) !== String(found[fact]))
      // a foreign key may limit the values instead
      .filter((fact) => fact !== 'values' || found.values !== null)
      .map((fact) => `${fact}: the entity says ${String(said[fact])}, the database ${String(found[fact])}`)
  );
}

async function describedByEntities(ownerUrl: string, client: pg.Client): Promise<Tables> {
  const orm = new MikroORM({ clientUrl: ownerUrl, entities: [...entities] });
  try {
    const tables = new Map<string, Map<string, Column>>();
    for (const { tableName, props } of orm.getMetadata().getAll().values()) {
      const columns = new Map<string, Column>();
      for (const property of props)
        columns.set(String(property.fieldNames[0]), {
          type: await canonical(client, String(property.columnTypes[0])),
          nullable: property.nullable === true,
          primary: property.primary === true && !WITHOUT_KEY.includes(tableName),
          filled: filler(property),
          values: property.enum === true ? (property.items ?? []).map(String).sort() : null,
        });
      tables.set(tableName, columns);
    }
    return tables;
  } finally {
    await orm.close(true);
  }
}

function filler(property: EntityProperty): Column['filled'] {
  if (property.generated !== undefined) return 'by an expression';
  if (property.autoincrement === true) return 'by a sequence';
  return property.defaultRaw === undefined ? 'by the writer' : 'by a default';
}

/** PostgreSQL's own name of a type. A precision counts, a length of text does not: CHECK constraints bound texts here. */
async function canonical(client: pg.Client, type: string): Promise<string> {
  const { rows } = await client.query<{ type: string }>(
    `select regexp_replace(format_type(to_regtype($1), to_regtypemod($1)), '^character.*$', 'text') as type`,
    [type],
  );
  return rows[0]?.type ?? `${type}, which PostgreSQL does not know`;
}

async function describedByDatabase(client: pg.Client): Promise<Tables> {
  const { rows } = await client.query<Column & { readonly table: string; readonly name: string }>(
    `select c.relname as table, a.attname as name, not a.attnotnull as nullable,
        regexp_replace(format_type(a.atttypid, a.atttypmod), '^character.*$', 'text') as type,
        exists (select from pg_constraint k
                 where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any(k.conkey)) as primary,
        case when a.attgenerated <> '' then 'by an expression' when a.attidentity <> '' then 'by a sequence'
             when a.atthasdef then 'by a default' else 'by the writer' end as filled,
        (select array_agg(value[1] order by value[1])
           from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g') value
          where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
            and pg_get_constraintdef(k.oid) ~ '^CHECK \\(\\(\\w+ = (ANY \\(ARRAY|''\\w+''::text\\)\\))') as values
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all($1)
      order by c.relname, a.attnum`,
    [OF_THE_MIGRATOR],
  );
  const columns = Map.groupBy(rows, ({ table }) => table);
  return new Map(
    [...columns].map(([table, of]) => [table, new Map(of.map((column) => [column.name, column]))]),
  );
}
