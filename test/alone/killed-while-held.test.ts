/**
 * Payments that a rule holds. Whoever takes the order, reviews the flag or lets the payment go is killed before each of its awaits:
 * there is never a flag without its hold, no money goes out without a verdict, and each payment ends once.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { connectTemporal, type Temporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { AmlFlagId, type UserId } from '../../domain/ids.ts';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import { movementOf, type TransferOrder } from '../../domain/transfers/transfers.ts';
import { resolveAmlFlag } from '../../services/aml/flags.ts';
import { createProcesses, type Processes } from '../../services/platform/processes.ts';
import { transferProcess } from '../../workflows/transfer/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { by } from '../support/bank/decisions.ts';
import { lookAt, openMover, type Mover } from '../support/bank/movements.ts';
import { openOrders } from '../support/bank/orders.ts';
import { brokenChecks } from '../support/bank/proof.ts';
import { holdsEverything } from '../support/bank/watch.ts';
import { emptyBank } from '../support/stack/database.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import { startService, until, untilPolling } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';
import type { CallerJob } from '../support/stack/standing-caller.ts';

const OUTCOMES = ['cleared', 'confirmed'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Where the worker is killed, or somebody speaks while there is none. */
const WORKER_PLACES = ['open before', 'open after', 'waits', 'said', 'flag before', 'flag after'] as const;
/** More than a review has awaits: the last ones are over before they are killed, so that none is left out. */
const REVIEW_AWAITS = 18;
const ORDER_AWAITS = 6;
/** Everybody stands within so many seconds; a machine that is busy with other tests needs most of them. */
const ARRIVAL_SECONDS = 120;
/** Of somebody who ended by themselves: a stack trace and what it is about. */
const LAST_LINES = 15;
/** `npm run test:killed` asks for twenty. */
const ROUNDS = Number(process.env['KILLED_ROUNDS'] ?? '1');

/** One payment, how its flag ends, and who is killed where. */
interface Walk {
  readonly place: string;
  readonly outcome: Outcome;
  readonly killed: 'worker' | 'order' | 'resolve';
  /** The await before which a caller is killed. */
  readonly at: number;
  readonly mover: Mover;
  readonly order: TransferOrder;
}

let books: Books;
let temporal: Temporal;
let processes: Processes;
let env: NodeJS.ProcessEnv;
let first: UserId;
let second: UserId;
beforeAll(async () => {
  const name = `held-${randomUUID().slice(0, 8)}`;
  // of its own: its rule holds every payment
  const database = await emptyBank(name);
  books = openBooks(database);
  env = {
    ...stack.serviceEnv,
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    TEMPORAL_TASK_QUEUE: name,
    // what the standing worker serves
    WORKER_QUEUES: 'money,outside',
    RAIL_FOLDER: name,
  };
  const config = loadConfig(env);
  temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS), []);
  processes = createProcesses({ temporal, config, log: pino({ level: 'silent' }), em: books.em });
  [first, second] = [await books.admin(['aml:review']), await books.admin(['aml:review'])];
  await holdsEverything(books);
});
afterAll(async () => {
  await temporal.close();
  await books.close();
});

async function walks(): Promise<Walk[]> {
  const wished = OUTCOMES.flatMap((outcome) => [
    ...WORKER_PLACES.map((place) => ({ place, outcome, killed: 'worker' as const, at: 0 })),
    ...numbers(REVIEW_AWAITS).map((at) => ({
      place: `review ${at}`,
      outcome,
      killed: 'resolve' as const,
      at,
    })),
    ...numbers(ORDER_AWAITS).map((at) => ({ place: `order ${at}`, outcome, killed: 'order' as const, at })),
  ]);
  return Promise.all(
    wished.map(async (wish) => {
      const mover = await openMover(books);
      return { ...wish, mover, order: mover.order(500n) };
    }),
  );
}

const numbers = (most: number): number[] => Array.from({ length: most }, (_, place) => place + 1);
const nameOf = ({ place, outcome }: Walk): string => `${outcome}: ${place}`;

async function flagOf({ order }: Walk): Promise<AmlFlagId> {
  const [row] = await books.asOwner('select id from aml_flags where subject_id = $1', [order.id]);
  return AmlFlagId.parse(row?.['id']);
}

/** Reviews as a client does that asks again until it is answered. */
async function resolve(walk: Walk, reviewer: UserId): Promise<void> {
  const call = { db: books.em(), actor: by(reviewer, 'execute').by, refusal: refuse };
  const resolution = { wanted: walk.outcome, note: 'Looked at by a test.' };
  try {
    await resolveAmlFlag(call, await flagOf(walk), resolution, { processes });
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'already_decided') throw error;
  }
}

