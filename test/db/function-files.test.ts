/** Files of functions as the migrator applies them. Each test's transaction is rolled back, since all tests share the database. */
import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  applyFunctions,
  functionFiles,
  type Execute,
  type FunctionFile,
} from '../../db/migrating/functions.ts';
import { stack } from '../support/stack/stack.ts';

let orm: MikroORM;
beforeAll(() => {
  orm = new MikroORM({ clientUrl: stack.ownerUrl, entities: [], discovery: { warnWhenNoEntities: false } });
});
afterAll(() => orm.close(true));

const file = (name: string, text: string): FunctionFile => ({
  name,
  text,
  hash: createHash('sha256').update(text).digest('hex'),
});
const answering = (answer: number): FunctionFile =>
  file('of-a-test.sql', `create or replace function of_a_test() returns int language sql return ${answer};`);

test('the database has the files of this release, and nothing is left to apply', async () => {
  await undone(async (execute) => {
    expect(await applyFunctions(execute, functionFiles(), '9.9.9')).toEqual([]);
  });
});

test('a file is applied when its text has changed, and noted with hash and release', async () => {
  await undone(async (execute) => {
    const others = functionFiles();
    expect(await applyFunctions(execute, [...others, answering(1)], '1.0.0')).toEqual(['of-a-test.sql']);
    expect(await applyFunctions(execute, [...others, answering(1)], '1.1.0')).toEqual([]);
    expect(await applyFunctions(execute, [...others, answering(2)], '1.2.0')).toEqual(['of-a-test.sql']);
    expect(await execute('select of_a_test() as answer')).toEqual([{ answer: 2 }]);
    expect(await execute(`select hash, release from schema_functions where file = 'of-a-test.sql'`)).toEqual([
      { hash: answering(2).hash, release: '1.2.0' },
    ]);
    await applyFunctions(execute, others, '1.3.0');
    expect(await execute(`select from schema_functions where file = 'of-a-test.sql'`)).toEqual([]);
  });
});

test('a file that PostgreSQL refuses is named', async () => {
  const broken = file('broken.sql', 'create or replace function nothing');
  await expect(
    undone((execute) => applyFunctions(execute, [...functionFiles(), broken], '1.0.0')),
  ).rejects.toThrow('db/functions/broken.sql: syntax error');
});

test('a body that names a missing table is refused, whichever file comes first', async () => {
  const early = file('a.sql', body('of_a_test_early', 'select of_a_test_late()'));
  const late = file('b.sql', body('of_a_test_late', 'select 1'));
  const lost = file('c.sql', body('of_a_test_lost', 'select id from no_such_table'));
  await undone(async (execute) => {
    expect(await applyFunctions(execute, [...functionFiles(), early, late], '1.0.0')).toEqual([
      'a.sql',
      'b.sql',
    ]);
    await expect(applyFunctions(execute, [...functionFiles(), lost], '1.0.0')).rejects.toThrow(
      /"no_such_table" does not exist/,
    );
  });
});

const body = (name: string, statement: string): string =>
  `create or replace function ${name}() returns int language sql as $$ ${statement} $$;`;

/** Does it in a transaction that is rolled back. */
async function undone<Done>(work: (execute: Execute) => Promise<Done>): Promise<Done> {
  const connection = orm.em.getConnection();
  const transaction = await connection.begin();
  try {
    return await work((sql, parameters = []) => connection.execute(sql, [...parameters], 'all', transaction));
  } finally {
    await connection.rollback(transaction);
  }
}
