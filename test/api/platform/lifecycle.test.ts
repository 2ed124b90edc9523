/** How the API starts, says whether it can work, and stops. */
import { afterAll, expect, test } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { operations as platform } from '../../../api/platform/operations.ts';
import { apiClient } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { stack } from '../../support/stack/stack.ts';
import { freePort, isUp, SOON_MS, startService, until } from '../../support/stack/processes.ts';

const worlds: FrameWorld[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const allUp = { database: 'ok', temporal: 'ok', storage: 'ok', mail: 'ok' } as const;
const Checked = z.looseObject({ checks: z.record(z.string(), z.string()) });
const Ready = Checked.extend({ status: z.string() });

test('it is ready while all its parts answer', async () => {
  // a part that takes longer than the check waits for it, as on a busy machine, is asked again
  await until(async () => {
    const answer = (await apiClient().call('GET', '/ready')).as(Ready);
    return answer.status === 'ok' && isDeepStrictEqual(answer.checks, allUp);
  });
});

/** Accepted by nobody: connecting hangs (RFC 5737 addresses are not routed). */
const NOWHERE = '192.0.2.1';

test('it serves without Temporal, store and mail, and names them quickly', async () => {
  const world = await serve(platform, {
    TEMPORAL_ADDRESS: `127.0.0.1:${String(await freePort())}`,
    S3_ENDPOINT: `http://${NOWHERE}:9000`,
    SMTP_URL: `smtp://${NOWHERE}:25`,
  });
  worlds.push(world);
  // the first connection of a fresh pool may take longer than the check waits for it
  await until(async () => (await world.call('GET', '/ready')).as(Checked).checks['database'] === 'ok');
  const begun = performance.now();
  const degraded = { ...allUp, temporal: 'down', storage: 'down', mail: 'down' };
  await until(async () => {
    const answer = await world.call('GET', '/ready');
    expect(answer.status).toBe(200);
    const { status, checks } = answer.as(Ready);
    return status === 'degraded' && isDeepStrictEqual(checks, degraded);
  });
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  const alerts = (part: string) =>
    world
      .log()
      .split('\n')
      .filter((line) => line.includes('"alert":"part_away"') && line.includes(`"part":"${part}"`));
  for (const part of ['temporal', 'storage', 'mail']) await until(() => alerts(part).length === 1);
});

test('without its database it is not ready, and stays alive', async () => {
  const world = await serve(platform, {
    DATABASE_URL: `postgresql://teller_app:x@127.0.0.1:${String(await freePort())}/teller`,
  });
  worlds.push(world);
  await until(async () => {
    const answer = await world.call('GET', '/ready');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).not.toBeNull();
    expect(answer.body).toMatchObject({ code: 'unavailable', stopping: false });
    return isDeepStrictEqual(answer.as(Checked).checks, { ...allUp, database: 'down' });
  });
  expect((await world.call('GET', '/health')).body).toEqual({ status: 'ok' });
});

test('told to stop, it first says that it is not ready and still answers, and then ends', async () => {
  const port = await freePort();
  const api = `http://127.0.0.1:${String(port)}`;
  const env = { PORT: String(port), STOP_DELAY_SECONDS: '10' };
  const child = await startService('leaving-api', 'api/main.ts', env);
  await until(() => isUp(api));
  const begun = performance.now();
  const stopped = child.stop();
  await until(async () => (await fetch(`${api}/ready`)).status === 503);
  await until(async () => {
    const answer = await apiClient(api).call('GET', '/ready');
    expect(answer.body).toMatchObject({ code: 'unavailable', stopping: true });
    return isDeepStrictEqual(answer.as(Checked).checks, allUp);
  });
  // a new connection, as of a load balancer that has not noticed yet
  expect((await fetch(`${api}/health`, { headers: { connection: 'close' } })).status).toBe(200);
  await stopped;
  expect(performance.now() - begun).toBeGreaterThan(10_000);
  expect(await child.ended).toBe(0);
});

test('told to stop under load, it answers every call it has taken and ends at once', async () => {
  const port = await freePort();
  const api = `http://127.0.0.1:${String(port)}`;
  const child = await startService('stopped-api', 'api/main.ts', { PORT: String(port) });
  await until(() => isUp(api));
  const statuses: number[] = [];
  const faults: string[] = [];
  const caller = async (): Promise<void> => {
    while (!child.hasEnded()) {
      try {
        const answer = await fetch(`${api}/health`);
        await answer.text();
        statuses.push(answer.status);
      } catch (error) {
        // a new connection is refused from now on, which a client can tell from a call that was lost
        faults.push(codeOf(error));
        if (codeOf(error) === 'ECONNREFUSED') return;
      }
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, caller));
  await until(() => statuses.length > 100);
  const begun = performance.now();
  await child.stop();
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  expect(await child.ended).toBe(0);
  await callers;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(new Set(faults)).toEqual(new Set(['ECONNREFUSED']));
});

test.each([
  [{ DATABASE_URL: 'not an address' }, 'DATABASE_URL'],
  [{ PORT: '70000' }, 'PORT'],
  [{ ENCRYPTION_KEYS: '' }, 'ENCRYPTION_KEYS'],
])('with %j it does not start, and says which variable is wrong', async (env, name) => {
  const lines: string[] = [];
  const child = await startService('misconfigured-api', 'api/main.ts', env, (line) => lines.push(line));
  expect(await child.ended).toBe(1);
  expect(lines.join('\n')).toContain(`  ${name}: `);
  expect(lines.join('\n')).not.toMatch(/ {4}at /);
});

test('a port that is taken is named', async () => {
  const { port } = new URL(stack.api);
  const lines: string[] = [];
  const child = await startService('second-api', 'api/main.ts', { PORT: port }, (line) => lines.push(line));
  expect(await child.ended).toBe(1);
  expect(lines.join('\n')).toContain(`PORT: 127.0.0.1:${port} cannot be used`);
});

function codeOf(error: unknown): string {
  const cause: unknown =
    typeof error === 'object' && error !== null && 'cause' in error ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : String(error);
}