/** The order was taken, its process is begun, and what a second reviewer decides was said by the first. */
async function begin(walk: Walk): Promise<void> {
  const { order, outcome } = walk;
  expect(await openOrders(books).submit(order)).toMatchObject({ status: 'aml_review' });
  // repeated as long as it gets no answer, as a client would
  await until(() =>
    processes.restart(transferProcess, movementOf(order)).then(
      () => true,
      (error: unknown) => {
        if (isRefusal(error) && error.code === 'unavailable') return false;
        throw error;
      },
    ),
  );
  if (outcome === 'confirmed') await resolve(walk, first);
}

function jobOf(walk: Walk, flag: AmlFlagId | undefined): CallerJob {
  const { at, outcome: wanted, order, mover } = walk;
  const name = nameOf(walk);
  if (flag !== undefined) return { kind: 'resolve', name, at, flag, reviewer: second, wanted };
  const parties = { customer: mover.customer, source: mover.from, destination: mover.to };
  return { kind: 'order', name, at, id: order.id, ...parties, amount: '500' };
}

/** What must never be, at no moment. */
async function wrong(): Promise<Record<string, unknown>[]> {
  return books.asOwner(`
    with held as (
      select t.id, t.status, t.transaction_id, o.status as hold, f.status as flag from transfers t
        left join holds o on o.id = t.hold_id
        left join aml_hits h on h.subject_id = t.id and h.held left join aml_flags f on f.id = h.flag_id)
    select 'a flag without its payment' as what, f.subject_id as id from aml_flags f
      where not exists (select from transfers t where t.id = f.subject_id)
    union all select 'a flag without its hold', id from held
      where flag = 'open' and (status <> 'aml_review' or hold is distinct from 'open')
    union all select 'money out without a verdict', id from held
      where transaction_id is not null and flag is distinct from 'cleared'`);
}

/**
 * What those who are killed have said: for which payments the worker stands, and which callers are cut off, over or have failed. What
 * stands for longer than its time-out is tried again and stands again, so places are counted and not lines.
 */
interface Said {
  readonly worker: Set<string>;
  /** The steps that the worker has carried out. */
  readonly did: Set<string>;
  readonly stands: Set<string>;
  readonly over: Set<string>;
  /** Why somebody cannot come to where they are killed. */
  readonly failed: string[];
}

/** Starts a process that is to be killed, and notes if it ends before. */
async function startDoomed(
  script: string,
  more: NodeJS.ProcessEnv,
  said: Said,
  line: (text: string) => void,
): Promise<Child> {
  const lines: string[] = [];
  const child = await startService(script, `test/support/stack/${script}.ts`, { ...env, ...more }, (text) => {
    line(text);
    lines.push(text);
  });
  void child.ended.then(() =>
    said.failed.push([`${script} ended, and said last:`, ...lines.slice(-LAST_LINES)].join('\n')),
  );
  return child;
}

function startStandingWorker(all: readonly Walk[], said: Said): Promise<Child> {
  const places = all.filter(({ killed }) => killed === 'worker').map(({ order, place }) => [order.id, place]);
  const STANDS = JSON.stringify(Object.fromEntries(places));
  return startDoomed('standing-worker', { STANDS }, said, (line) => {
    const [, verb, what = ''] = /^(stands|did) (.*)$/.exec(line) ?? [];
    if (verb === 'stands') said.worker.add(what);
    if (verb === 'did') said.did.add(what);
  });
}

async function startCallers(all: readonly Walk[], said: Said): Promise<Child> {
  const callers = all.filter(({ killed }) => killed !== 'worker');
  const jobs = await Promise.all(
    callers.map(async (walk) => jobOf(walk, walk.killed === 'resolve' ? await flagOf(walk) : undefined)),
  );
  return startDoomed('standing-caller', { JOBS: JSON.stringify(jobs) }, said, (line) => {
    const [, verb, name = ''] = /^(stands|over) (.*)$/.exec(line) ?? [];
    if (verb === 'stands') said.stands.add(name);
    if (verb === 'over') said.over.add(name);
    if (line.startsWith('failed ')) said.failed.push(line);
  });
}

/** Who has not come to where they are killed. */
function missing(all: readonly Walk[], { worker, stands, over }: Said): string[] {
  const absent = all.filter((walk) => {
    const { killed, place, order } = walk;
    if (killed !== 'worker') return !stands.has(nameOf(walk)) && !over.has(nameOf(walk));
    return /^(open|flag) /.test(place) && !worker.has(`${place} of ${order.id}`);
  });
  return absent.map(nameOf);
}

