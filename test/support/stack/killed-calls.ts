/** Calls that are cut off at an await of the API, which is then killed, and made again with the same keys. */
import { expect } from '@jest/globals';
import type { Child } from '../../../tools/devstack/process/child.ts';
import {
  insist,
  patiently,
  type Answered,
  type ApiClient,
  type CallOptions,
  type Method,
} from '../client.ts';
import type { Branch } from './branch.ts';
import { startService, until, untilReady } from './processes.ts';

interface Heard {
  /** Cut off, or answered because it had fewer awaits than that. */
  readonly what: 'stands' | 'answered';
  readonly name: string;
  /** How many it had, if it was answered. */
  readonly awaits: number;
}

/** Starts a part that is to be killed; `hear` is told of whoever is cut off or answered. */
export async function startDoomed(
  branch: Branch,
  script: string,
  more: NodeJS.ProcessEnv,
  hear: (heard: Heard) => void,
): Promise<Child> {
  // what is cut off keeps its place in the pool
  const env = { ...branch.env, DATABASE_POOL_MAX: '200', ...more, DOOMED: script };
  return startService(
    `doomed-${script.replaceAll(/\W/g, '-')}`,
    'test/support/stack/doomed.ts',
    env,
    (line) => {
      const [, stands, answered, awaits] = /^(?:stands (.+)|answered (.+) after (\d+))$/.exec(line) ?? [];
      if (stands !== undefined) hear({ what: 'stands', name: stands, awaits: 0 });
      else if (answered !== undefined) hear({ what: 'answered', name: answered, awaits: Number(awaits) });
    },
  );
}

/** A call, which is repeated with the same key and body until it is answered. */
export interface Ask {
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

/** The answer that a call had in the end, and the await at which it had been cut off. */
export interface Told<Deed extends string> {
  readonly deed: Deed;
  readonly at: number;
  readonly answer: Answered;
}

/** More than any call has. */
const NEVER = 1_000;
/** Calls beside each other may have some awaits more than one alone. */
const SPARE = 4;

interface FirstCall<Deed extends string> {
  readonly deed: Deed;
  readonly at: number;
  readonly name: string;
  readonly ask: Ask;
}

/**
 * Counts the awaits of a call of each deed. Then makes as many calls and some more, cuts each off at another await, and kills the API once
 * all are answered or cut off. Makes all calls again of another one, with the same keys.
 */
export async function answersAfterKills<Deed extends string>(
  branch: Branch,
  client: ApiClient,
  deeds: readonly Deed[],
  prepare: (deed: Deed) => Promise<Ask>,
): Promise<Told<Deed>[]> {
  const heard = new Map<string, Heard>();
  const doomed = await startDoomed(branch, 'api/main.ts', {}, (call) => heard.set(call.name, call));
  const prepared = async (deed: Deed, at: number): Promise<FirstCall<Deed>> => {
    return { deed, at, name: `${deed} ${String(at)}`, ask: await prepare(deed) };
  };
  const whole: FirstCall<Deed>[] = [];
  let cut: FirstCall<Deed>[];
  try {
    await untilReady(branch.api, doomed);
    whole.push(...(await Promise.all(deeds.map((deed) => prepared(deed, NEVER)))));
    await Promise.all(whole.map((call) => firstCall(client, call, heard)));
    const wanted = whole.flatMap(({ deed, name }) => {
      const awaits = (heard.get(name)?.awaits ?? 0) + SPARE;
      return Array.from({ length: awaits }, (_, place) => prepared(deed, place + 1));
    });
    // nothing is prepared beside calls that were cut off
    cut = await Promise.all(wanted);
    await Promise.all(cut.map((call) => firstCall(client, call, heard)));
  } finally {
    await doomed.kill();
  }
  expectAllAwaits(deeds, cut, heard);
  await branch.startApi();
  const again = [...whole, ...cut].map(async ({ deed, at, ask }) => {
    return { deed, at, answer: await insist(() => send(client, ask)) };
  });
  return Promise.all(again);
}

/** Until the call is cut off, or answered as its person wished: a 503 would hide the awaits behind it. */
async function firstCall(
  client: ApiClient,
  { at, name, ask }: FirstCall<string>,
  heard: ReadonlyMap<string, Heard>,
): Promise<void> {
  // nobody answers what is cut off
  const cut = { 'X-Cut-Off': `${String(at)} ${name}` };
  void patiently(() => send(client, ask, cut)).catch(() => undefined);
  await until(
    () => heard.has(name),
    120,
    20,
    () => name,
  );
}

/** Some of the last calls were answered, so that none of the awaits was left out. */
function expectAllAwaits<Deed extends string>(
  deeds: readonly Deed[],
  cut: readonly FirstCall<Deed>[],
  heard: ReadonlyMap<string, Heard>,
): void {
  const count = (deed: Deed, what: Heard['what']): number =>
    cut.filter((call) => call.deed === deed && heard.get(call.name)?.what === what).length;
  for (const deed of deeds) {
    const found = { deed, isWhole: count(deed, 'answered') > 0, isCut: count(deed, 'stands') > 0 };
    expect(found).toEqual({ deed, isWhole: true, isCut: true });
  }
  const stands = deeds.reduce((sum, deed) => sum + count(deed, 'stands'), 0);
  expect(stands).toBeGreaterThan(deeds.length * 3);
}
