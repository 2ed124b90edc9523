/** Amounts in what all other tests have written. Runs after them; alone it fails. */
import { afterAll, expect, test } from '@jest/globals';
import { openOrm } from '../../db/orm.ts';
import { query } from '../../db/rows/query.ts';
import { entities } from '../../db/schema/entities.ts';
import { Minor } from '../../db/schema/minor.ts';
import { stack } from '../support/stack/stack.ts';

const SOME = 50;
const orm = openOrm({ DATABASE_URL: stack.ownerUrl, DATABASE_POOL_MAX: 1 });
afterAll(() => orm.close(true));

const amounts = entities.flatMap(({ meta }) =>
  Object.entries<{ type?: unknown }>(meta.properties)
    .filter(([, { type }]) => type === Minor)
    .map(([property]) => [meta.tableName, property] as const),
);

test.each(amounts)('every amount in %s.%s is read as a bigint', async (table, property) => {
  // each table of entities is one that Kysely knows; which, TypeScript cannot follow
  const [from, column] = [table as 'accounts', property as 'posted'];
  const rows = await query(orm.em.fork())
    .selectFrom(from)
    .selectAll()
    .where(column, 'is not', null)
    .limit(SOME)
    .execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(new Set(rows.map((row) => typeof row[column]))).toEqual(new Set(['bigint']));
});
