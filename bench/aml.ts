/** What fifty live rules of the money-laundering watch add to a transfer, for customers with few and with very many movements. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Stage } from './stage/stage.ts';

const RULES = 50;
const VERDICTS = 300;
const MOVEMENTS = [1_000, 10_000, 100_000, 1_000_000];
const DAYS = 300;
const WINDOWS = ['PT1H', 'PT24H', 'P7D', 'P30D', 'P90D'];

/** Prints p50 and p99 of the facts and of the verdict, in milliseconds inside the database. */
export async function benchAml({ ownerUrl }: Pick<Stage, 'ownerUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const customers = [];
    for (const many of MOVEMENTS) customers.push({ many, id: await customerWith(client, many) });
    await client.query('analyze aml_movements');
    await makeRules(client);
    for (const { many, id } of customers) {
      await measured(client, id);
      const { facts, verdicts } = await measured(client, id);
      process.stdout.write(
        `aml, ${RULES} live rules, customer with ${many} movements: verdict ${told(verdicts)}, facts ${told(facts)}\n`,
      );
    }
    await client.query(`update aml_rules set status = 'disabled' where code like 'bench%'`);
    const { movements, seconds } = await backtested(client);
    process.stdout.write(`aml, backtest of ${movements} movements: ${seconds.toFixed(1)} s\n`);
  } finally {
    await client.end();
  }
}

async function customerWith(client: pg.Client, many: number): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into users (id, email, first_name, last_name, password_hash) values ($1::uuid, $1::uuid || '@bench.test', 'B', 'Ench', '$argon2id$none')`,
    [id],
  );
  await client.query(
    `insert into aml_movements (customer_id, seq, at, kind, direction, subject_type, subject_id, asset, amount, amount_base, transfer_type,
       counterparty, counterparty_country, out_count, out_base, out_unrated, in_count, in_base, in_unrated)
     select $1::uuid, s, bank_now() - make_interval(days => $3::int) * ((($2::int - s)::float8) / $2::int), 'outgoing_transfer', 'outgoing',
       'transfer', uuidv7(), 'EUR', 10, 10, 'internal', 'DE' || (s % 500), 'DE', s - 1, 10 * (s - 1), 0, 0, 0, 0
       from generate_series(1, $2::int) s`,
    [id, many, DAYS],
  );
  return id;
}

/** Sums, counts, shares of an average and plain comparisons: over many windows by counters, over one hour by the movements. None of them hits. */
async function makeRules(client: pg.Client): Promise<void> {
  for (let place = 0; place < RULES; place += 1) {
    const id = randomUUID();
    const code = `bench${id.replaceAll('-', '')}`;
    await client.query('insert into aml_rules (id, code) values ($1, $2)', [id, code]);
    await client.query(
      `insert into aml_rule_versions (rule_id, version, name, severity, action, applies_to, condition)
       values ($1, 1, 'Bench', 'low', 'hold', '{outgoing_transfer}', $2)`,
      [id, JSON.stringify(conditionOf(place))],
    );
  }
  await client.query(`update aml_rules set status = 'live' where code like 'bench%'`);
}

function conditionOf(place: number): object {
  const window = WINDOWS[Math.floor(place / 5) % WINDOWS.length];
  const sum = { aggregate: 'sum', over: 'outgoing', field: 'amount_base', window };
  const large = { value: '1000000000' };
  const amount = { left: { field: 'amount_base' }, op: 'gt', right: { value: '999999' } };
  const where = { left: { field: 'amount' }, op: 'gt', right: { value: String(place) } };
  const payees = {
    aggregate: 'count_distinct',
    over: 'outgoing',
    field: 'counterparty',
    window: 'PT1H',
    where,
  };
  const usual = { mul: [{ value: '50000' }, { ...sum, aggregate: 'avg' }] };
  const country = { left: { field: 'counterparty_country' }, op: 'in', right: [{ value: 'KP' }] };
  const kinds = [
    { left: sum, op: 'gte', right: large },
    { left: { aggregate: 'count', over: 'both', window }, op: 'gte', right: large },
    { all: [amount, country] },
    { left: { field: 'amount_base' }, op: 'gt', right: usual },
    { left: payees, op: 'gte', right: large },
  ];
  return kinds[place % kinds.length] ?? amount;
}

interface Times {
  readonly facts: readonly number[];
  readonly verdicts: readonly number[];
}

async function measured(client: pg.Client, customer: string): Promise<Times> {
  await client.query('create temporary table if not exists taken (facts float8, verdict float8)');
  await client.query('truncate taken');
  await client.query(`do $$
    declare m aml_movements; v record; began timestamptz; known timestamptz;
    begin
      for time in 1..${VERDICTS} loop
        began := clock_timestamp();
        m := aml_movement_of('outgoing_transfer', 'transfer', uuidv7(), '${customer}', null, 'EUR', 1000, 'internal', 'DE7', 'DE', bank_now());
        known := clock_timestamp();
        select * into v from movement_verdict(m);
        insert into taken values (extract(epoch from known - began) * 1000, extract(epoch from clock_timestamp() - known) * 1000);
      end loop;
    end $$`);
  const { rows } = await client.query<{ facts: number; verdict: number }>('select facts, verdict from taken');
  return { facts: rows.map(({ facts }) => facts), verdicts: rows.map(({ verdict }) => verdict) };
}

/** Judges all movements by a sum over a day, part by part as the service does. */
async function backtested(
  client: pg.Client,
): Promise<{ readonly movements: number; readonly seconds: number }> {
  const left = { aggregate: 'sum', over: 'outgoing', field: 'amount_base', window: 'PT24H' };
  const condition = { left, op: 'gte', right: { value: '1000000000' } };
  const rule = JSON.stringify({ applies_to: ['outgoing_transfer'], condition });
  let place: unknown[] = ['00000000-0000-0000-0000-000000000000', new Date(0), 0];
  const began = performance.now();
  for (let movements = 0; ;) {
    const { rows } = await client.query<{ looked: number; customer: string; at: Date; seq: string }>(
      `select looked, next_customer as customer, next_at as at, next_seq as seq
         from aml_backtest($1, '2000-01-01', bank_now(), $2, $3, $4, null, 20000)`,
      [rule, ...place],
    );
    const [part] = rows;
    if (part === undefined) throw new Error('a backtest answers nothing');
    movements += part.looked;
    if (part.looked < 20_000) return { movements, seconds: (performance.now() - began) / 1_000 };
    place = [part.customer, part.at, part.seq];
  }
}

function told(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
