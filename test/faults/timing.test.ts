/**
 * The time of an answer does not tell who is registered. Measured with nothing beside it, in turns: the medians of login, registration
 * and a forgotten password differ by less than 5 % between known and unknown.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPasswords } from '../../services/identity/passwords/passwords.ts';
import { apiClient, type ApiClient } from '../support/client.ts';
import { registration, stranger, type Stranger } from '../support/bank/people.ts';
import { openVault, type Vault } from '../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

/**
 * Few tries show a difference that matters (a hash left out halves the time). If they are in doubt, as on a machine that was disturbed
 * for a while, more follow; a difference that is really there is there each time.
 */
const TRIES = [40, 100, 200, 200];
const WARM_UP = 10;
const MOST = 0.05;
/** A difference that nobody can use over a network, whatever share of a short answer it is. */
const NOTICEABLE_MILLISECONDS = 0.25;

type Call = (who: Stranger, client: ApiClient) => Promise<{ readonly status: number }>;

async function timed(call: Call, who: Stranger, status: number): Promise<number> {
  // from an address nobody has called from, so that no throttle tells anything
  const client = apiClient();
  const begun = performance.now();
  const answer = await call(who, client);
  const taken = performance.now() - begun;
  expect(answer.status).toBe(status);
  return taken;
}

/** Medians in milliseconds of known and unknown, called in turns and in changing order. */
async function medians(
  call: Call,
  owners: readonly Stranger[],
  status: number,
  tries: number,
): Promise<[number, number]> {
  const known: number[] = [];
  const unknown: number[] = [];
  for (let turn = -WARM_UP; turn < tries; turn += 1) {
    const owner = owners[(turn + WARM_UP) % owners.length] ?? stranger();
    const once = [
      async () => known.push(await timed(call, owner, status)),
      async () => unknown.push(await timed(call, stranger(), status)),
    ];
    for (const one of turn % 2 === 0 ? once : once.reverse()) await one();
    if (turn < 0) known.length = unknown.length = 0;
  }
  return [median(known), median(unknown)];
}

/** Enough of them that no limit on one address is reached; put into the database: nobody has to wait for their mail. */
async function owners(count: number): Promise<Stranger[]> {
  const made = Array.from({ length: count }, () => stranger());
  await vault.sql(
    `insert into users (email, first_name, last_name, status, password_hash)
     select unnest($1::text[]), 'Ines', 'Kowalczyk', 'active', $2`,
    [made.map(({ email }) => email), await createPasswords().hash(made[0]?.password ?? '')],
  );
  return made;
}

const PASSWORD = 'nobody has this one';
const calls: [string, number, number, Call][] = [
  [
    'login with a wrong password',
    10,
    401,
    (who, client) =>
      client.call('POST', '/v1/auth/login', { body: { identifier: who.email, password: PASSWORD } }),
  ],
  [
    'registration',
    72,
    201,
    (who, client) => client.call('POST', '/v1/auth/register', { body: registration(who) }),
  ],
  [
    'forgotten password',
    20,
    200,
    (who, client) => client.call('POST', '/v1/auth/password/forgot', { body: { email: who.email } }),
  ],
];

test.each(calls)(
  '%s takes the same time for known and unknown',
  async (_name, people, status, call) => {
    let seen: { tries: number; known: number; unknown: number; share: number }[] = [];
    for (const tries of TRIES) {
      const [known, unknown] = await medians(call, await owners(people), status, tries);
      const difference = Math.abs(known - unknown);
      const share = difference / Math.min(known, unknown);
      seen = [...seen, { tries, known, unknown, share }];
      if (share < MOST || difference < NOTICEABLE_MILLISECONDS) return;
    }
    throw new Error(`the time tells: ${JSON.stringify(seen)}`);
  },
  600_000,
);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
