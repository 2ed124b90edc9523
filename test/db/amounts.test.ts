/** Amounts beyond 2⁵³ in every table: whatever entity declares one, it is read whole. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { query } from '../../db/rows/query.ts';
import { columnName } from '../../db/rows/columns.ts';
import { entities } from '../../db/schema/entities.ts';
import { Minor } from '../../db/schema/minor.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { rows } from '../support/stack/sql.ts';

const AMOUNT = 12_345_678_901_234_567_890n;

let books: Books;
let tx: EntityManager;
beforeAll(async () => {
  books = openBooks(await ownBank());
  tx = books.ownerEm();
  // never committed
  await tx.begin();
});
afterAll(async () => {
  await tx.rollback();
  await books.close();
});

const amounts = entities.flatMap(({ meta }) =>
  Object.entries<{ type?: unknown }>(meta.properties)
    .filter(([, { type }]) => type === Minor)
    .map(([property]) => [meta.tableName, property] as const),
);

test('there are amounts in dozens of columns', () => {
  expect(amounts.length).toBeGreaterThan(30);
});

test.each(amounts)('every amount in %s.%s is read as a bigint', async (table, property) => {
  // a table of the same columns that needs no other rows: names without a schema mean it first
  await rows(tx, `create temp table if not exists ${table} as table public.${table} with no data`);
  await rows(tx, `truncate pg_temp.${table}`);
  await rows(tx, `insert into pg_temp.${table} (${columnName(property)}) values (${String(AMOUNT)})`);
  // each table of entities is one that Kysely knows; which, TypeScript cannot follow
  const [from, column] = [table as 'accounts', property as 'posted'];
  const found = await query(tx).selectFrom(from).selectAll().where(column, 'is not', null).execute();
  expect(found.map((row) => row[column])).toEqual([AMOUNT]);
});
