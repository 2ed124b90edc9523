/**
 * What knowing who calls costs: logins against nothing but their Argon2id, and a call that needs a session against one that needs none.
 * And that hashing does not hold up everybody else: the longest delay of the API's event loop while it is full of logins.
 */
import autocannon from 'autocannon';
import { verify } from '@node-rs/argon2';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { z } from 'zod';
import { createPasswords } from '../services/identity/passwords/passwords.ts';
import type { Caller } from './stage/caller.ts';
import { compare, drive, type Comparison, type Sample } from './measure.ts';
import type { Stage } from './stage/stage.ts';

const SECONDS = 5;
const LOGINS_AT_ONCE = 16;
/** So many that nobody logs in twenty times, which is the limit. */
const USERS = 512;
const CONNECTIONS = 32;
const PASSWORD = 'seven quiet otters';
/** Targets: docs/security.md, `Hashing`. */
const LONGEST_DELAY_MILLISECONDS = 50;

export async function benchIdentity(stage: Stage, caller: Caller, rounds: number): Promise<Comparison[]> {
  const people = await makePeople(stage);
  await introduce(stage.api, people);
  let longest = 0;
  const ours = async (): Promise<Sample> => {
    let turn = 0;
    await longestDelay(stage.api);
    const sample = await drive(LOGINS_AT_ONCE, SECONDS, async () => {
      const person = people[turn++ % people.length];
      if (person !== undefined) await logIn(stage.api, person);
    });
    longest = Math.max(longest, await longestDelay(stage.api));
    return sample;
  };
  const hash = people[0]?.hash ?? '';
  const floor = () => drive(availableParallelism(), SECONDS, async () => void (await verify(hash, PASSWORD)));
  const logins = await compare(
    `login, ${LOGINS_AT_ONCE} at once, against bare Argon2id`,
    rounds,
    ours,
    floor,
  );
  const verdict = longest <= LONGEST_DELAY_MILLISECONDS ? 'within' : 'OVER';
  process.stdout.write(
    `event loop delayed by at most ${longest.toFixed(1)} ms meanwhile, ${verdict} ${LONGEST_DELAY_MILLISECONDS}\n`,
  );
  return [logins, await benchSession(stage, caller, rounds)];
}

/** The same handler behind the same frame, with a session and without. */
async function benchSession(stage: Stage, caller: Caller, rounds: number): Promise<Comparison> {
  const port = await stage.nextPort();
  await stage.run('bench/stage/no-op-api.ts', { PORT: String(port) });
  const headers = { authorization: `Bearer ${caller.token}` };
  const open = `http://127.0.0.1:${port}/open`;
  await untilItAnswers(open);
  const ours = () => load(`http://127.0.0.1:${port}/closed`, headers);
  return compare(`no-op with a session, ${CONNECTIONS} connections`, rounds, ours, () => load(open, {}));
}

interface Person {
  readonly email: string;
  readonly address: string;
  readonly hash: string;
  /** What the API calls this person's device; without it each login would be told by mail. */
  deviceToken?: string;
}

/** Each with an address of their own, so that no limit is reached. */
async function makePeople(stage: Stage): Promise<Person[]> {
  const hash = await createPasswords().hash(PASSWORD);
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();
  const people = Array.from({ length: USERS }, (_, index) => ({
    email: `${randomUUID()}@bench.test`,
    address: `10.${index >> 8}.${index & 255}.1`,
    hash,
  }));
  await owner.query(
    `insert into users (email, first_name, last_name, status, password_hash)
     select unnest($1::text[]), 'Bench', 'Mark', 'active', $2`,
    [people.map(({ email }) => email), hash],
  );
  await owner.end();
  return people;
}

/** Their first login, which is told by mail; and time for the mail to be gone. */
async function introduce(api: string, people: Person[]): Promise<void> {
  const waiting = [...people];
  const one = async (): Promise<void> => {
    for (let person = waiting.pop(); person !== undefined; person = waiting.pop()) await logIn(api, person);
  };
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, one));
  await new Promise((resolve) => setTimeout(resolve, 15_000));
}

const Tokens = z.looseObject({ device_token: z.string().optional() });

async function logIn(api: string, person: Person): Promise<void> {
  const answer = await fetch(`${api}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': person.address },
    body: JSON.stringify({
      identifier: person.email,
      password: PASSWORD,
      device_token: person.deviceToken,
    }),
  });
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  const { device_token } = Tokens.parse(await answer.json());
  if (device_token !== undefined) person.deviceToken = device_token;
}

/** Milliseconds since the last asking. */
async function longestDelay(api: string): Promise<number> {
  const text = await (await fetch(`${api}/metrics`)).text();
  const found = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  if (found === undefined) throw new Error('the API does not tell the delay of its event loop');
  return Number(found) * 1_000;
}

async function load(url: string, headers: Record<string, string>): Promise<Sample> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

async function untilItAnswers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}
