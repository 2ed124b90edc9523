/** Webhooks of the custodian while Temporal is away, beside a bare route that verifies the same signature and inserts the raw body. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { compare, drive, type Comparison } from './measure.ts';
import type { Stage } from './stage/stage.ts';

const CALLERS = [1, 16];
const SECONDS = 4;
/** Signing costs more than what is measured, so it is done before; more than are sent in a round. */
const SIGNED = { 1: 4_000, 16: 9_000 } as Readonly<Record<number, number>>;
const COPIES = 100;

interface Signed {
  readonly body: string;
  readonly headers: Record<string, string>;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const HEAD = Buffer.from('{"alg":"RS512","kid":"bench"}').toString('base64url');

function signedEvent(): Signed {
  const resourceId = randomUUID();
  const data = { id: resourceId, status: 'CONFIRMING', note: 'x'.repeat(1_500) };
  const more = { workspaceId: randomUUID(), createdAt: 1_795_241_200_123, data };
  const event = { id: randomUUID(), resourceId, eventType: 'transaction.status.updated', ...more };
  const body = JSON.stringify(event);
  const input = Buffer.from(`${HEAD}.${Buffer.from(body).toString('base64url')}`);
  const signature = sign('sha512', input, privateKey).toString('base64url');
  const headers = { 'Fireblocks-Webhook-Signature': `${HEAD}..${signature}` };
  return { body, headers: { 'Content-Type': 'application/json', ...headers } };
}

async function post(url: string, { body, headers }: Signed): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body, headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} answered ${String(answer.status)}`);
}

export async function benchWebhooks(stage: Stage, rounds: number): Promise<Comparison[]> {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS512' };
  const jwks = createServer((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys: [jwk] })),
  );
  const [jwksPort, barePort] = [await stage.nextPort(), await stage.nextPort()];
  await new Promise<void>((resolve) => void jwks.listen(jwksPort, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String(jwksPort)}/`;
  // production reads keys over TLS only
  const settings = { NODE_ENV: 'test', TEMPORAL_ADDRESS: '127.0.0.1:1', CUSTODIAN_JWKS_URL: url };
  const { api, ownerUrl } = await stage.beside('webhooks', settings);
  const owner = new pg.Client(ownerUrl);
  owner.on('error', () => undefined);
  await owner.connect();
  await owner.query(
    'create table bench_webhooks (id uuid primary key default uuidv7(), body bytea, at timestamptz default now())',
  );
  const bare = { BARE_PORT: String(barePort), BARE_DATABASE_URL: ownerUrl, BARE_JWKS_URL: url };
  await stage.run('bench/stage/bare-webhooks.ts', bare);
  const door = `${api}/v1/crypto/webhooks/custodian`;
  const floor = `http://127.0.0.1:${String(barePort)}/`;

  await untilItTakes(floor);
  const results: Comparison[] = [];
  for (const callers of CALLERS) {
    const round = (to: string) => {
      const ready = Array.from({ length: SIGNED[callers] ?? 0 }, signedEvent);
      return drive(callers, SECONDS, () => post(to, ready.pop() ?? signedEvent()));
    };
    const name = `take a webhook / verify and insert, ${String(callers)} callers`;
    await drive(callers, 1, () => post(floor, signedEvent()));
    await drive(callers, 1, () => post(door, signedEvent()));
    results.push(
      await compare(
        name,
        rounds,
        () => round(door),
        () => round(floor),
      ),
    );
  }
  await reportCopies(owner, door);
  jwks.close();
  await owner.end();
  return results;
}

async function untilItTakes(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await post(url, signedEvent()).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await sleep(100);
  }
  throw new Error(`${url} does not answer`);
}

/** One event that comes a hundred times at once. */
async function reportCopies(owner: pg.Client, door: string): Promise<void> {
  const event = signedEvent();
  await Promise.all(Array.from({ length: COPIES }, () => post(door, event)));
  const { rowCount } = await owner.query('select from custody_events where body = $1', [
    Buffer.from(event.body),
  ]);
  process.stdout.write(`webhooks: ${String(COPIES)} copies of one event left ${String(rowCount)} row\n`);
}
