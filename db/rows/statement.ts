/**
 * Statements in plain SQL with typed parameters and typed rows, for what hot paths, functions of the database and aggregates need.
 * A test prepares every declared statement and compares columns and parameters with PostgreSQL's own description.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Columns, RowOf } from './columns.ts';
import { declare, readerOf, send } from './declared.ts';

/** The parameters of a call; none if the statement takes none. */
type Given<Takes> = keyof Takes extends never ? [] : [given: RowOf<Takes>];

export interface Statement<Takes extends Columns, Gives extends Columns> {
  readonly name: string;
  /** With `$1` for the first parameter. */
  readonly sql: string;
  readonly takes: Takes;
  readonly gives: Gives;
  all(db: EntityManager, ...given: Given<Takes>): Promise<RowOf<Gives>[]>;
  /** The only row, or undefined. */
  first(db: EntityManager, ...given: Given<Takes>): Promise<RowOf<Gives> | undefined>;
  /** The only row. Throws if there is none. */
  one(db: EntityManager, ...given: Given<Takes>): Promise<RowOf<Gives>>;
  /** Returns how many rows it has written. */
  run(db: EntityManager, ...given: Given<Takes>): Promise<number>;
}

/**
 * Declares a statement. `$account` in its SQL is the parameter `account`; a column `closed_at` becomes the property `closedAt`.
 * The name identifies it among PostgreSQL's prepared statements.
 */
export function statement<
  const Gives extends Columns,
  const Takes extends Columns = Readonly<Record<never, never>>,
>(of: {
  readonly name: string;
  readonly takes?: Takes;
  readonly gives: Gives;
  readonly sql: string;
}): Statement<Takes, Gives> {
  // a statement that takes nothing has no parameters to name
  const takes = of.takes ?? ({} as Takes);
  const order = Object.keys(takes);
  const made = { name: of.name, sql: numbered(of.name, of.sql, order), takes, gives: of.gives };
  declare(made);
  const reader = readerOf(of.name, of.gives);

  const values = (...[given]: Given<Takes>): unknown[] => {
    const named: Readonly<Record<string, unknown>> = given ?? {};
    return order.map((name) => takes[name]?.write(named[name]));
  };
  const all: Statement<Takes, Gives>['all'] = async (db, ...given) =>
    (await send(db, made, values(...given))).rows.map(reader);
  const first: Statement<Takes, Gives>['first'] = async (...call) => (await all(...call))[0];
  const one: Statement<Takes, Gives>['one'] = async (...call) => {
    const found = await first(...call);
    if (found === undefined) throw new Error(`${of.name} found no row`);
    return found;
  };
  const run: Statement<Takes, Gives>['run'] = async (db, ...given) =>
    (await send(db, made, values(...given))).affected;
  return { ...made, all, first, one, run };
}

/** Numbers the parameters in the order of their declaration. Throws for a name that is not declared, or declared and not used. */
function numbered(name: string, sql: string, order: readonly string[]): string {
  const used = new Set<string>();
  const text = sql.replace(/\$([a-z]\w*)/gi, (_, parameter: string) => {
    if (!order.includes(parameter)) throw new Error(`${name}: $${parameter} is not declared`);
    used.add(parameter);
    return `$${order.indexOf(parameter) + 1}`;
  });
  const idle = order.filter((parameter) => !used.has(parameter));
  if (idle.length > 0) throw new Error(`${name}: ${idle.join(', ')} is declared and not used`);
  return text;
}
