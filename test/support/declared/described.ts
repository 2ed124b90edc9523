/** What PostgreSQL says of a statement that it has parsed and not run. */
import type pg from 'pg';

export interface Description {
  /** Names of the columns, none if the statement returns no rows. */
  readonly columns: readonly string[];
  /** Names of their types, and of those of the parameters. */
  readonly results: readonly string[];
  readonly parameters: readonly string[];
}

/** Parses a statement under a name of its own on this connection, which does not run anything else meanwhile. */
export async function describeStatement(client: pg.Client, name: string, sql: string): Promise<Description> {
  const columns = await columnNames(client, name, sql);
  const { rows } = await client.query<Omit<Description, 'columns'>>(
    `select coalesce(result_types::text[], '{}') as results, parameter_types::text[] as parameters
       from pg_prepared_statements where name = $1`,
    [name],
  );
  await client.query(`deallocate "${name}"`);
  const [types] = rows;
  if (types === undefined) throw new Error(`${name} was not prepared`);
  return { columns, ...types };
}

/** Describes the statement as the protocol does: pg itself asks for a description only when it runs something. */
function columnNames(client: pg.Client, name: string, sql: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let columns: readonly string[] = [];
    let failed = false;
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name, text: sql, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
        connection.sync();
      },
      handleParseComplete: () => undefined,
      handleRowDescription({ fields }: { fields: readonly { name: string }[] }) {
        columns = fields.map((field) => field.name);
      },
      handleError(error: Error) {
        failed = true;
        reject(new Error(`${name}: ${error.message}`, { cause: error }));
      },
      handleReadyForQuery() {
        if (!failed) resolve(columns);
      },
    });
  });
}
