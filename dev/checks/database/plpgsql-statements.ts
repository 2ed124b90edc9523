/**
 * PL/pgSQL looks at a statement when it first runs it, so a column that is misspelt in a branch that no test takes is found by a
 * customer. Here PostgreSQL prepares every statement and every expression of every function against the migrated tables, with
 * each variable replaced by a null of its type.
 */
import { parsePlPgSQL } from 'libpg-query';
import type pg from 'pg';
import { z } from 'zod';
import { definitions, sqlFiles, type Definition } from './function-check.ts';
import { substitute, type Variables } from './plpgsql-variables.ts';

/** How libpg-query marks an expression, and an assignment with its target; a statement is 0. */
const EXPRESSION = 2;
const ASSIGNMENT = 3;

/** A string constant: what it says is not executed. */
const STRING = /'(?:[^']|'')*'/g;

const Expression = z.object({ PLpgSQL_expr: z.object({ query: z.string(), parseMode: z.number() }) });
const Typed = z.object({
  refname: z.string(),
  datatype: z.object({ PLpgSQL_type: z.object({ typname: z.string() }) }).optional(),
});
const Datum = z.union([z.object({ PLpgSQL_var: Typed }), z.object({ PLpgSQL_rec: Typed })]);
const Body = z.looseObject({ datums: z.array(z.unknown()), action: z.unknown() });
type Body = z.infer<typeof Body>;
const Parsed = z.object({ plpgsql_funcs: z.tuple([z.object({ PLpgSQL_function: Body })]) });
/** A statement that fills a record whose columns are known only by the query. */
const Filling = z.union([
  z.object({ sqlstmt: Expression, target: z.object({ PLpgSQL_rec: Typed }) }),
  z.object({ query: Expression, var: z.object({ PLpgSQL_rec: Typed }) }),
]);

/** Puts other types in the place of some, and these back. */
interface StandIns {
  readonly hide: (sql: string) => string;
  readonly show: (sql: string) => string;
}

export interface Prepared {
  readonly prepared: number;
  readonly faults: readonly string[];
}

/** Needs a migrated database, as its owner. */
export async function prepareStatements(client: pg.Client): Promise<Prepared> {
  const standIns = await typesThatTheParserDoesNotKnow(client);
  await createTransitionTables(client);
  let prepared = 0;
  const faults: string[] = [];
  for (const definition of await plpgsqlFunctions()) {
    for (const row of await rowsOfTriggers(client, definition.name)) {
      const done = await prepareFunction(client, definition, row, standIns);
      prepared += done.prepared;
      faults.push(...done.faults);
    }
  }
  return { prepared, faults };
}

/** A statement or an expression of a function, as PostgreSQL is given it. */
export interface Embedded {
  readonly path: string;
  readonly functionName: string;
  readonly sql: string;
}

/**
 * Those statements of PL/pgSQL that PostgreSQL plans and executes one by one. An expression that selects nothing is computed without
 * a plan. Needs a migrated database, for the names of its types.
 */
export async function executedStatements(client: pg.Client): Promise<Embedded[]> {
  const standIns = await typesThatTheParserDoesNotKnow(client);
  const found: Embedded[] = [];
  for (const definition of await plpgsqlFunctions()) {
    const body = await bodyOf(definition, standIns);
    for (const { PLpgSQL_expr } of everywhere(body, Expression)) {
      const sql = standIns.show(PLpgSQL_expr.query);
      if (PLpgSQL_expr.parseMode >= EXPRESSION && !/\bselect\b/i.test(sql.replace(STRING, ''))) continue;
      found.push({ path: definition.path, functionName: definition.name, sql });
    }
  }
  return found;
}

async function plpgsqlFunctions(): Promise<Definition[]> {
  return (await definitions(sqlFiles().functions)).filter(({ language }) => language === 'plpgsql');
}

async function bodyOf(definition: Definition, standIns: StandIns): Promise<Body> {
  const parsed = Parsed.parse(await parsePlPgSQL(standIns.hide(definition.statement)));
  return parsed.plpgsql_funcs[0].PLpgSQL_function;
}

/** What a trigger sees of all the rows that a statement has written: a table like the one it is on. */
async function createTransitionTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string }>(`
    select distinct n.name, t.tgrelid::regclass::text as table
      from pg_trigger t, unnest(array[t.tgnewtable, t.tgoldtable]) n(name) where n.name is not null`);
  for (const { name, table } of rows) await client.query(`create temporary table "${name}" (like ${table})`);
}

/** The tables whose rows a trigger function is called with; one undefined for any other function. */
async function rowsOfTriggers(client: pg.Client, name: string): Promise<(string | undefined)[]> {
  const { rows } = await client.query<{ table: string }>(
    `select distinct t.tgrelid::regclass::text as table from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where p.proname = $1 and p.pronamespace = 'public'::regnamespace and not t.tgisinternal`,
    [name],
  );
  return rows.length === 0 ? [undefined] : rows.map(({ table }) => table);
}

