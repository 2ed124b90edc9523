/**
 * Two replicas of the API are asked the same at the same moment, while the books are held up: a key that says refused has moved no
 * money, a key books once, and keys and step-up tokens that cross never deadlock. `ROUNDS` sets how often each is tried.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { untilReady } from '../../dev/service/readiness.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import { transferBody, TransferAnswer, type Person } from '../support/bank/bank.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { apiClient, newKey, type Answered } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { freePort, startService } from '../support/stack/processes.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 25);
/** How long the rate of a round lives, and how long the payer's account is held at most, in milliseconds. */
const RATE_MS = 60;
const HELD_MS = 150;
/** Longer than PostgreSQL keeps what a session has counted to itself. */
const COUNTED_MS = 1_500;

/** An access token lives ten minutes, so after so many rounds somebody else pays. */
const ROUNDS_A_PAYER = 100;

interface Payer {
  /** The same customer at the first replica and at the second. */
  readonly at: readonly [Person, Person];
  readonly from: AccountId;
  readonly euros: AccountId;
  readonly dollars: AccountId;
}

let branch: Branch;
let address: string;
let second: Child;
let books: Books;
let holder: pg.Client;
let payers: Payer[] = [];
beforeAll(async () => {
  branch = await openBranch();
  const port = await freePort();
  address = `http://127.0.0.1:${String(port)}`;
  [second] = await Promise.all([
    startService('second-api', 'api/main.ts', { ...branch.env, PORT: String(port) }),
    branch.startApi(),
  ]);
  await untilReady(address, second);
  const ownerUrl = branch.env['DATABASE_OWNER_URL'] ?? '';
  books = openBooks({ url: branch.env['DATABASE_URL'] ?? '', ownerUrl });
  holder = new pg.Client(ownerUrl);
  await holder.connect();
});
beforeEach(() => {
  payers = [];
});
afterAll(async () => {
  await branch.bank.expectBooksBalanced();
  await holder.end();
  await second.stop();
  await books.close();
  await branch.close();
});

const Problem = z.looseObject({ code: z.string() });
const codeOf = (answer: Answered): string => (answer.status === 201 ? 'executed' : answer.as(Problem).code);

async function payerOf(round: number): Promise<Payer> {
  const known = payers[Math.floor(round / ROUNDS_A_PAYER)];
  if (known !== undefined) return known;
  const person = await branch.bank.customer();
  const payer = {
    at: [person, { ...person, client: apiClient(address) }],
    from: await books.account(person.id),
    euros: await books.account(person.id),
    dollars: await books.account(person.id, 'USD'),
  } as const;
  await books.fund(payer.from, 1_000_000n);
  payers.push(payer);
  return payer;
}

/** What all payers have received on one of their accounts. */
async function received(account: 'euros' | 'dollars'): Promise<bigint> {
  const balances = await Promise.all(payers.map((payer) => books.balance(payer[account])));
  return balances.reduce((sum, { posted }) => sum + posted, 0n);
}

interface Ask {
  readonly payer: Payer;
  readonly replica: 0 | 1;
  readonly to: AccountId;
  readonly key: string;
  readonly stepUp: string;
  /** Milliseconds before it is sent. */
  readonly after?: number;
}

async function ask({ payer, replica, to, key, stepUp, after = 0 }: Ask): Promise<Answered> {
  if (after > 0) await wait(after);
  return branch.bank.transfer(payer.at[replica], { from: payer.from, to, amount: '1.00', key, stepUp });
}

const token = (payer: Payer, to: AccountId) =>
  payer.at[0].stepUp('createTransfer', transferBody({ from: payer.from, to, amount: '1.00' }));

/** Until it says more than that somebody else is at it. */
async function settled(asked: Ask): Promise<Answered> {
  for (;;) {
    const answer = await ask(asked);
    if (answer.status !== 503 && codeOf(answer) !== 'idempotency_in_progress') return answer;
    await wait(20);
  }
}

/** What the books have for a key: its transfer, if money has moved how often, and what the key says. */
async function standing(key: string): Promise<Record<string, unknown> | undefined> {
  const [found] = await books.asOwner(
    `select k.refusal->>'code' as refusal, t.id as transfer,
            (select count(*)::int from ledger_transactions l where l.source_id = k.resource_id) as booked
       from idempotency_keys k left join transfers t on t.id = k.resource_id where k.key = $1`,
    [key],
  );
  return found;
}

