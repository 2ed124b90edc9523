/**
 * What holds of every function in the database: it is defined by exactly one file (or by the baseline, if the schema uses it), its
 * name is not used twice, nobody executes it unless by name, and PostgreSQL finds nothing to warn about when it compiles it.
 */
import type { CreateFunctionStmt } from 'libpg-query';
import { parse } from 'libpg-query';
import type pg from 'pg';
import { functionFiles } from '../../../db/migrating/functions.ts';
import { migrationFiles } from '../../../db/migrating/migrations.ts';

/** A function as a file defines it. */
export interface Definition {
  readonly name: string;
  readonly path: string;
  readonly statement: string;
  readonly language: string;
}

/** The functions that files define; throws if PostgreSQL could not read one of the files. */
export async function definitions(files: ReadonlyMap<string, string>): Promise<Definition[]> {
  const found: Definition[] = [];
  for (const [path, text] of files) {
    const bytes = Buffer.from(text);
    const { stmts = [] } = await read(path, text);
    for (const { stmt, stmt_location: from = 0, stmt_len: length = bytes.length - from } of stmts) {
      if (stmt === undefined || !('CreateFunctionStmt' in stmt)) continue;
      const statement = bytes.subarray(from, from + length).toString();
      found.push({ path, statement, ...describe(stmt.CreateFunctionStmt) });
    }
  }
  return found;
}

async function read(path: string, text: string): ReturnType<typeof parse> {
  try {
    return await parse(text);
  } catch (error) {
    throw new Error(`db/${path} is not SQL: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function describe(statement: CreateFunctionStmt): Pick<Definition, 'name' | 'language'> {
  const name = statement.funcname?.at(-1);
  const language = (statement.options ?? []).flatMap((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== 'language') return [];
    const { arg } = option.DefElem;
    return arg !== undefined && 'String' in arg ? [arg.String.sval ?? ''] : [];
  });
  return {
    name: name !== undefined && 'String' in name ? (name.String.sval ?? '') : '',
    language: language[0] ?? 'sql',
  };
}

/** All files of SQL, by their paths in `db/`. */
export function sqlFiles(): { functions: Map<string, string>; migrations: Map<string, string> } {
  return {
    functions: new Map(functionFiles().map(({ name, text }) => [`functions/${name}`, text])),
    migrations: new Map([...migrationFiles()].map(([path, text]) => [`migrations/${path}`, text])),
  };
}

interface Live {
  readonly name: string;
  readonly public: boolean;
  readonly used: boolean;
}

/** Looks at a migrated database as its owner and returns what is wrong. */
export async function checkFunctions(client: pg.Client): Promise<string[]> {
  const files = sqlFiles();
  const inFiles = await definitions(files.functions);
  const inMigrations = await definitions(files.migrations);
  // whatever the schema itself uses: constraints, defaults and generated columns, indexes; but triggers belong to functions
  const { rows } = await client.query<Live>(`
    select p.proname as name, p.proacl is null or exists (
             select from aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE') as public,
           exists (select from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
             and d.classid in ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_class'::regclass)) as used
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
      order by 1`);
  return [
    ...rows.flatMap((live) => placeFaults(live, inFiles, inMigrations)),
    ...rows.filter((live) => live.public).map(({ name }) => `everybody may execute ${name}`),
    ...twice(rows.map(({ name }) => name)).map((name) => `two functions have the name ${name}`),
    ...inFiles
      .filter(({ name }) => !rows.some((live) => live.name === name))
      .map(({ name, path }) => `db/${path} defines ${name}, which is not in the database`),
    ...(await compileFaults(client)),
  ];
}

function placeFaults(
  { name, used }: Live,
  inFiles: readonly Definition[],
  inMigrations: readonly Definition[],
): string[] {
  const places = inFiles.filter((definition) => definition.name === name).map(({ path }) => path);
  const migrated = inMigrations.some((definition) => definition.name === name);
  if (used && places.length > 0)
    return [`${name} is used by the schema, so it belongs in a migration, not in ${places.join(', ')}`];
  if (used) return migrated ? [] : [`${name} is used by the schema and defined by no migration`];
  if (places.length === 1) return [];
  return [`${name} is defined by ${places.length === 0 ? 'no file of db/functions' : places.join(' and ')}`];
}

/** Shadowed variables and the like are errors here. */
async function compileFaults(client: pg.Client): Promise<string[]> {
  await client.query(`set plpgsql.extra_errors = 'all'`);
  const { rows } = await client.query<{ oid: number; name: string }>(`
    select p.oid, p.proname as name from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole and l.lanname = 'plpgsql'`);
  const faults: string[] = [];
  for (const { oid, name } of rows) {
    try {
      await client.query('select plpgsql_validator($1)', [oid]);
    } catch (error) {
      faults.push(`${name} does not compile: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await client.query('reset plpgsql.extra_errors');
  return faults;
}

function twice(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
