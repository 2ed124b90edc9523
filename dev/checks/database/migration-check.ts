/**
 * `npm run migrate:check`: on an empty PostgreSQL of its own, all migrations run as the owner of the tables and all functions are
 * applied, a second run finds nothing to do, the entities fit the tables, and every function fits its file and the tables. Beside it
 * a bank in use is brought up from the schema from before the baseline: nothing of it may have changed, and its schema must be that of
 * the empty one.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import pg from 'pg';
import { loadStoredBank } from '../../../config.ts';
import { migrate } from '../../../db/migrate.ts';
import { claimPorts } from '../../../tools/devstack/process/ports.ts';
import { stopOnSignals, supervise } from '../../../tools/devstack/process/supervisor.ts';
import { startPostgres } from '../../../tools/devstack/stack/postgres.ts';
import { checkAdoption } from './adoption-check.ts';
import { counts, differences, snapshot } from './database-snapshot.ts';
import { compareEntities } from './entity-columns.ts';
import { checkFunctions } from './function-check.ts';
import { prepareStatements } from './plpgsql-statements.ts';
import { checkSeeds } from './seed-check.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'teller-migrations-'));
// PostgreSQL runs as another user where this is root
chmodSync(folder, 0o711);
const supervision = await supervise(join(folder, 'run'), [folder]);
stopOnSignals(stop, supervision.abandon);

try {
  const faults = await check();
  for (const fault of faults) say(`  ${fault}`);
  say(faults.length === 0 ? 'Migrations, functions and entities agree.' : 'Something does not agree.');
  if (faults.length > 0) process.exitCode = 1;
} catch (error) {
  // before the other database ends under whoever still works with it
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = 1;
} finally {
  await stop();
}

async function check(): Promise<string[]> {
  const [empty, inUse] = await Promise.all([emptyDatabase('empty'), emptyDatabase('in-use')]);
  const faults = await Promise.all([checkEmpty(empty), checkAdoption(inUse)]);
  const fresh = await asOwner(empty, (client) => snapshot(client, 'schema'));
  const adopted = await asOwner(inUse, (client) => snapshot(client, 'schema'));
  say(`Compared with a bank that was adopted from before the baseline: ${counts(fresh)}.`);
  return [...faults.flat(), ...differences(fresh, adopted)];
}

async function checkEmpty(ownerUrl: string): Promise<string[]> {
  const done = await migrate(ownerUrl, loadStoredBank({}));
  say(`Run on an empty database: ${done.length} migrations and files of functions.`);
  const again = await migrate(ownerUrl, loadStoredBank({}));
  const repeated = again.length === 0 ? [] : [`a second run migrated again: ${again.join(', ')}`];
  const unfit = await asOwner(ownerUrl, checkFunctions);
  const { prepared, faults } = await asOwner(ownerUrl, prepareStatements);
  say(`Prepared ${prepared} statements and expressions of PL/pgSQL functions.`);
  const seeds = await asOwner(ownerUrl, checkSeeds);
  return [...repeated, ...(await compareEntities(ownerUrl)), ...seeds, ...unfit, ...faults];
}

async function asOwner<Found>(ownerUrl: string, look: (client: pg.Client) => Promise<Found>): Promise<Found> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
}

async function emptyDatabase(name: string): Promise<string> {
  const block = await claimPorts();
  const { ownerUrl } = await startPostgres({
    folder: join(folder, name),
    port: await block.next(),
    runFolder: supervision.runFolder,
    logFile: join(folder, `${name}.log`),
    durable: false,
  });
  await block.release();
  return ownerUrl;
}

async function stop(): Promise<void> {
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
