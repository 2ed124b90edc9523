/** What all other tests together must have run. Runs after them, against the same server; alone it fails. */
import { expect, test } from '@jest/globals';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { statementsNeverRun } from '../../dev/checks/database/statement-coverage.ts';
import { statementsRun } from '../../tools/devstack/stack/database.ts';
import { sharedServer } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

test('the tests have run every statement of every function of the database', async () => {
  await loadModule();
  const client = new pg.Client({ connectionString: stack.ownerUrl });
  await client.connect();
  try {
    const run = await statementsRun(sharedServer);
    expect(await statementsNeverRun(client, run)).toEqual([]);
  } finally {
    await client.end();
  }
});
