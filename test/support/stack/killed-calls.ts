/** Calls that are cut off at an await of the API, which is then killed, and made again with the same keys. */
import { expect } from '@jest/globals';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { insist, type Answered, type ApiClient, type CallOptions, type Method } from '../client.ts';
import type { Branch } from './branch.ts';
import { startService, until, untilReady } from './processes.ts';

/** Starts a part that is to be killed; `stands` hears of whoever is cut off. */
export async function startDoomed(
  branch: Branch,
  script: string,
  more: NodeJS.ProcessEnv,
  stands: (name: string) => void,
): Promise<Child> {
  // what is cut off keeps its place in the pool
  const env = { ...branch.env, DATABASE_POOL_MAX: '200', ...more, DOOMED: script };
  return startService(
    `doomed-${script.replaceAll(/\W/g, '-')}`,
    'test/support/stack/doomed.ts',
    env,
    (line) => {
      const [, name] = /^stands (.+)$/.exec(line) ?? [];
      if (name !== undefined) stands(name);
    },
  );
}

/** A call, which is repeated with the same key and body until it is answered. */
export interface Ask {
  /** The deed, and the await at which it is cut off: `issue 3`. */
  readonly name: string;
  readonly at: number;
  readonly method: Method;
  readonly path: string;
  readonly options: () => Promise<CallOptions>;
}

export const send = async (
  client: ApiClient,
  { method, path, options }: Ask,
  cut: Readonly<Record<string, string>> = {},
): Promise<Answered> => {
  const call = await options();
  return client.call(method, path, { ...call, headers: { ...call.headers, ...cut } });
};

/**
 * Asks, kills the API once each call is answered or cut off, and asks again of another one, with the same keys. `awaits` says of each deed
 * how often it is asked for: more often than it has awaits, so that the last calls are answered before the end.
 */
export async function answersAfterKills(
  branch: Branch,
  client: ApiClient,
  awaits: Readonly<Record<string, number>>,
  prepare: () => Promise<readonly Ask[]>,
): Promise<Map<string, Answered>> {
  const stands = new Set<string>();
  const answered = new Set<string>();
  const doomed = await startDoomed(branch, 'api/main.ts', {}, (name) => stands.add(name));
  await untilReady(branch.api, doomed);
  const asks = await prepare();
  const first = asks.map(async (ask) => {
    await send(client, ask, { 'X-Cut-Off': `${String(ask.at)} ${ask.name}` });
    answered.add(ask.name);
  });
  const ended = Promise.allSettled(first);
  const missing = () => asks.filter(({ name }) => !stands.has(name) && !answered.has(name));
  try {
    await until(
      () => missing().length === 0,
      120,
      20,
      () => missing().map(({ name }) => name),
    );
  } finally {
    await doomed.kill();
  }
  await ended;
  const deeds = Object.entries(awaits);
  for (const [deed, most] of deeds) expect([...answered]).toContain(`${deed} ${String(most)}`);
  expect(stands.size).toBeGreaterThan(deeds.length * 3);
  await branch.startApi();
  const again = asks.map(async (ask) => [ask.name, await insist(() => send(client, ask))] as const);
  return new Map(await Promise.all(again));
}
