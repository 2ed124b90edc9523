/**
 * Compares two databases, object by object and row by row, and exits with 1 if they differ:
 * `DATABASE_OWNER_URL=… OTHER_DATABASE_URL=… node dev/run.mjs dev/checks/database/compare-databases.ts`. With
 * `EXACTLY=true` ids drawn at random and times of writing count too, as for a copy. The layout of functions does not count.
 */
import pg from 'pg';
import { counts, differences, snapshot, withoutLayout, type Snapshot } from './database-snapshot.ts';

const [one, other] = [await read('DATABASE_OWNER_URL'), await read('OTHER_DATABASE_URL')];
const found = differences(withoutLayout(one), withoutLayout(other));
const laidOut = differences(one, other).length - found.length;
for (const difference of found) process.stdout.write(`${difference}\n`);
process.stdout.write(
  `${counts(one)}\n${found.length} differences, ${laidOut} functions laid out differently\n`,
);
if (found.length > 0) process.exitCode = 1;

async function read(variable: string): Promise<Snapshot> {
  const connectionString = process.env[variable];
  if (connectionString === undefined)
    throw new Error(`${variable}: set the address of a database as the owner of its tables`);
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await snapshot(client, process.env['EXACTLY'] === 'true' ? 'exactly' : 'bank');
  } finally {
    await client.end();
  }
}
