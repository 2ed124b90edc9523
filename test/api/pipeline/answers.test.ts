/** What goes out: held to its declaration, and nothing of the inside. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { type Operation, forAnybody } from '../../../api/declaration/operation.ts';
import { rows } from '../../support/stack/sql.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { apiClient, newAddress, newKey } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { until } from '../../support/stack/processes.ts';

const SECRET = 'hunter2-and-more';
const Said = named(
  'TestAnswer',
  z.strictObject({ said: z.string(), inner: z.strictObject({ a: z.int() }).optional() }),
);

/** An operation whose handler does just this. */
function doing(
  id: string,
  handle: (db: Parameters<typeof rows>[0]) => Promise<unknown>,
  extra: Partial<Operation> = {},
): Operation {
  const declared = forAnybody({
    id,
    area: 'Test',
    title: 'Answer',
    description: 'For tests.',
    method: 'POST',
    idempotency: 'none',
    path: `/${id}`,
    effect: 'transaction',
    status: 200,
    answer: Said,
    refuses: ['insufficient_funds'],
    // a handler that breaks its promise does not compile; here it shall be caught running
    handle: ({ db }) => handle(db) as Promise<{ said: string }>,
  });
  return { ...declared, ...extra };
}

/** Whether the next call of `forgives` succeeds. */
let succeeds = true;

const operations = [
  doing('throws', () => Promise.reject(new Error(SECRET))),
  doing('breaksSql', (db) => rows(db, `select '${SECRET}' from nowhere`)),
  doing('breaksConstraint', (db) =>
    rows(
      db,
      `insert into audit_log (actor_role, action, subject_type, subject_id) values ('${SECRET}', '', '', '')`,
    ),
  ),
  doing('says', () => Promise.resolve({ said: 'yes' })),
  doing('saysTooMuch', () =>
    Promise.resolve({ said: 'yes', password_hash: SECRET, inner: { a: 1, b: SECRET } }),
  ),
  doing('saysOtherwise', () => Promise.resolve({ said: 5 })),
  doing('refusesUndeclared', () => Promise.reject(new Refusal('account_closed'))),
  doing('refusesLater', () => Promise.reject(new Refusal('too_many_requests', { retryAfter: 7 })), {
    refuses: ['too_many_requests'],
  }),
  doing('isThrottled', () => Promise.resolve({ said: 'yes' }), { throttle: { points: 3, seconds: 60 } }),
  doing(
    'forgives',
    () => (succeeds ? Promise.resolve({ said: 'yes' }) : Promise.reject(new Refusal('insufficient_funds'))),
    { throttle: { points: 3, seconds: 60, counts: 'failures' } },
  ),
  ...[['oneWay', 'a', 'b'] as const, ['otherWay', 'b', 'a'] as const].map(([id, first, second]) =>
    doing(id, async (db) => {
      const lock = (name: string) =>
        rows(db, 'select pg_advisory_xact_lock(hashtextextended($1, 1))', [`test ${name}`]);
      await lock(first);
      await wait(300);
      await lock(second);
      return { said: id };
    }),
  ),
];

const worlds: FrameWorld[] = [];
async function serving(...given: Parameters<typeof serve>): Promise<FrameWorld> {
  const made = await serve(...given);
  worlds.push(made);
  return made;
}

let world: FrameWorld;
beforeAll(async () => {
  world = await serving(operations);
});
afterAll(() => Promise.all(worlds.map((one) => one.close())));

/** The lines of the log that name this request: the one of its access is written once the answer has gone out. */
async function linesAbout(requestId: string, count: number): Promise<string[]> {
  const lines = () =>
    world
      .log()
      .split('\n')
      .filter((line) => line.includes(requestId));
  await until(() => lines().length >= count);
  expect(lines()).toHaveLength(count);
  return lines();
}

test.each(['throws', 'breaksSql', 'breaksConstraint', 'saysTooMuch', 'saysOtherwise', 'refusesUndeclared'])(
  '%s: a fault of ours is answered with a request id and nothing else, and logged without values',
  async (id) => {
    const requestId = newKey();
    const answer = await world.call('POST', `/${id}`, { headers: { 'X-Request-Id': requestId } });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: expect.stringMatching(/\/docs\/errors#internal_error$/),
      ...{
        title: 'Internal error',
        status: 500,
        code: 'internal_error',
        request_id: requestId,
        instance: `/${id}`,
      },
      detail: 'A fault of the service.',
    });
    const lines = await linesAbout(requestId, 2);
    if (id !== 'throws') expect(lines.join()).not.toContain(SECRET);
  },
);

test('in production an undeclared field is left out, and the line in the log names it without its value', async () => {
  const production = await serving(
    [operations[4]].flatMap((one) => one ?? []),
    { NODE_ENV: 'production' },
  );
  const answer = await production.call('POST', '/saysTooMuch');
  expect(answer.body).toEqual({ said: 'yes', inner: { a: 1 } });
  expect(production.log()).toMatch(/password_hash/);
  expect(production.log()).not.toContain(SECRET);
});

