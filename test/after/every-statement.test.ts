/** What all other tests together must have run. Runs after them, against the same server; alone it fails. */
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { statementsNeverRun } from '../../dev/checks/statement-coverage.ts';
import { statementsRun } from '../../tools/devstack/stack/database.ts';
import { stack } from '../support/stack.ts';

test('the tests have run every statement of every function of the database', async () => {
  await loadModule();
  const client = new pg.Client({ connectionString: stack.ownerUrl });
  await client.connect();
  try {
    const run = await statementsRun({
      folder: join(stack.folder, 'postgres'),
      port: Number(new URL(stack.ownerUrl).port),
    });
    expect(await statementsNeverRun(client, run)).toEqual([]);
  } finally {
    await client.end();
  }
});
