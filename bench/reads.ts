/** `GET /v1/accounts` against a bare Koa route that runs the same SQL. */
import autocannon from 'autocannon';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import type { Caller } from './stage/caller.ts';
import { compare, type Comparison, type Sample } from './measure.ts';
import type { Stage } from './stage/stage.ts';

const CONNECTIONS = 32;
const SECONDS = 5;

/** Both as processes of their own, loaded in turn from this one. */
export async function benchReads(stage: Stage, caller: Caller, rounds: number): Promise<Comparison[]> {
  const port = await stage.nextPort();
  await stage.run('bench/stage/bare-route.ts', { BARE_PORT: String(port) });
  const bare = `http://127.0.0.1:${port}/`;
  const owner = { 'x-owner': decodeJwt(caller.token).sub ?? '' };
  await untilItAnswers(bare, owner);
  const ours = () => load(`${stage.api}/v1/accounts`, { authorization: `Bearer ${caller.token}` });
  const floor = () => load(bare, owner);
  return [await compare(`GET /v1/accounts, ${CONNECTIONS} connections`, rounds, ours, floor)];
}

async function load(url: string, headers: Record<string, string>): Promise<Sample> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

async function untilItAnswers(url: string, headers: Record<string, string>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url, { headers }).catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(100);
  }
  throw new Error(`${url} does not answer`);
}