test('two transactions in each other’s way: one waits and is tried again, no caller hears of it', async () => {
  const answers = await Promise.all([world.call('POST', '/oneWay'), world.call('POST', '/otherWay')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test('without its database an operation is refused as unavailable, and says when to come again', async () => {
  const away = await serving(operations, { DATABASE_URL: 'postgresql://nobody:nothing@127.0.0.1:1/none' });
  const answer = await away.call('POST', '/says');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('2');
  expect(answer.body).toMatchObject({ code: 'unavailable' });
  // attempts that cannot be counted are not let through
  expect((await away.call('POST', '/isThrottled')).status).toBe(503);
});

test('a throttled operation counts by network address, and tells how long to wait', async () => {
  const network = newAddress().replace(/::1$/, '');
  const calls = [1, 2, 3, 4].map((host) => apiClient(world.base, `${network}::${String(host)}`));
  const statuses: number[] = [];
  for (const client of calls) statuses.push((await client.call('POST', '/isThrottled')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await calls[0]?.call('POST', '/isThrottled');
  expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(50);
  expect((await apiClient(world.base).call('POST', '/isThrottled')).status).toBe(200);
});

test('where only failures count, an office full of honest people is not shut out, and guesses are', async () => {
  const client = apiClient(world.base);
  const call = async (): Promise<number> => (await client.call('POST', '/forgives')).status;
  for (let n = 0; n < 6; n += 1) expect(await call()).toBe(200);
  succeeds = false;
  expect([await call(), await call(), await call(), await call()]).toEqual([409, 409, 409, 429]);
  succeeds = true;
  expect(await call()).toBe(429);
});

test('behind two proxies the address before the last counts, and what is none counts as that of the proxy', async () => {
  const { call } = await serving(operations, { TRUST_PROXY: 2 });
  const address = newAddress();
  const from = async (...entries: string[]): Promise<number> =>
    (await call('POST', '/isThrottled', { headers: { 'X-Forwarded-For': entries.join(', ') } })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push(await from(newAddress(), address, newAddress()));
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await from(newAddress(), newAddress(), address)).toBe(200);
  expect(await from(`[${address}]:5678`, newAddress())).toBe(429);
  expect([await from('evil', address), await from('1.2.3', address), await from('x:y', address)]).toEqual([
    ...[200, 200, 200],
  ]);
  expect(await from('9'.repeat(500), address)).toBe(429);
});

test('behind our proxy a caller cannot choose the address it is counted by', async () => {
  const address = newAddress();
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    const headers = { 'X-Forwarded-For': `${newAddress()}, ${address}` };
    statuses.push((await world.call('POST', '/isThrottled', { headers })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('replicas count together, and the table holds no address in clear', async () => {
  const replica = await serving(operations);
  const address = newAddress();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      apiClient(n % 2 === 0 ? world.base : replica.base, address).call('POST', '/isThrottled'),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const keys = await world.sql<{ key: string }>('select key from throttles');
  expect(JSON.stringify(keys)).not.toContain(address.slice(0, 15));
});

test('a request id is taken over where it is well formed, else made', async () => {
  const given = await world.call('POST', '/says', { headers: { 'X-Request-Id': 'abc-123_XYZ' } });
  expect(given.headers.get('X-Request-Id')).toBe('abc-123_XYZ');
  const made = await world.call('POST', '/says', { headers: { 'X-Request-Id': 'a b"c' } });
  expect(made.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
});

test('every answer forbids keeping and framing it', async () => {
  for (const path of ['/says', '/throws', '/nowhere']) {
    const { headers } = await world.call('POST', path);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  }
});

test('browsers may call from the configured origins and from no other', async () => {
  const server = await serving(operations, { CORS_ORIGINS: ['https://app.example'] });
  const ask = (origin: string) =>
    server.call('OPTIONS', '/says', { headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } });
  expect((await ask('https://app.example')).headers.get('Access-Control-Allow-Origin')).toBe(
    'https://app.example',
  );
  expect((await ask('https://evil.example')).headers.get('Access-Control-Allow-Origin')).toBeNull();
  const refused = await server.call('POST', '/throws', { headers: { Origin: 'https://app.example' } });
  expect(refused.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
  expect(
    (await world.call('POST', '/says', { headers: { Origin: 'https://app.example' } })).headers.get(
      'Access-Control-Allow-Origin',
    ),
  ).toBeNull();
});

test('the log has one line a call, without query, body or token', async () => {
  const id = newKey();
  await world.call('POST', '/says', {
    query: { email: SECRET },
    token: SECRET,
    stepUp: SECRET,
    headers: { 'X-Request-Id': id, Cookie: SECRET },
  });
  const lines = await linesAbout(id, 1);
  expect(lines[0]).not.toContain(SECRET);
});

test('metrics tell each operation’s latency to this machine, and to nobody through a proxy', async () => {
  const text = await (await fetch(`${world.base}/metrics`)).text();
  expect(text).toMatch(/teller_operation_seconds_count\{operation="says",status="200"\} \d+/);
  expect(text).toMatch(/teller_database_connections\{state="open"\} \d+/);
  expect((await world.call('GET', '/metrics')).status).toBe(404);
});
