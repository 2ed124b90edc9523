/** Readers of long statements who stop reading or go away: they keep nothing of the database, and nothing is read for nobody. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { operations } from '../../../api/operations.ts';
import { openBank, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { bookPast } from '../../support/bank/history.ts';
import { stack } from '../../support/stack/stack.ts';
import { until } from '../../support/stack/processes.ts';

const NAME = 'teller-statement-readers';
const LINES = 5_000;

let bank: Bank;
let world: FrameWorld;
let owner: Person;
let account: AccountAnswer;
beforeAll(async () => {
  bank = openBank();
  const url = new URL(stack.databaseUrl);
  url.searchParams.set('application_name', NAME);
  world = await serve(operations, { DATABASE_URL: url.href });
  owner = await bank.customer();
  account = await bank.account(owner);
  await bookPast(
    bank,
    account,
    Array.from({ length: LINES }, () => ({ at: '2026-03-02T10:00:00Z', minor: 1n })),
  );
  // as the database does by itself after a while; until then it takes the tables for small and reads them whole
  await bank.asOwner('analyze accounts, ledger_entries, ledger_transactions, transfers');
});
afterAll(() => Promise.all([world.close(), bank.close()]));

/** Begins to read the statement; where the service has no connection left for now, it is asked again. */
async function open(): Promise<[ClientRequest, IncomingMessage]> {
  for (;;) {
    const [call, response] = await asked();
    if (response.statusCode === 200) return [call, response];
    response.resume();
    expect(response.statusCode).toBe(503);
    await wait(50);
  }
}

function asked(): Promise<[ClientRequest, IncomingMessage]> {
  const url = `${world.base}/v1/accounts/${account.id}/statement?from=2026-03-01&to=2026-03-31`;
  return new Promise((resolve, reject) => {
    const call = get(url, { headers: { Authorization: `Bearer ${owner.token}` } }, (response) => {
      response.on('error', () => undefined).pause();
      resolve([call, response]);
    }).on('error', reject);
  });
}

/** Sessions of the service under test that are in the middle of something. */
async function busy(): Promise<unknown[]> {
  return bank.asOwner(`select state from pg_stat_activity where application_name = $1 and state <> 'idle'`, [
    NAME,
  ]);
}

async function untilIdle(): Promise<void> {
  let idle = 0;
  await until(async () => {
    idle = (await busy()).length === 0 ? idle + 1 : 0;
    return idle === 3;
  }, busy);
}

test('a reader who stops reading holds no transaction and no connection, and finds the rest later', async () => {
  const [, response] = await open();
  await untilIdle();
  let bytes = 0;
  for await (const part of response) bytes += (part as Buffer).length;
  expect(response.complete).toBe(true);
  expect(bytes).toBeGreaterThan(LINES * 200);
});

test('many readers who go away at once leave the service as it was', async () => {
  // more would wait for a connection longer than one may, on a slow machine, and be told so
  const readers = await Promise.all(Array.from({ length: 6 }, open));
  for (const [call] of readers) call.destroy();
  await untilIdle();
  const endings = () => world.log().match(/"ending":"(reader_gone|sent)"/g) ?? [];
  await until(() => endings().length >= readers.length, endings);
  const [, response] = await open();
  response.resume();
  await new Promise((resolve) => response.on('end', resolve));
  expect(response.complete).toBe(true);
});

test('sessions that the database ends while the reader pauses are replaced: the statement is whole', async () => {
  const [, response] = await open();
  await untilIdle();
  const other = new pg.Client(stack.databaseUrl);
  await other.connect();
  const { rows } = await other.query<{ cut: string }>(
    'select count(pg_terminate_backend(pid, 5000)) as cut from pg_stat_activity where application_name = $1',
    [NAME],
  );
  await other.end();
  expect(Number(rows[0]?.cut)).toBeGreaterThan(0);
  response.resume();
  await new Promise((resolve) => response.on('end', resolve));
  expect(response.complete).toBe(true);
});
