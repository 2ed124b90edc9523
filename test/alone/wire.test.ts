/** What an instant transfer asks of PostgreSQL, and what becomes of one whose answer never comes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import { openBank, TransferAnswer, type Bank, type Person } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { newKey, type Answered } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { freePort, startService, until, untilReady } from '../support/stack/processes.ts';
import { openWire, type Wire } from '../support/stack/wire.ts';

const MOST_ROUND_TRIPS = 3;

let branch: Branch;
let wire: Wire;
let bank: Bank;
let books: Books;
let api: Child;
let start: () => Promise<Child>;
let payer: Person;
let accounts: { readonly from: AccountId; readonly to: AccountId };
beforeAll(async () => {
  branch = await openBranch();
  const database = {
    url: branch.env['DATABASE_URL'] ?? '',
    ownerUrl: branch.env['DATABASE_OWNER_URL'] ?? '',
  };
  wire = await openWire(database.url);
  books = openBooks(database);
  const port = await freePort();
  const address = `http://127.0.0.1:${String(port)}`;
  const env = { ...branch.env, PORT: String(port), DATABASE_URL: wire.url };
  start = async () => {
    const child = await startService('wired-api', 'api/main.ts', env);
    await untilReady(address, child);
    return child;
  };
  api = await start();
  bank = openBank(address, branch.env);
  payer = await bank.customer();
  accounts = { from: await books.account(payer.id), to: await books.account(payer.id) };
  await books.fund(accounts.from, 100_000n);
});
afterAll(async () => {
  await api.stop();
  await bank.expectBooksBalanced();
  await Promise.all([bank.close(), books.close()]);
  await wire.close();
  await branch.close();
});

/** So many transfers were asked for. */
let paid = 0;
const pay = (key = newKey()) => {
  paid++;
  return bank.transfer(payer, { ...accounts, amount: '1.00', key });
};

/** A payment, and what it asks of PostgreSQL. */
async function watched(): Promise<{ answer: Answered; trips: string[] }> {
  wire.forget();
  const answer = await pay();
  return { answer, trips: wire.roundTrips().filter((sql) => !/from sessions|throttles/.test(sql)) };
}

test(`an instant transfer takes at most ${String(MOST_ROUND_TRIPS)} round trips to PostgreSQL and one commit`, async () => {
  // prepares the statements, and reads what is kept in memory
  for (let warm = 0; warm < 3; warm++) expect((await pay()).status).toBe(201);
  // what the API asks beside its calls, every second or so, goes over the same wire: of a few payments the quietest one counts
  let { answer, trips } = await watched();
  for (let more = 0; more < 8 && trips.length > MOST_ROUND_TRIPS; more++) {
    const next = await watched();
    if (next.trips.length < trips.length) ({ answer, trips } = next);
  }
  expect(answer.body).toMatchObject({ status: 'executed' });
  expect(trips.filter((sql) => sql.includes('transfers_create'))).toHaveLength(1);
  expect(trips.filter((sql) => /^(begin|commit)/i.test(sql))).toEqual([]);
  // all of them by name, if they are too many
  expect(trips.length > MOST_ROUND_TRIPS ? trips : []).toEqual([]);
  const writers = await books.asOwner(
    // what this reads whole is told at once, not while the next test counts
    `with t as (select * from transfers where id = $1)
     select writer, pg_stat_force_next_flush()::text from (
     select x.xmin::text as writer from t join transfers x on x.id = t.id
     union select x.xmin::text from t join ledger_transactions x on x.id = t.transaction_id
     union select x.xmin::text from t join ledger_entries x on x.transaction_id = t.transaction_id
     union select x.xmin::text from t join accounts x on x.id in (t.source_account_id, t.destination_account_id)
     union select x.xmin::text from t join idempotency_keys x on x.resource_id = t.id
     union select x.xmin::text from t join step_up_uses x on x.resource_id = t.id) writers`,
    [answer.as(TransferAnswer).id],
  );
  expect(writers).toHaveLength(1);
});

test('a transfer reads no table whole that grows with every transfer', async () => {
  const transfers = 5;
  const tables = [
    'accounts',
    'transfers',
    'ledger_transactions',
    'ledger_entries',
    'step_up_uses',
    'entry_words',
  ];
  const read = async () => {
    const found = await books.asOwner(
      `select relname::text as table, seq_scan::int as scans, n_tup_ins::int as rows
         from pg_stat_user_tables where relname = any ($1) order by relname`,
      [tables],
    );
    return z.array(z.object({ table: z.string(), scans: z.int(), rows: z.int() })).parse(found);
  };
  const counted = async (least: number) => {
    const rowsOf = (all: Awaited<ReturnType<typeof read>>) =>
      all.find(({ table }) => table === 'transfers')?.rows ?? 0;
    // a session tells what it has read about once a second, all of it together
    await until(async () => rowsOf(await read()) >= least);
    return read();
  };
  // in a small table everything is read whole, rightly
  await books.asOwner(
    `insert into accounts (kind, owner_id, account_type_id, number, asset)
     select 'customer', $1, t.id, next_account_number(), t.asset from account_types t, generate_series(1, 3000) where t.code = 'current_eur'`,
    [payer.id],
  );
  // all that this session has read is told before the count begins
  await books.asOwner('analyze accounts; select pg_stat_force_next_flush()');
  const before = await counted(paid);
  for (let payment = 0; payment < transfers; payment++) expect((await pay()).status).toBe(201);
  const after = await counted(paid);
  expect(after.map(({ table, scans }) => ({ table, scans }))).toEqual(
    before.map(({ table, scans }) => ({ table, scans })),
  );
});

test('an API that is killed between the commit and its answer has moved the money once, and the repeat is told so', async () => {
  const key = newKey();
  const before = await books.balance(accounts.to);
  const kept = wire.keepBack('transfers_create');
  const unanswered = pay(key).then(
    () => 'answered',
    () => 'cut off',
  );
  await kept;
  await api.kill();
  expect(await unanswered).toBe('cut off');
  const [made] = await books.asOwner(
    `select t.id, t.status from idempotency_keys k join transfers t on t.id = k.resource_id where k.key = $1`,
    [key],
  );
  expect(made).toMatchObject({ status: 'executed' });

  api = await start();
  const repeat = await pay(key);
  expect(repeat).toMatchObject({ status: 201, body: { id: made?.['id'], status: 'executed' } });
  expect(repeat.headers.get('idempotent-replayed')).toBe('true');
  expect((await books.balance(accounts.to)).posted).toBe(before.posted + 100n);
});
