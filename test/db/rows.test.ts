/** What the code says about rows is what PostgreSQL says: columns, parameters and converted values. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openOrm } from '../../db/orm.ts';
import { query } from '../../db/rows/query.ts';
import { declaredStatements } from '../../db/rows/declared.ts';
import { statement } from '../../db/rows/statement.ts';
import { columnsOf } from '../../db/rows/table-columns.ts';
import * as column from '../../db/rows/columns.ts';
import { Account } from '../../db/schema/accounts.ts';
import { entities } from '../../db/schema/entities.ts';
import { Minor } from '../../db/schema/minor.ts';
import { describeStatement } from '../support/declared/described.ts';
import { rows } from '../support/stack/sql.ts';
import { stack } from '../support/stack/stack.ts';

const ROOT = join(import.meta.dirname, '../..');
/** These run something when they are imported. */
const MAINS = ['db/ledger-check.ts'];

const RATES = ['breakerPrice', 'midPrice', 'price', 'rate', 'rateBps', 'spreadBps', 'threshold'];

let client: pg.Client;
const orm = openOrm({ DATABASE_URL: stack.databaseUrl, DATABASE_POOL_MAX: 2 });
const ownersOrm = openOrm({ DATABASE_URL: stack.ownerUrl, DATABASE_POOL_MAX: 1 });
beforeAll(async () => {
  client = new pg.Client(stack.databaseUrl);
  await client.connect();
  for (const file of globSync('{db,activities}/**/*.ts', { cwd: ROOT }))
    if (!MAINS.includes(file)) await import(join(ROOT, file));
});
afterAll(async () => {
  await client.end();
  await Promise.all([orm.close(true), ownersOrm.close(true)]);
});

const wrong = statement({
  name: 'test wrongForTheTest',
  takes: { id: column.text() },
  gives: { minBalance: column.decimal(), code: column.id() },
  sql: 'select max_balance, code from account_types where id = $id',
});

test('every statement gives and takes what PostgreSQL says it does', async () => {
  const statements = declaredStatements().filter(({ name }) => !name.startsWith('test '));
  expect(statements.length).toBeGreaterThan(0);
  const faults = [];
  for (const each of statements) faults.push(...(await differences(each)));
  expect(faults).toEqual([]);
});

test('a statement that declares another column, another type or another parameter is found', async () => {
  expect(await differences(wrong)).toEqual([
    'test wrongForTheTest: the columns are max_balance, code; declared are min_balance, code',
    'test wrongForTheTest: code is text; declared is uuid',
    'test wrongForTheTest: $id is uuid; declared is text or character varying or character',
  ]);
});