/** Everybody gets to where they are killed, and is killed. */
async function killAll(all: readonly Walk[]): Promise<void> {
  const said: Said = { worker: new Set(), did: new Set(), stands: new Set(), over: new Set(), failed: [] };
  const worker = await startStandingWorker(all, said);
  await untilPolling(env, worker);
  const callers = await startCallers(all, said);
  try {
    const cleared = all.filter(({ place }) => place.startsWith('flag '));
    // a process that begins looks at the flag itself; what is said before is carried out by that look
    await until(
      () => said.failed.length > 0 || cleared.every(({ order }) => said.did.has(`time of ${order.id}`)),
      ARRIVAL_SECONDS,
    );
    await Promise.all(cleared.map((walk) => resolve(walk, second)));
    await until(() => missing(all, said).length === 0 || said.failed.length > 0, ARRIVAL_SECONDS).catch(
      () => undefined,
    );
    expect({ missing: missing(all, said), failed: said.failed }).toEqual({ missing: [], failed: [] });
  } finally {
    await Promise.all([worker.kill(), callers.kill()]);
  }
  // the last ones were over, so somebody was killed before every await
  for (const outcome of OUTCOMES)
    expect([...said.over]).toEqual(
      expect.arrayContaining([`${outcome}: review ${REVIEW_AWAITS}`, `${outcome}: order ${ORDER_AWAITS}`]),
    );
}

/** Those who have lived come back, say again what had no answer, and every payment ends. */
async function endAll(all: readonly Walk[]): Promise<void> {
  await Promise.all(all.filter(({ killed }) => killed === 'order').map(begin));
  await Promise.all(all.filter(({ place }) => place === 'said').map((walk) => resolve(walk, second)));
  const next = await startService('held-second', 'workers/main.ts', env);
  await untilPolling(env, next);
  try {
    await Promise.all(all.map((walk) => resolve(walk, second)));
    for (const walk of all) await expectOnce(walk);
  } finally {
    await next.stop();
  }
}

test.each(numbers(ROUNDS))(
  'killed at every await of a payment that is held: no flag without its hold, no money without a verdict (round %i)',
  async () => {
    const all = await walks();
    await Promise.all(all.filter(({ killed }) => killed !== 'order').map(begin));
    const { stop, found } = watch();
    try {
      await killAll(all);
      await endAll(all);
    } finally {
      stop();
    }
    expect(await found).toEqual([]);
    expect(await brokenChecks(books.em())).toEqual([]);
  },
  400_000,
);

/** Looks for what is wrong again and again, until it is told to stop. */
function watch(): { readonly stop: () => void; readonly found: Promise<Record<string, unknown>[]> } {
  let stopped = false;
  const look = async (): Promise<Record<string, unknown>[]> => {
    for (;;) {
      const found = await wrong();
      if (found.length > 0 || stopped) return found;
      // leaves the machine to those who are killed
      await sleep(20);
    }
  };
  return { stop: () => void (stopped = true), found: look() };
}

async function expectOnce(walk: Walk): Promise<void> {
  const { order, outcome } = walk;
  const status = outcome === 'cleared' ? 'executed' : 'rejected';
  await until(async () => (await lookAt(books, order.id)).status === status);
  const { hold } = await lookAt(books, order.id);
  const count = async (sql: string): Promise<number> => (await books.asOwner(sql, [order.id])).length;
  // the outbox is emptied too
  const untold = `select from process_updates where workflow_id = 'transfer/' || $1`;
  await until(async () => (await count(untold)) === 0);
  expect({
    at: nameOf(walk),
    hold,
    booked: await count('select from ledger_transactions where source_id = $1'),
    flags: await count('select from aml_flags where subject_id = $1'),
    resolved: await count(
      `select from aml_flag_events e join aml_flags f on f.id = e.flag_id where f.subject_id = $1 and e.kind in ('resolved', 'confirmed')`,
    ),
    reports: await count(
      'select from aml_reports r join aml_flags f on f.id = r.flag_id where f.subject_id = $1',
    ),
  }).toEqual({
    at: nameOf(walk),
    ...{ hold: outcome === 'cleared' ? 'captured' : 'released', booked: outcome === 'cleared' ? 1 : 0 },
    ...{ flags: 1, resolved: 1, reports: outcome === 'cleared' ? 0 : 1 },
  });
}
