/** A clearing file of a hundred thousand payments that were authorised, with 20 authorisations a second beside it, and the least that booking it takes. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createCardVault } from '../adapters/card-vault.ts';
import { createStorage } from '../adapters/storage.ts';
import { loadConfig } from '../config.ts';
import { openOrm } from '../db/orm.ts';
import { ClearingWish, createClearing } from '../dev/cards/clearing.ts';
import {
  anyOf,
  decideCardPayment,
  makeCards,
  messageOf,
  networkOf,
  paced,
  type BenchCard,
} from './stage/card-traffic.ts';
import { readAssets } from '../services/platform/assets.ts';
import type { Stage } from './stage/stage.ts';

const CARDS = 10_000;
const RECORDS = 100_000;
const RATE = 20;
const CALLERS = 8;
/** As the worker does. */
const BATCH = 40;
const BATCHES = 2;
const PAUSE_MILLISECONDS = 250;

export async function benchCardFiles(stage: Stage): Promise<void> {
  const config = loadConfig(stage.env);
  const owner = new pg.Client(stage.ownerUrl);
  // what fails is told by the query that it fails, not by the end of the stage
  owner.on('error', () => undefined);
  await owner.connect();
  const cards = await makeCards(owner, config.CARD_KEYS, CARDS);
  const orm = openOrm(config);
  await readAssets(orm.em.fork());
  await orm.close();
  const records = await authorise(stage, owner, cards);

  const clearing = createClearing(createStorage(config), config.CARD_FOLDER);
  const begun = performance.now();
  const { file_id } = await clearing.clear(ClearingWish.parse({ records }));
  let isBooked = false;
  let taken = 0;
  const ask = networkOf(stage.api, config);
  const beside = paced(
    RATE,
    () => !isBooked,
    () => ask(anyOf(cards)),
  );
  while (!isBooked) {
    await sleep(PAUSE_MILLISECONDS);
    const { rows } = await owner.query<{ booked: boolean }>(
      `select not exists (select from card_clearings r where r.file_id = f.id and r.status = 'waiting') as booked
         from card_files f where f.network_id = $1`,
      [file_id],
    );
    isBooked = rows[0]?.booked ?? false;
    if (rows.length > 0 && taken === 0) taken = (performance.now() - begun) / 1_000;
  }
  const ours = (performance.now() - begun) / 1_000;
  const { rows } = await owner.query<{ booked: string }>(
    `select count(*) as booked from card_clearings r join card_files f on f.id = r.file_id where f.network_id = $1 and r.status = 'booked'`,
    [file_id],
  );
  process.stdout.write(`authorisations beside a clearing file, ${await beside}\n`);
  const floor = await bare(owner, stage.ownerUrl);
  process.stdout.write(
    `clearing file of ${RECORDS} records, ${rows[0]?.booked ?? 'none'} booked: ${ours.toFixed(1)} s, of which ${taken.toFixed(1)} s to take it / ` +
      `bare INSERT and UPDATE of them ${floor.toFixed(1)} s = ${(ours / floor).toFixed(1)}\n`,
  );
  await owner.end();
}

/** Authorises as many payments; answers the records that clear them. */
async function authorise({ env }: Stage, owner: pg.Client, cards: readonly BenchCard[]): Promise<object[]> {
  const vault = createCardVault(loadConfig(env).CARD_KEYS);
  const app = new pg.Pool({ connectionString: env['DATABASE_URL'], max: CALLERS });
  const records: object[] = [];
  // their holders were told days ago
  await owner.query('alter table card_payments disable trigger card_payments_told');
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (records.length < RECORDS) {
        const message = messageOf(anyOf(cards));
        const { pan, billing, payment_id } = message;
        records.push({ pan, billing, payment_id });
        await decideCardPayment(app, vault, message);
      }
    }),
  );
  await app.end();
  await owner.query('alter table card_payments enable trigger card_payments_told');
  return records;
}

/** Seconds in which as many records are written with two entries each, and the balances of both sides changed. Those beside each other change other balances. */
async function bare(owner: pg.Client, url: string): Promise<number> {
  await owner.query(`
    create table bench_accounts (id int primary key, posted numeric not null);
    create table bench_entries (id uuid primary key, record uuid not null, account int not null, amount numeric not null, at timestamptz not null);
    insert into bench_accounts select n, 0 from generate_series(0, ${String(CARDS)}) n`);
  const pool = new pg.Pool({ connectionString: url, max: BATCHES });
  const begun = performance.now();
  let written = 0;
  await Promise.all(
    Array.from({ length: BATCHES }, async (_, house) => {
      while (written < RECORDS) {
        written += BATCH;
        await pool.query({
          name: 'bare_clearing',
          text: `with records as (
                   select uuidv7() as id, 2 + $3::int + 2 * floor(random() * ($2::int / 2 - 1))::int as account from generate_series(1, $1::int)
                 ), entries as (
                   insert into bench_entries
                     select uuidv7(), r.id, e.account, e.amount, now() from records r
                       cross join lateral (values (r.account, -100), ($3::int, 100)) e(account, amount)
                     returning account, amount
                 )
                 update bench_accounts a set posted = a.posted + e.amount
                   from (select account, sum(amount) as amount from entries group by account) e where a.id = e.account`,
          values: [BATCH, CARDS, house],
        });
      }
    }),
  );
  await pool.end();
  return (performance.now() - begun) / 1_000;
}