test('every amount of every table is declared as one', async () => {
  const { rows } = await client.query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
      where table_schema = 'public' and domain_name = 'minor'`,
  );
  const declared = entities.flatMap(({ meta }) =>
    Object.entries<{ type?: unknown }>(meta.properties)
      .filter(([, { type }]) => type === Minor)
      .map(([property]) => `${meta.tableName}.${column.columnName(property)}`),
  );
  expect(declared.sort()).toEqual(rows.map(({ place }) => place).sort());
});

test('no statement reads an amount as anything but a bigint', () => {
  // the watch compares whole units, and keeps and shows them as decimal texts
  const books = entities.filter(({ meta }) => !meta.tableName.startsWith('aml_'));
  const properties = books.flatMap(({ meta }) => Object.entries<{ type?: unknown }>(meta.properties));
  const others = new Set(properties.filter(([, { type }]) => type !== Minor).map(([name]) => name));
  const amounts = new Set(
    properties.filter(([name, { type }]) => type === Minor && !others.has(name)).map(([name]) => name),
  );
  const columns = declaredStatements()
    .filter(({ name }) => !name.startsWith('test ') && !/^(aml|reportedMovements)/.test(name))
    .flatMap(({ name, gives }) => Object.entries(gives).map(([property, of]) => ({ name, property, ...of })));
  const read = columns.filter(({ property, types }) => amounts.has(property) && !types.includes('minor'));
  expect(read.map(({ name, property }) => `${name}: ${property}`)).toEqual([]);
  // any other numeric is a rate or a threshold, whose decimal places a number would lose
  const numerics = columns.filter(({ types }) => types.includes('numeric') && !types.includes('minor'));
  expect([...new Set(numerics.map(({ property }) => property))].sort()).toEqual(RATES);
});

test('an amount beyond 2⁵³ arrives whole by entity, by Kysely and by statement', async () => {
  const [posted, undone] = [12345678901234567890n, new Error('undone')];
  const orm = openOrm({ DATABASE_URL: stack.ownerUrl, DATABASE_POOL_MAX: 1 });
  const reading = orm.em.fork().transactional(async (tx) => {
    const { id } = await added.one(tx, { posted });
    expect(await tx.findOneOrFail(Account, id)).toMatchObject({ posted, held: 0n, maxBalance: null });
    const accounts = query(tx)
      .selectFrom('accounts as a')
      .where('a.id', '=', id)
      .where('a.posted', '=', posted);
    expect(await accounts.select(['posted', 'maxBalance']).execute()).toEqual([{ posted, maxBalance: null }]);
    const joined = accounts.innerJoin('assets as s', 's.code', 'a.asset').select(['a.posted', 's.scale']);
    expect(await joined.execute()).toEqual([{ posted, scale: 2 }]);
    expect(await read.all(tx, { id })).toEqual([{ posted, maxBalance: null, openedAt: expect.any(Date) }]);
    throw undone;
  });
  await expect(reading).rejects.toBe(undone);
  await orm.close(true);
});

const amounts = entities.flatMap(({ meta }) =>
  Object.entries<{ type?: unknown }>(meta.properties)
    .filter(([, { type }]) => type === Minor)
    .map(([property]) => [meta.tableName, property] as const),
);

test.each(amounts)('an amount in %s.%s is read by Kysely as a bigint', async (table, property) => {
  // each table of entities is one that Kysely knows; which, TypeScript cannot follow
  const [from, name] = [table as 'accounts', property as 'posted'];
  const [amount, undone] = ['12345678901234567890', new Error('undone')];
  const reading = ownersOrm.em.fork().transactional(async (tx) => {
    await rows(tx, rowInFrontOf(table, column.columnName(property), amount));
    expect(await query(tx).selectFrom(from).selectAll().execute()).toMatchObject([
      { [name]: BigInt(amount) },
    ]);
    throw undone;
  });
  await expect(reading).rejects.toBe(undone);
});

/** A table of the same columns that hides the real one from this transaction, and asks for nothing but the amount. */
const rowInFrontOf = (table: string, amountColumn: string, amount: string): string => `
  do $$
  declare required name;
  begin
    create temporary table "${table}" (like public."${table}") on commit drop;
    for required in select attname from pg_attribute
        where attrelid = 'pg_temp.${table}'::regclass and attnum > 0 and attnotnull loop
      execute format('alter table pg_temp."${table}" alter column %I drop not null', required);
    end loop;
    insert into pg_temp."${table}" ("${amountColumn}") values (${amount});
  end $$`;

const added = statement({
  name: 'test addedForTheTest',
  takes: columnsOf(Account, 'posted'),
  gives: columnsOf(Account, 'id'),
  sql: `insert into accounts (kind, role, shard, asset, posted) values ('house', 'suspense', 999, 'EUR', $posted) returning id`,
});
const read = statement({
  name: 'test readForTheTest',
  takes: columnsOf(Account, 'id'),
  gives: columnsOf(Account, 'posted', 'maxBalance', 'openedAt'),
  sql: 'select posted, max_balance, opened_at from accounts where id = $id',
});

test('a statement whose row is not the declared one fails at its first row', async () => {
  await expect(wrongRow.all(orm.em.fork())).rejects.toThrow(
    'test wrongRow has the columns one,two, declared are one',
  );
  await expect(wrongValue.all(orm.em.fork())).rejects.toThrow('test wrongValue: one');
});
const wrongRow = statement({
  name: 'test wrongRow',
  gives: { one: column.integer() },
  sql: 'select 1 as one, 2 as two',
});
const wrongValue = statement({
  name: 'test wrongValue',
  gives: { one: column.integer() },
  sql: `select null::integer as one`,
});

/** Whether PostgreSQL says the same of a statement as its declaration; one sentence for each difference. */
async function differences(of: ReturnType<typeof declaredStatements>[number]): Promise<string[]> {
  const found = await describeStatement(client, of.name, of.sql);
  const columns = Object.entries(of.gives);
  const [names, said] = [
    found.columns.join(', '),
    columns.map(([name]) => column.columnName(name)).join(', '),
  ];
  const byName = new Map(found.columns.map((name, place) => [name, found.results[place]]));
  return [
    ...(names.split(', ').sort().join() === said.split(', ').sort().join()
      ? []
      : [`${of.name}: the columns are ${names}; declared are ${said}`]),
    ...columns.flatMap(([name, { types }]) =>
      disagree(of.name, name, byName.get(column.columnName(name)), types),
    ),
    ...Object.entries(of.takes ?? {}).flatMap(([name, { types }], place) =>
      disagree(of.name, `$${name}`, found.parameters[place], types),
    ),
  ];
}

function disagree(
  statement: string,
  what: string,
  found: string | undefined,
  said: readonly string[],
): string[] {
  if (found === undefined || said.includes(found)) return [];
  return [`${statement}: ${what} is ${found}; declared is ${said.join(' or ')}`];
}