async function prepareFunction(
  client: pg.Client,
  definition: Definition,
  row: string | undefined,
  standIns: StandIns,
): Promise<Prepared> {
  const body = await bodyOf(definition, standIns);
  const variables = await variablesOf(client, definition.name, body.datums, row, standIns.show);
  await fillRecords(client, definition.name, body.action, variables);
  const faults: string[] = [];
  const expressions = everywhere(body, Expression).map(({ PLpgSQL_expr }) => PLpgSQL_expr);
  for (const expression of expressions) {
    const sql = standIns.show(statementOf(expression));
    try {
      await client.query(`prepare of_a_function as ${await substitute(sql, definition.name, variables)}`);
      await client.query('deallocate of_a_function');
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const on = row === undefined ? '' : ` on ${row}`;
      faults.push(`db/${definition.path}, ${definition.name}${on}: ${why} in: ${sql.replace(/\s+/g, ' ')}`);
    }
  }
  return { prepared: expressions.length, faults };
}

function statementOf({ query, parseMode }: { query: string; parseMode: number }): string {
  if (parseMode >= ASSIGNMENT) return `select ${query.replace(/^[^=]*=/, '')}`;
  return parseMode === EXPRESSION ? `select ${query}` : query;
}

/**
 * The parser has no catalogue: it takes a domain and an array of rows for a record, and refuses what records cannot do. A built-in
 * type that nobody uses stands for each of them while it parses.
 */
async function typesThatTheParserDoesNotKnow(client: pg.Client): Promise<StandIns> {
  const { rows } = await client.query<{ type: string }>(`
    select t.oid::regtype::text as type from pg_type t
      left join pg_type e on e.oid = t.typelem
      left join pg_class c on c.oid = e.typrelid
     where t.typnamespace = 'public'::regnamespace
       and (t.typtype = 'd' or (t.typcategory = 'A' and c.relkind = 'r'))
     order by 1`);
  const pairs = rows.map(({ type }, at) => [type, `bit(${at + 7_001})`] as const);
  const declared = (type: string): RegExp =>
    new RegExp(`(\\w\\s+)${type.replace(/[[\]]/g, '\\$&')}(?=\\s*(?:;|:=))`, 'g');
  return {
    hide: (sql) => pairs.reduce((text, [type, other]) => text.replace(declared(type), `$1${other}`), sql),
    show: (sql) => pairs.reduce((text, [type, other]) => text.replaceAll(other, type), sql),
  };
}

async function variablesOf(
  client: pg.Client,
  name: string,
  datums: readonly unknown[],
  row: string | undefined,
  show: (type: string) => string,
): Promise<Variables> {
  const declared = datums.flatMap((datum): [string, string][] => {
    const { data } = Datum.safeParse(datum);
    if (data === undefined) return [];
    const typed = 'PLpgSQL_var' in data ? data.PLpgSQL_var : data.PLpgSQL_rec;
    return [[typed.refname, show(typed.datatype?.PLpgSQL_type.typname ?? row ?? 'record')]];
  });
  const { rows } = await client.query<{ name: string; type: string }>(
    `select a.name, format_type(a.type, null) as type
       from pg_proc p, unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) a(name, type)
      where p.proname = $1 and p.pronamespace = 'public'::regnamespace and a.name <> ''`,
    [name],
  );
  const composites = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  return {
    types: new Map([...declared, ...rows.map(({ name, type }): [string, string] => [name, type])]),
    composites: new Set(composites.rows.map((table) => table.name)),
    records: new Map(),
  };
}

/** What a record holds is said by the query that fills it. */
async function fillRecords(
  client: pg.Client,
  name: string,
  action: unknown,
  variables: Variables,
): Promise<void> {
  for (const filling of everywhere(action, Filling)) {
    const [source, record] =
      'sqlstmt' in filling
        ? [filling.sqlstmt, filling.target.PLpgSQL_rec]
        : [filling.query, filling.var.PLpgSQL_rec];
    if (variables.types.get(record.refname) !== 'record') continue;
    const sql = await substitute(statementOf(source.PLpgSQL_expr), name, variables);
    const { fields } = await client.query(`select * from (${sql}) filling limit 0`);
    const { rows } = await client.query<{ type: string }>(
      'select format_type(type, null) as type from unnest($1::oid[]) with ordinality x(type, n) order by n',
      [fields.map(({ dataTypeID }) => dataTypeID)],
    );
    variables.records.set(
      record.refname,
      new Map(fields.map((field, at) => [field.name, rows[at]?.type ?? 'text'])),
    );
  }
}

/** Every part of a tree that has this shape, outermost first. */
function everywhere<Shape extends z.ZodType>(tree: unknown, shape: Shape): z.output<Shape>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { data, success } = shape.safeParse(tree);
  const inside = Object.values(tree).flatMap((part) => everywhere(part, shape));
  return success ? [data, ...inside] : inside;
}
