/**
 * A caller of the bank that is cut off where a test says, to be killed there: the n-th time that it waits for the database or for
 * Temporal. JOBS is a JSON array; jobs run beside each other, and each counts for itself. A line of the output says which job is cut
 * off, and which is over.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
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
import { PATIENCE_MS } from '../patience.ts';
import { cutOffAtDatabase, endsHere, type Cut } from './cut-off.ts';

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

const running = new AsyncLocalStorage<Cut & { readonly name: string }>();

const stands = (): void => void process.stdout.write(`stands ${running.getStore()?.name ?? ''}\n`);
cutOffAtDatabase(() => running.getStore(), stands);

/** Does it unless the job of this call is cut off here. */
async function standing<T>(act: () => Promise<T>): Promise<T> {
  const cut = running.getStore();
  return cut !== undefined && endsHere(cut, stands) ? new Promise(() => undefined) : act();
}

const config = loadConfig();
// a busy machine is slow to give out so many connections, and a caller without one would end
const orm = openOrm({ ...config, DATABASE_POOL_MAX: 60 }, PATIENCE_MS);
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

/** Opens so many connections, one after the other: a busy machine does not answer all of them at once in time. */
async function connect(many: number): Promise<void> {
  const open = Array.from({ length: many }, em);
  for (const each of open) await each.begin();
  for (const each of open) await each.rollback();
}

const jobs = z.array(Job).parse(JSON.parse(process.env['JOBS'] ?? '[]'));
await connect(jobs.length);
for (const job of jobs) {
  const waiting = { name: job.name, at: job.at, waited: 0 };
  const say = (what: string): void => void process.stdout.write(`${what} ${job.name}\n`);
  void running
    .run(waiting, () => carryOut(job))
    .then(
      () => say('over'),
      (error: unknown) => say(`failed (${String(error)})`),
    );
}
