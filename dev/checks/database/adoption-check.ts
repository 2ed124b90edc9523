/**
 * A database at migration 0031 is taken over by the baseline as it is; an older one, and one that a newer release has migrated, are
 * refused and left alone. The bank in it (`bank-at-0031.sql`) is worth and does what it did before.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { loadStoredBank } from '../../../config.ts';
import { migrate } from '../../../db/migrate.ts';
import { BASELINE, migrationFiles, MigrationRefused } from '../../../db/migrating/migrations.ts';

/** What must hold after the migration, each with the statement that answers `true`. */
const STILL_TRUE: readonly (readonly [string, string])[] = [
  [
    'balances and holds are as they were',
    `select array_agg(posted || '/' || held order by id) = '{8994500/1500000,2500/0,0/0}' as holds
       from accounts where kind = 'customer'`,
  ],
  [
    'transfers are as they were',
    `select array_agg(status order by id) = '{executed,executed,rejected,failed,pending_approval}' as holds from transfers`,
  ],
  [
    'fees are as they were',
    `select array_agg(status order by account_id) = '{charged,refused}' as holds from account_fees`,
  ],
  [
    'every account has an IBAN',
    `select bool_and(iban is not null) as holds from accounts where kind = 'customer'`,
  ],
  [
    'a transfer that waited can be executed, and a quote from before can be used',
    `with decided as (select status from transfer_carry_out('00000000-0000-7000-8000-000000000204', 'decision',
            (select accepted::text from transfer_decision_accept('00000000-0000-7000-8000-000000000204',
               '00000000-0000-7000-8000-000000000501', 'execute', '00000000-0000-7000-8000-000000000004', null, null)))),
          taken as (select (transfer).status from transfers_create('[{"caller": "00000000-0000-7000-8000-000000000001",
            "operation": "createTransfer", "key": "adopted", "hmac": "ab", "order":
            {"id": "00000000-0000-7000-8000-000000000401", "kind": "transfer", "type_code": "internal",
            "requested_by": "00000000-0000-7000-8000-000000000001", "customer_id": "00000000-0000-7000-8000-000000000001",
            "source_account_id": "00000000-0000-7000-8000-000000000011",
            "destination_account_id": "00000000-0000-7000-8000-000000000012", "asset": "EUR", "amount": "100", "description": "",
            "quote_id": "00000000-0000-7000-8000-000000000301"}}]', false))
     select (select status from decided) = 'executed' and (select status from taken) = 'executed' as holds`,
  ],
  [
    'every balance is the sum of its entries',
    `select bool_and(a.posted = coalesce((select sum(e.amount) from ledger_entries e where e.account_id = a.id), 0)) as holds
       from accounts a`,
  ],
];

/** Fills an empty database as the fixture says, migrates it and returns what is wrong. */
export async function checkAdoption(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    for (const [path, text] of migrationFiles())
      if (path.startsWith(`${BASELINE}/`)) await client.query(text);
    await client.query(readFileSync(join(import.meta.dirname, 'bank-at-0031.sql'), 'utf8'));
    const faults = [
      await refusal(
        client,
        ownerUrl,
        `delete from schema_migrations where name = '0031-value-days-and-locks'`,
      ),
      await refusal(
        client,
        ownerUrl,
        `insert into schema_migrations (name) values ('9999-of-a-newer-release')`,
      ),
    ];
    const done = await migrate(ownerUrl, loadStoredBank({}));
    if (done.includes(BASELINE)) faults.push('the baseline ran on a database that already was what it makes');
    for (const [what, statement] of STILL_TRUE) {
      if (!(await holds(client, statement))) faults.push(`after migrating a bank in use, no longer: ${what}`);
    }
    return faults.filter((fault) => fault !== undefined);
  } finally {
    await client.end();
  }
}

async function holds(client: pg.Client, statement: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ holds: boolean }>(statement);
    return rows[0]?.holds === true;
  } catch (error) {
    // a function that fails is what is looked for here
    if (error instanceof pg.DatabaseError) return false;
    throw error;
  }
}

/** With its notes changed like this, the database must be refused; they are put back after. */
async function refusal(client: pg.Client, ownerUrl: string, change: string): Promise<string | undefined> {
  await client.query('create temporary table noted as select name from schema_migrations');
  await client.query(change);
  try {
    await migrate(ownerUrl, loadStoredBank({}));
    return `a database was not refused after: ${change}`;
  } catch (error) {
    return error instanceof MigrationRefused ? undefined : `${change}: ${String(error)}`;
  } finally {
    await client.query('truncate schema_migrations');
    await client.query('insert into schema_migrations (name) select name from noted order by name');
    await client.query('drop table noted');
  }
}
