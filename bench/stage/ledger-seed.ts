/**
 * Fills the books by sets: rows are computed by window functions, so that chains and sums are right, then every constraint and index
 * that was taken off for the load is put back, which checks each row again. Only for databases that are thrown away.
 */
import pg from 'pg';
import { trialBalance } from '../../db/ledger/trial-balance.ts';
import { openOrm } from '../../db/orm.ts';

export interface Seeding {
  readonly ownerUrl: string;
  /** The first pays two transactions of five; at least two. */
  readonly accounts: readonly string[];
  /** Entries there shall be in the end. */
  readonly entries: number;
  /** For so many of the newest entries words are written too, for the search. */
  readonly searchable: number;
  readonly say: (line: string) => void;
}

/** Ledger transactions a statement: a window over more would spill to disk. */
const CHUNK = 250_000;
/** The history is so long, whatever the number of entries. */
const DAYS = 730;

/** Adds what is missing up to `entries`. Answers how many there are. */
export async function seedLedger(seeding: Seeding): Promise<number> {
  const client = new pg.Client(seeding.ownerUrl);
  await client.connect();
  try {
    await client.query(
      `set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set synchronous_commit = off`,
    );
    const known = await countOf(client);
    const missing = Math.ceil((seeding.entries - known) / 2);
    if (missing <= 0) return known;
    // all or nothing: what is taken off is never left off
    await client.query('begin');
    const restore = await takeOff(client);
    for (let done = 0; done < missing; done += CHUNK) {
      await client.query(LOAD, [
        seeding.accounts,
        known / 2 + done,
        Math.min(CHUNK, missing - done),
        missing,
        done,
        DAYS,
      ]);
      seeding.say(`${known + 2 * Math.min(done + CHUNK, missing)} entries`);
    }
    await restore(seeding.say);
    await client.query('commit');
    if (seeding.searchable > 0) {
      await client.query(WORDS, [seeding.searchable]);
      seeding.say(`words of ${seeding.searchable} entries`);
    }
    await client.query('vacuum analyze');
    return await countOf(client);
  } finally {
    await client.end();
  }
}

async function countOf(client: pg.Client): Promise<number> {
  const found = await client.query<{ count: string }>('select count(*) from ledger_entries');
  return Number(found.rows[0]?.count ?? 0);
}

/**
 * $1 accounts, $2 number of the first transaction, $3 how many, $4 how many in all, $5 how many of them before, $6 days.
 * One of five thousand counts two days before it was booked.
 */
const LOAD = `
  with draft as materialized (
    select k, uuidv7() as id, s.at, (s.at at time zone 'UTC')::date - case when k % 5000 = 0 then 2 else 0 end as value_date,
           ($1::uuid[])[payer.n] as payer, ($1::uuid[])[(1 + (payer.n + (hashint8(k + 7)::bigint & 2147483647) % (cardinality($1::uuid[]) - 1)) % cardinality($1::uuid[]))::int] as payee,
           1 + (hashint8(k + 3)::bigint & 2147483647) % 100000 as amount
      from generate_series($2::bigint + 1, $2::bigint + $3::bigint) k
      cross join lateral (select greatest((select max(last_entry_at) from accounts where last_entry_at > '-infinity'), now() - make_interval(days => $6::int))
          + (now() - greatest((select max(last_entry_at) from accounts where last_entry_at > '-infinity'), now() - make_interval(days => $6::int)))
          * ((k - $2::bigint)::float8 / ($4::bigint - $5::bigint)) as at) s
      cross join lateral (select case when k % 5 < 4 and k % 5 > 0 then 1 + (hashint8(k)::bigint & 2147483647) % cardinality($1::uuid[]) else 1 end::int as n) payer
  ), header as (
    insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date, description)
      select id, 'transfer', 'seed', id, at, value_date,
             (array['Rent', 'Groceries', 'Salary', 'Insurance', 'Café', 'Bakery', 'Miete', 'Train ticket'])[(1 + k % 8)::int] || ' ' || (k % 20000) from draft
  ), leg as materialized (
    select d.id, d.at, d.value_date, l.account, l.amount, sum(l.amount) over steps as running, row_number() over steps as step
      from draft d cross join lateral (values (d.payer, -d.amount::numeric), (d.payee, d.amount::numeric)) l(account, amount)
      window steps as (partition by l.account order by d.k)
  ), moved as (
    update accounts a set posted = a.posted + m.amount, entry_seq = a.entry_seq + m.steps, last_entry_at = m.last
      from (select account, sum(amount) as amount, count(*) as steps, max(at) as last from leg group by account) m where a.id = m.account
      returning a.id, a.asset, old.posted as posted_before, old.entry_seq as seq_before
  )
  insert into ledger_entries (account_id, seq, transaction_id, asset, amount, balance_after, booked_at, value_date)
    select m.id, m.seq_before + l.step, l.id, m.asset, l.amount, m.posted_before + l.running, l.at, l.value_date from leg l join moved m on m.id = l.account`;

