/** Each column that an entity names has to be in the database, with the type and nullability that the entity expects. */
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities } from '../../db/entities.ts';

interface Column {
  readonly type: string;
  readonly nullable: boolean;
}

/** The schema is written by hand, with more in it than entities can say, so only what both say is compared. */
export async function compareEntities(ownerUrl: string): Promise<string[]> {
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
