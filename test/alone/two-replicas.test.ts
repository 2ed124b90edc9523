/**
 * Two replicas of the API are asked the same at the same moment, while the books are held up: a key that says refused has moved no
 * money, a key books once, and keys and step-up tokens that cross never deadlock. `ROUNDS` sets how often each is tried.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { TransferAnswer } from '../support/bank/bank.ts';
import { newKey, type Answered } from '../support/client.ts';
import { codeOf, openReplicas, type Payer, type Replicas } from '../support/stack/replicas.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 25);
const TIME_LIMIT_MS = 120_000 + ROUNDS * 6_000;
/** An access token lives ten minutes, so after so many rounds somebody else pays. */
const ROUNDS_A_PAYER = 100;
/** How long the quote of the first round lives, and how long the payer's account is held at most, in milliseconds. */
const QUOTE_MS = 60;
/** By how much it lives longer in the round after one that was refused, and shorter after one that was executed: so both come about. */
const STEP = 1.5;
const [LEAST_MS, MOST_MS] = [10, 5_000];
const HELD_MS = 150;
/** Longer than PostgreSQL keeps what a session has counted to itself. */
const COUNTED_MS = 1_500;

let replicas: Replicas;
let holder: pg.Client;
beforeAll(async () => {
  replicas = await openReplicas();
  holder = new pg.Client(replicas.ownerUrl);
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await replicas.close();
});

/** Plays so many rounds. Returns who has paid in them. */
async function rounds(play: (payer: Payer) => Promise<void>): Promise<Payer[]> {
  const payers: Payer[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round % ROUNDS_A_PAYER === 0) payers.push(await replicas.payer());
    const payer = payers.at(-1);
    if (payer !== undefined) await play(payer);
  }
  return payers;
}

/** What all of them have received. */
async function received(payers: readonly Payer[]): Promise<bigint> {
  const balances = await Promise.all(payers.map(({ to }) => replicas.books.balance(to)));
  return balances.reduce((sum, { posted }) => sum + posted, 0n);
}

const madeBy = (answers: readonly Answered[]): string[] =>
  answers.filter(({ status }) => status === 201).map((answer) => answer.as(TransferAnswer).id);

/** The first replica takes a quote that ends, and waits for the account; the second one finds the quote over. */
async function race(payer: Payer, lives: number): Promise<'executed' | 'refused'> {
  const { ask, books, quote, settled, standing, token } = replicas;
  const [key, quoteId] = [newKey(), await quote(payer)];
  const asked = async () => ({ payer, quoteId, key, stepUp: await token(payer, quoteId) });
  const [first, other, third, last] = [await asked(), await asked(), await asked(), await asked()];
  await holder.query('begin');
  await holder.query('select from accounts where id = $1 for update', [payer.from]);
  const held = wait(20 + Math.random() * HELD_MS).then(() => holder.query('commit'));
  await books.asOwner(
    `update transfer_quotes set expires_at = clock_timestamp() + $2 * interval '1 ms' where id = $1`,
    [quoteId, lives],
  );
  const answers = await Promise.all([
    ask({ ...first, replica: 0 }),
    ask({ ...other, replica: 1, after: lives + Math.random() * 60 }),
    ask({ ...third, replica: 1, after: Math.random() * 150 }),
  ]);
  await held;
  answers.push(await settled({ ...last, replica: 0 }));

  const codes = new Set(answers.map(codeOf));
  codes.delete('idempotency_in_progress');
  codes.delete('unavailable');
  const [made, ...others] = new Set(madeBy(answers));
  expect([...codes]).toHaveLength(1);
  expect(others).toEqual([]);
  if (codes.has('executed')) {
    expect(await standing(key)).toEqual({ refusal: null, transfer: made, booked: 1 });
    return 'executed';
  }
  expect([...codes]).toEqual(['quote_unusable']);
  expect(await standing(key)).toEqual({ refusal: 'quote_unusable', transfer: null, booked: 0 });
  return 'refused';
}

test(
  'a repeat that one replica refuses while the other one books: the key says what has happened, and money moves once',
  async () => {
    const counted = { executed: 0, refused: 0 };
    let lives = QUOTE_MS;
    const payers = await rounds(async (payer) => {
      const outcome = await race(payer, lives);
      counted[outcome] += 1;
      const next = outcome === 'refused' ? lives * STEP : lives / STEP;
      lives = Math.min(Math.max(next, LEAST_MS), MOST_MS);
    });
    // the window was hit from both sides
    expect(counted.executed).toBeGreaterThan(0);
    expect(counted.refused).toBeGreaterThan(0);
    expect(await received(payers)).toBe(BigInt(counted.executed) * 100n);
  },
  TIME_LIMIT_MS,
);

async function deadlocks(): Promise<number> {
  await wait(COUNTED_MS);
  const [found] = await replicas.books.asOwner(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(found?.['deadlocks']);
}

test(
  'keys and step-up tokens that cross between two replicas: each pays once, and nothing deadlocks',
  async () => {
    const before = await deadlocks();
    let executed = 0;
    const payers = await rounds(async (payer) => {
      const keys = [newKey(), newKey()] as const;
      const tokens = [await replicas.token(payer), await replicas.token(payer)] as const;
      const asked = [
        { replica: 0, key: keys[0], stepUp: tokens[0] },
        { replica: 0, key: keys[1], stepUp: tokens[1] },
        { replica: 1, key: keys[1], stepUp: tokens[0] },
        { replica: 1, key: keys[0], stepUp: tokens[1] },
      ] as const;
      const answers = await Promise.all(asked.map((one) => replicas.ask({ ...one, payer })));
      for (const code of answers.map(codeOf))
        expect(['executed', 'idempotency_in_progress', 'step_up_required', 'unavailable']).toContain(code);
      const stands = (await Promise.all(keys.map(replicas.standing))).filter((found) => found !== undefined);
      for (const found of stands) expect(found).toMatchObject({ refusal: null, booked: 1 });
      const made = new Set(madeBy(answers));
      expect(new Set(stands.map(({ transfer }) => transfer))).toEqual(made);
      executed += made.size;
    });
    expect(executed).toBeGreaterThan(0);
    expect(await received(payers)).toBe(BigInt(executed) * 100n);
    expect(await deadlocks()).toBe(before);
  },
  TIME_LIMIT_MS,
);
