/**
 * A caller of the bank that stands still for ever where a test says, so that it can be killed there: before the n-th time that it
 * waits for the database or for Temporal. JOBS is a JSON array; jobs run beside each other, and each counts for itself. A line of
 * the output says which job stands, and which is over.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { connectTemporal } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import { openOrm } from '../../../db/orm.ts';
import { AccountId, AmlFlagId, TransferId, UserId } from '../../../domain/ids.ts';
import { refuse } from '../../../domain/refusals.ts';
import { resolveAmlFlag } from '../../../services/aml/flags.ts';
import { readAssets } from '../../../services/platform/assets.ts';
import { createProcesses, type Processes } from '../../../services/platform/processes.ts';
import { openOrders } from '../bank/orders.ts';

const common = { name: z.string(), at: z.int() };
const Job = z.discriminatedUnion('kind', [
  z.object({
    ...{ ...common, kind: z.literal('order'), id: TransferId, customer: UserId },
    ...{ source: AccountId, destination: AccountId, amount: z.string() },
  }),
  z.object({
    ...{ ...common, kind: z.literal('resolve'), flag: AmlFlagId, reviewer: UserId },
    wanted: z.enum(['cleared', 'confirmed']),
  }),
]);
/** What such a caller does. */
export type CallerJob = z.output<typeof Job>;

const running = new AsyncLocalStorage<{ readonly name: string; readonly at: number; waited: number }>();

/** Whether the job of this call stands here. Whatever stands is never answered. */
function stands(): boolean {
  const job = running.getStore();
  if (job === undefined) return false;
  job.waited += 1;
  if (job.waited === job.at) process.stdout.write(`stands ${job.name}\n`);
  return job.waited >= job.at;
}

async function standing<T>(act: () => Promise<T>): Promise<T> {
  return stands() ? new Promise(() => undefined) : act();
}

pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client, call) {
    if (stands()) return new Promise(() => undefined);
    const answer: unknown = Reflect.apply(query, client, call);
    return answer;
  },
});

// the database ends a transaction that stands for long: that job is as good as killed, and the others go on
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.message}\n`);
});

const config = loadConfig();
const orm = openOrm({ ...config, DATABASE_POOL_MAX: 60 });
const em = () => orm.em.fork();
await readAssets(em());
const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS), []);
const real = createProcesses({ temporal, config, log: pino({ level: 'silent' }), em });
const processes: Processes = { ...real, bring: (told) => standing(() => real.bring(told)) };

async function carryOut(job: CallerJob): Promise<void> {
  if (job.kind === 'resolve') {
    const actor = { id: job.reviewer, role: 'admin', address: '127.0.0.1', requestId: randomUUID() } as const;
    const call = { db: em(), actor, refusal: refuse };
    const resolution = { wanted: job.wanted, note: 'Looked at by a test.' };
    await resolveAmlFlag(call, job.flag, resolution, { processes });
    return;
  }
  const { id, customer, source, destination, amount } = job;
  const parties = { requestedBy: customer, customerId: customer, source, destination };
  const order = {
    ...parties,
    id,
    kind: 'transfer',
    type: 'internal',
    asset: 'EUR',
    amount,
    description: '',
  } as const;
  // nobody here orders what takes an administrator
  const admin = () => Promise.reject(new Error('no administrators here'));
  await openOrders({ em, admin }).submit(order);
  await standing(() => Promise.resolve());
}

for (const job of z.array(Job).parse(JSON.parse(process.env['JOBS'] ?? '[]'))) {
  const waiting = { name: job.name, at: job.at, waited: 0 };
  void running.run(waiting, () => carryOut(job)).then(() => process.stdout.write(`over ${job.name}\n`));
}
