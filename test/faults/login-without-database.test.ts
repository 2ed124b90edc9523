/** PostgreSQL is stopped: a login is told so at once, and works again by itself when it is back. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { apiClient } from '../support/client.ts';
import { SOON_MS } from '../support/stack/processes.ts';

const Problem = z.looseObject({ status: z.int(), code: z.string(), request_id: z.string() });

let branch: Branch;
beforeAll(async () => {
  branch = await openBranch({ database: 'server' });
  await branch.startApi();
});
afterAll(async () => branch.close());

const callers: [string, () => [string, object]][] = [
  ['login', () => ['/v1/auth/login', { identifier: 'ann@people.test', password: 'seven quiet otters' }]],
  ['refresh', () => ['/v1/auth/refresh', { refresh_token: 'x'.repeat(43) }]],
  ['forgotten password', () => ['/v1/auth/password/forgot', { email: 'ann@people.test' }]],
];

async function post([path, body]: [string, object]) {
  const begun = performance.now();
  const answer = await apiClient(branch.api).call('POST', path, { body });
  return { answer, milliseconds: performance.now() - begun };
}

test('login, refresh and a forgotten password answer 503 instead of waiting, and recover', async () => {
  const statuses = async () => {
    const answers = await Promise.all(callers.map(([, call]) => post(call())));
    return answers.map(({ answer }) => answer.status);
  };
  expect(await statuses()).toEqual([401, 401, 200]);
  await branch.killDatabase();
  for (let round = 0; round < 3; round += 1) {
    // many at once: each is told in time, none waits behind the others
    const calls = Array.from({ length: 8 }, () => callers.map(([, call]) => post(call()))).flat();
    for (const { answer, milliseconds } of await Promise.all(calls)) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(Problem.parse(answer.body).code).toBe('unavailable');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(milliseconds).toBeLessThan(SOON_MS);
    }
    await sleep(500);
  }
  await branch.startDatabase();
  const deadline = performance.now() + 60_000;
  let last = await statuses();
  while (last.includes(503) && performance.now() < deadline) {
    await sleep(100);
    last = await statuses();
  }
  expect(last).toEqual([401, 401, 200]);
});
