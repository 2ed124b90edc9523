/** Each part stops in turn: what probes, metrics and logs of API and worker say is what the handbook says. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createCipher } from '../../adapters/cipher.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { ROOT } from '../../dev/service/process.ts';
import { notify } from '../../services/notifications/events.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import { metricsNamed, namesIn, sampleIn } from '../support/metrics.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { freePort, startService, until, untilPolling } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const handbook = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');

/** The handbook's table: which part is away, and what API and worker answer to `/ready`. */
const rows = [
  ...handbook.matchAll(
    /^\| `(database|temporal|storage|mail)` +\| (\d+) `(\w+)` +\| (\d+) `(\w+)` +\| `(.+?)` +\|/gm,
  ),
].map(([, part = '', ofApi, api, ofWorker, worker, metric = '']) => ({
  part,
  api: { status: Number(ofApi), says: api },
  worker: { status: Number(ofWorker), says: worker },
  metric,
}));

let branch: Branch;
const gates: Partial<Record<string, Gate>> = {};
let env: NodeJS.ProcessEnv;
let worker: Child;
let api: Child;
const said: Record<'api' | 'worker', string[]> = { api: [], worker: [] };
let address: Readonly<Record<'api' | 'worker' | 'sdk', string>>;

const through = (url: string, gate: Gate): string => {
  const changed = new URL(url);
  changed.port = String(gate.port);
  return changed.href;
};

beforeAll(async () => {
  branch = await openBranch();
  const database = branch.env['DATABASE_URL'] ?? '';
  const [first, temporal, storage, mail] = await Promise.all(
    [database, `tcp://${stack.temporal.address}`, stack.storage.endpoint, stack.smtpUrl].map((url) =>
      openGate(new URL(url)),
    ),
  );
  if (!first || !temporal || !storage || !mail) throw new Error('a gate is missing');
  Object.assign(gates, { database: first, temporal, storage, mail });
  const [port, workerPort, sdkPort] = [await freePort(), await freePort(), await freePort()];
  const at = (number: number): string => `http://127.0.0.1:${String(number)}`;
  address = { api: at(port), worker: at(workerPort), sdk: at(sdkPort) };
  env = {
    ...branch.env,
    // the others of these tests are quieter
    LOG_LEVEL: 'info',
    ...{ PORT: String(port), WORKER_STATUS_PORT: String(workerPort), METRICS_PORT: String(sdkPort) },
    DATABASE_URL: through(database, first),
    TEMPORAL_ADDRESS: `127.0.0.1:${String(temporal.port)}`,
    S3_ENDPOINT: through(stack.storage.endpoint, storage),
    SMTP_URL: through(stack.smtpUrl, mail),
  };
  [api, worker] = await Promise.all([
    startService('parts-api', 'api/main.ts', env, (line) => said.api.push(line)),
    startService('parts-worker', 'workers/main.ts', env, (line) => said.worker.push(line)),
  ]);
  await untilPolling(env, worker);
  await untilBoth('ok');
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await branch.close();
  for (const gate of Object.values(gates)) await gate?.close();
});

const Said = z.looseObject({ status: z.union([z.string(), z.number()]), code: z.string().optional() });

/** `ok`, `degraded`, or `unavailable` with its status. */
async function ready(which: 'api' | 'worker'): Promise<{ status: number; says: string }> {
  const answer = await fetch(`${address[which]}/ready`, { headers: { connection: 'close' } });
  const { code, status } = Said.parse(await answer.json());
  return { status: answer.status, says: code ?? String(status) };
}

async function untilBoth(says: string): Promise<void> {
  for (const which of ['api', 'worker'] as const)
    await until(async () => (await ready(which).catch(() => undefined))?.says === says);
}

const metrics = async (which: 'api' | 'worker' | 'sdk'): Promise<string> =>
  (await fetch(`${address[which]}/metrics`)).text();
const alerted = (which: 'api' | 'worker', part: string): boolean =>
  said[which].some((line) => line.includes('"alert":"part_away"') && line.includes(`"part":"${part}"`));

test('the handbook has a line for each part', () => {
  expect(rows.map(({ part }) => part)).toEqual(['database', 'temporal', 'storage', 'mail']);
});

test.each(rows)('while $part is away, probes, metrics and logs say what the handbook says', async (row) => {
  const { part, metric } = row;
  const [sample = '', value] = metric.split(/ (?=\d+$)/);
  gates[part]?.shut();
  try {
    for (const which of ['api', 'worker'] as const) {
      await until(async () => (await ready(which)).says === row[which].says);
      expect(await ready(which)).toEqual(row[which]);
      await until(async () => sampleIn(await metrics(which), sample) === Number(value));
      await until(() => alerted(which, part));
      expect((await fetch(`${address[which]}/health`)).status).toBe(200);
    }
  } finally {
    gates[part]?.open();
  }
  await untilBoth('ok');
  for (const which of ['api', 'worker'] as const)
    await until(() =>
      said[which].some((line) => line.includes('a part answers again') && line.includes(part)),
    );
});

test('every metric that an alert or the handbook names is exported', async () => {
  const exported = new Set<string>();
  for (const which of ['api', 'worker', 'sdk'] as const)
    for (const name of namesIn(await metrics(which))) exported.add(name);
  const alerts = readFileSync(join(ROOT, 'docs/alerts.yml'), 'utf8');
  for (const text of [alerts, handbook.replaceAll('teller_app', '')]) {
    expect(metricsNamed(text).length).toBeGreaterThan(10);
    expect(metricsNamed(text).filter((name) => !exported.has(name))).toEqual([]);
  }
});

test('while no worker runs, the API is ready and its metrics show what waits', async () => {
  await worker.stop();
  const config = loadConfig(branch.env);
  const orm = openOrm(config);
  await orm.em.fork().transactional((tx) =>
    notify(tx, createCipher(config.ENCRYPTION_KEYS), {
      ...{ userId: null, to: { email: 'waits@mail.test' }, type: 'address_taken', locale: 'en' },
      values: {},
    }),
  );
  await orm.close(true);
  await until(
    async () =>
      sampleIn(await metrics('api'), 'teller_waiting{process="notification",status="queued"}') === 1,
  );
  expect(await ready('api')).toEqual({ status: 200, says: 'ok' });
  await expect(ready('worker')).rejects.toThrow();
});
