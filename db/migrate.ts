/** Brings the database to the newest schema, as its owner. `npm run migrate`. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ConfigError, loadOwnerUrl, loadStoredBank, type StoredBank } from '../config.ts';
import type { Chains } from '../domain/addresses/address.ts';
import { OFFERED_NETWORKS } from '../domain/crypto/offered.ts';
import { ibanOf, type IbanIssuer } from '../domain/standards/iban.ts';
import { publicHolidays } from '../domain/time/public-holidays.ts';
import { applyFunctions, functionFiles } from './migrating/functions.ts';
import { adoptsBaseline, BASELINE, MigrationRefused, migrations } from './migrating/migrations.ts';

const IBANS_AT_ONCE = 1_000;
/** As far as the holidays of TARGET go. */
const [FIRST_YEAR, LAST_YEAR] = [2025, 2060];

/**
 * Runs the migrations that have not run yet, then applies the files of functions that have changed, and returns the names of both;
 * then writes what the database holds of the bank's settings, and gives an IBAN to the accounts that are older than IBANs. Two migrators at once wait for
 * each other (advisory lock).
 */
export async function migrate(ownerUrl: string, bank: StoredBank): Promise<string[]> {
  const known = migrations();
  const orm = new MikroORM({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: known,
      snapshot: false,
      allOrNothing: true,
      tableName: 'schema_migrations',
      silent: true,
    },
    // one connection, so that the lock is held by the session that migrates
    pool: { min: 1, max: 1 },
  });
  try {
    const lock = await orm.em
      .getConnection()
      .execute<unknown[]>('select pg_advisory_lock(7355608)::text as locked');
    if (lock.length !== 1) throw new Error('the migration lock was not granted');
    const recorded = await orm.migrator.getExecuted();
    const adopts = adoptsBaseline(
      recorded.map(({ name }) => name),
      known.map(({ name }) => name),
    );
    const done = await bringUp(orm, adopts);
    await writeSettings(orm, bank);
    await offerNetworks(orm, bank.chains);
    while ((await giveIbans(orm, bank.issuer)) > 0);
    return done;
  } finally {
    await orm.close(true);
  }
}

/** Tables and functions change in one transaction: nobody ever sees the one without the other. */
async function bringUp(orm: MikroORM, adopts: boolean): Promise<string[]> {
  const connection = orm.em.getConnection();
  return connection.transactional(async (transaction) => {
    if (adopts) await orm.migrator.getStorage().logMigration({ name: BASELINE }, transaction);
    const run = await orm.migrator.up({ transaction });
    const applied = await applyFunctions(
      (sql, parameters = []) => connection.execute(sql, [...parameters], 'all', transaction),
      functionFiles(),
      releaseOf(),
    );
    return [...run.map(({ name }) => name), ...applied.map((name) => `functions/${name}`)];
  });
}