/** As the trigger writes them, without the other side. */
const WORDS = `
  with wanted as (
    select a.owner_id, e.booked_at, e.account_id, e.seq, array['kind:' || x.kind] || search_terms(x.description) as words
      from (select * from ledger_entries order by booked_at desc limit $1) e
      join accounts a on a.id = e.account_id join ledger_transactions x on x.id = e.transaction_id
  ), fresh as (
    insert into entry_words select * from wanted on conflict do nothing returning owner_id, words
  )
  insert into search_words (owner_id, word) select distinct owner_id, word from fresh, unnest(words) word where position(':' in word) = 0`;

/** Takes triggers, keys and indexes off; answers what puts all of it back. */
async function takeOff(client: pg.Client): Promise<(say: (line: string) => void) => Promise<void>> {
  const constraints = await client.query<{ name: string; relation: string; definition: string }>(
    `select conname as name, conrelid::regclass::text as relation, pg_get_constraintdef(oid) as definition from pg_constraint
      where (conrelid = 'ledger_entries'::regclass and contype in ('p', 'f'))
         or (conrelid = 'ledger_transactions'::regclass and contype = 'u' and conname like '%source%')
      order by contype desc`,
  );
  const indexes = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid in ('ledger_entries'::regclass, 'entry_words'::regclass) and not i.indisprimary`,
  );
  const tables = ['ledger_entries', 'ledger_transactions', 'accounts'];
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  for (const { name, relation } of constraints.rows.toReversed())
    await client.query(`alter table ${relation} drop constraint "${name}"`);
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`);
  return async (say) => {
    for (const { name, relation, definition } of constraints.rows)
      await client.query(`alter table ${relation} add constraint "${name}" ${definition}`);
    say('constraints are back');
    for (const { definition } of indexes.rows) await client.query(definition);
    say('indexes are back');
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
  };
}

const OTHERS = 2_000;

/** The customer's own accounts first, then those of somebody with many. */
export async function seedAccounts(ownerUrl: string, customer: string): Promise<string[]> {
  const client = new pg.Client(ownerUrl);
  await client.connect();
  const own = await client.query<{ id: string }>('select id from accounts where owner_id = $1 order by id', [
    customer,
  ]);
  const others = await client.query<{ id: string }>(
    `with somebody as (
       insert into users (email, first_name, last_name, status) values ('seed@bench.test', 'Seed', 'Bench', 'pending') returning id
     )
     insert into accounts (kind, owner_id, account_type_id, number, asset, overdraft_limit)
       select 'customer', s.id, t.id, next_account_number(), t.asset, 1000000000000 from somebody s, account_types t, generate_series(1, $1::int)
        where t.code = 'current_eur' returning id`,
    [OTHERS],
  );
  await client.end();
  return [...own.rows, ...others.rows].map(({ id }) => id);
}

/** What the seed books was ordered by nobody: a transfer for each would double the time that seeding takes. */
const WITHOUT_SEED = 'every transaction has its source';

/** Throws where the books do not balance. */
export async function proveBooks(env: NodeJS.ProcessEnv): Promise<void> {
  const orm = openOrm({ DATABASE_URL: String(env['DATABASE_URL']), DATABASE_POOL_MAX: 1 });
  try {
    const { checks } = await trialBalance(orm.em.fork());
    const wrong = checks.filter(({ check, broken }) => check !== WITHOUT_SEED && broken !== 0);
    if (wrong.length > 0) throw new Error(`the books do not balance: ${JSON.stringify(wrong)}`);
  } finally {
    await orm.close(true);
  }
}
