/** What statements have in common: the list of all of them, how they are sent, and how their rows are read. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { columnName, type Columns, type RowOf } from './columns.ts';

export interface Declared {
  readonly name: string;
  /** With `$1` for the first parameter. */
  readonly sql: string;
  /** Null if the statement binds values as it is composed. */
  readonly takes: Columns | null;
  readonly gives: Columns;
}

const declared = new Map<string, Declared>();

/** Throws if another statement has the name: PostgreSQL would run that one. */
export function declare(statement: Declared): void {
  if (declared.has(statement.name)) throw new Error(`two statements are called ${statement.name}`);
  declared.set(statement.name, statement);
}

/** All statements of the modules that have been imported. */
export function declaredStatements(): readonly Declared[] {
  return [...declared.values()];
}

type Raw = Readonly<Record<string, unknown>>;

/** Inside a transaction on its connection; outside one as a prepared statement, which PostgreSQL parses once a connection. */
export async function send(
  db: EntityManager,
  { name, sql }: Pick<Declared, 'name' | 'sql'>,
  values: unknown[],
): Promise<{ readonly rows: readonly Raw[]; readonly affected: number }> {
  const transaction = db.getTransactionContext<Kysely<unknown>>();
  if (transaction !== undefined) {
    const { rows, numAffectedRows } = await transaction.executeQuery<Raw>(CompiledQuery.raw(sql, values));
    return { rows, affected: Number(numAffectedRows ?? 0) };
  }
  const pool = await db.getConnection().getNativeClient();
  const { rows, rowCount } = await pool.query<Raw>({ name, text: sql, values });
  return { rows, affected: rowCount ?? 0 };
}

/** Makes the function that turns a row of the driver into one of ours. The first row shows whether the columns are those declared. */
export function readerOf<Gives extends Columns>(name: string, gives: Gives): (raw: Raw) => RowOf<Gives> {
  const columns = Object.entries(gives).map(([property, { read }]) => ({
    property,
    column: columnName(property),
    read,
  }));
  let compared = false;
  return (raw) => {
    if (!compared) {
      const [found, said] = [
        Object.keys(raw).sort().join(),
        columns
          .map(({ column }) => column)
          .sort()
          .join(),
      ];
      if (found !== said) throw new Error(`${name} has the columns ${found}, declared are ${said}`);
      compared = true;
    }
    const row: Record<string, unknown> = {};
    for (const { property, column, read } of columns) {
      try {
        row[property] = read(raw[column]);
      } catch (cause) {
        throw new Error(`${name}: ${column}`, { cause });
      }
    }
    // each property was read by its declared column just now
    return row as RowOf<Gives>;
  };
}