function releaseOf(): string {
  const manifest = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

/** Only the owner can, and only the settings know the bank. */
async function writeSettings(
  orm: MikroORM,
  {
    baseCurrency,
    timeZone,
    businessHours,
    country,
    clockToleranceSeconds,
    clockMoves,
    customers,
    priceMaxAgeSeconds,
  }: StoredBank,
): Promise<void> {
  const connection = orm.em.getConnection();
  await connection.execute('update fx_settings set base_asset = ? where base_asset <> ?', [
    baseCurrency,
    baseCurrency,
  ]);
  const moved = await connection.execute<unknown[]>(
    'select from bank_settings where clock_ahead_seconds > 0',
  );
  if (moved.length > 0 && !clockMoves)
    throw new MigrationRefused(
      'The clock of this database was moved forward, which development alone may do: take another database, or set NODE_ENV=development.',
    );
  const settings = {
    ...{ time_zone: timeZone, clock_tolerance_seconds: clockToleranceSeconds, clock_moves: clockMoves },
    ...{ business_hours: businessHours, country, kyc_review_years: customers.KYC_REVIEW_YEARS },
    ...{
      kyc_renewal_days: customers.KYC_RENEWAL_DAYS,
      kyc_expired_limits: customers.KYC_EXPIRED === 'limit',
    },
    ...{ high_risk_countries: customers.KYC_HIGH_RISK_COUNTRIES, risk_points: customers.RISK_POINTS },
    price_max_age_seconds: priceMaxAgeSeconds,
  };
  const names = Object.keys(settings).join();
  // a row is written only where something is different, since everybody reads it
  await connection.execute(
    `update bank_settings b set (${names}) = (select ${names} from jsonb_populate_record(b, ?::jsonb))
      where to_jsonb(b) <> to_jsonb(b) || ?::jsonb`,
    [JSON.stringify(settings), JSON.stringify(settings)],
  );
  await connection.execute(
    'insert into bank_holidays (calendar, day) select ?, d::date from jsonb_array_elements_text(?::jsonb) d on conflict do nothing',
    [country, JSON.stringify(publicHolidays(country, FIRST_YEAR, LAST_YEAR))],
  );
}

/**
 * Brings how coins move on the networks of these chains, none of them enabled. What an administrator has changed stays, since only an
 * administrator knows the custodian's names.
 */
async function offerNetworks(orm: MikroORM, chains: Chains): Promise<void> {
  const connection = orm.em.getConnection();
  const others = await connection.execute<unknown[]>(
    `select from bank_settings where crypto_chains <> ? and exists (
       select from asset_networks where enabled or updated_by is not null)`,
    [chains],
  );
  if (others.length > 0)
    throw new MigrationRefused(
      'Coins move on other networks already: take another database, or set CRYPTO_CHAINS as it was.',
    );
  const rows = OFFERED_NETWORKS.map(({ mainnet, testnet, ...offered }) => ({
    ...{ asset: offered.asset, network: offered.network, scale: offered.scale, memo: offered.memo },
    ...{ confirmations: offered.confirmations, min_deposit: offered.minDeposit.toString() },
    min_withdrawal: offered.minWithdrawal.toString(),
    custody_asset: { mainnet, testnet }[chains].custodyAsset,
    contract: { mainnet, testnet }[chains].contract ?? null,
  }));
  await connection.execute(
    `with chosen as (
       update bank_settings set crypto_chains = ? where crypto_chains is distinct from ?
     ), offered as (
       select * from jsonb_populate_recordset(null::asset_networks, ?::jsonb)
     ), renamed as (
       update asset_networks n set custody_asset = o.custody_asset, contract = o.contract from offered o
        where (n.asset, n.network) = (o.asset, o.network) and n.updated_by is null and not n.enabled
          and (n.custody_asset, n.contract) is distinct from (o.custody_asset, o.contract)
     )
     insert into asset_networks
         (asset, network, scale, memo, confirmations, min_deposit, min_withdrawal, custody_asset, contract)
       select asset, network, scale, memo, confirmations, min_deposit, min_withdrawal, custody_asset, contract
         from offered
       on conflict do nothing`,
    [chains, chains, JSON.stringify(rows)],
  );
}

const WithoutIban = z.array(z.object({ id: z.string(), number: z.string() }));

/** Only the owner can, and only the settings know the bank: so it is no migration. Answers how many got one. */
async function giveIbans(orm: MikroORM, issuer: IbanIssuer): Promise<number> {
  const found = WithoutIban.parse(
    await orm.em.getConnection().execute(
      `select id, number from accounts a join assets s on s.code = a.asset
        where a.kind = 'customer' and a.iban is null and s.kind = 'fiat' limit ${IBANS_AT_ONCE}`,
    ),
  );
  const given = JSON.stringify(found.map(({ id, number }) => ({ id, iban: ibanOf(issuer, number) })));
  await orm.em
    .getConnection()
    .execute(
      'update accounts a set iban = g.iban from jsonb_to_recordset(?::jsonb) g(id uuid, iban text) where a.id = g.id',
      [given],
    );
  return found.length;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const done = await migrate(loadOwnerUrl(), loadStoredBank());
    process.stdout.write(
      done.length === 0 ? 'The schema is up to date.\n' : `Migrated: ${done.join(', ')}\n`,
    );
  } catch (error) {
    if (!(error instanceof MigrationRefused || error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