/** One round: the first replica prices with a rate that ends, and waits for the account; the second finds no rate. */
async function race(payer: Payer): Promise<'executed' | 'refused'> {
  const { from, dollars: to } = payer;
  const asked = async () => ({ payer, to, key, stepUp: await token(payer, to) });
  const key = newKey();
  const [first, other, third, last] = [await asked(), await asked(), await asked(), await asked()];
  await holder.query('begin');
  await holder.query('select from accounts where id = $1 for update', [from]);
  const held = wait(20 + Math.random() * HELD_MS).then(() => holder.query('commit'));
  await books.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, valid_until, source)
       values (uuidv7(), 'EUR', 'USD', 1.1, 0, clock_timestamp(), clock_timestamp() + $1 * interval '1 ms', 'test')`,
    [RATE_MS],
  );
  const answers = await Promise.all([
    ask({ ...first, replica: 0 }),
    ask({ ...other, replica: 1, after: RATE_MS + Math.random() * 60 }),
    ask({ ...third, replica: 1, after: Math.random() * 150 }),
  ]);
  await held;
  answers.push(await settled({ ...last, replica: 0 }));

  const codes = new Set(answers.map(codeOf));
  codes.delete('idempotency_in_progress');
  codes.delete('unavailable');
  const stands = await standing(key);
  const made = answers.filter(({ status }) => status === 201).map((answer) => answer.as(TransferAnswer).id);
  expect([...codes]).toHaveLength(1);
  if (codes.has('executed')) {
    expect(stands).toEqual({ refusal: null, transfer: made[0], booked: 1 });
    expect(new Set(made).size).toBe(1);
    return 'executed';
  }
  expect([...codes]).toEqual(['rate_unavailable']);
  expect(stands).toEqual({ refusal: 'rate_unavailable', transfer: null, booked: 0 });
  return 'refused';
}

test(
  'a repeat that one replica refuses while the other one books: the key says what has happened, and money moves once',
  async () => {
    const counted = { executed: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) counted[await race(await payerOf(round))] += 1;
    // the window was hit from both sides
    expect(counted.executed).toBeGreaterThan(0);
    expect(counted.refused).toBeGreaterThan(0);
    expect(await received('dollars')).toBe(BigInt(counted.executed) * 110n);
  },
  60_000 + ROUNDS * 2_000,
);

async function deadlocks(): Promise<number> {
  await wait(COUNTED_MS);
  const [found] = await books.asOwner(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(found?.['deadlocks']);
}

test(
  'keys and step-up tokens that cross between two replicas: each pays once, and nothing deadlocks',
  async () => {
    const before = await deadlocks();
    let executed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const payer = await payerOf(round);
      const keys = [newKey(), newKey()] as const;
      const tokens = [await token(payer, payer.euros), await token(payer, payer.euros)] as const;
      const asked = [
        { replica: 0, key: keys[0], stepUp: tokens[0] },
        { replica: 0, key: keys[1], stepUp: tokens[1] },
        { replica: 1, key: keys[1], stepUp: tokens[0] },
        { replica: 1, key: keys[0], stepUp: tokens[1] },
      ] as const;
      const answers = await Promise.all(asked.map((one) => ask({ ...one, payer, to: payer.euros })));
      const codes = answers.map(codeOf);
      for (const code of codes)
        expect(['executed', 'idempotency_in_progress', 'step_up_required', 'unavailable']).toContain(code);
      const stands = (await Promise.all(keys.map(standing))).filter((found) => found !== undefined);
      for (const found of stands) expect(found).toMatchObject({ refusal: null, booked: 1 });
      const made = new Set(
        answers.filter(({ status }) => status === 201).map((a) => a.as(TransferAnswer).id),
      );
      expect(new Set(stands.map(({ transfer }) => transfer))).toEqual(made);
      executed += made.size;
    }
    expect(executed).toBeGreaterThan(0);
    expect(await received('euros')).toBe(BigInt(executed) * 100n);
    expect(await deadlocks()).toBe(before);
  },
  60_000 + ROUNDS * 2_000,
);
