/** A payment goes through every gate, and its worker is killed at every step of the way: it ends once, and its money moves once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { createProcesses, type Processes } from '../../services/platform/processes.ts';
import { connectTemporal, type Temporal } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { brokenChecks } from '../support/bank/proof.ts';
import { DecisionId, type UserId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { amlCleared, railReported } from '../../workflows/transfer/contract.ts';
import { transferProcess } from '../../workflows/transfer/process.ts';
import { movementOf } from '../../domain/transfers/transfers.ts';
import { decideOn } from '../../services/transfers/decisions.ts';
import { by, reported, reviewer } from '../support/bank/decisions.ts';
import { openOrders } from '../support/bank/orders.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { emptyBank } from '../support/stack/database.ts';
import { clearFlag, flag, left, lookAt, openMover, type Mover } from '../support/bank/movements.ts';
import { startService, until, untilPolling } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';
import { transferType, windowIn } from '../support/bank/transfers.ts';
import { untilShown } from '../support/processes/started.ts';

/** Until the rail takes the payment: on a busy machine its process needs a while before it waits for that. */
const WINDOW_SECONDS = 12;
const STEPS = ['open', 'decision', 'flag', 'time', 'submit', 'report'] as const;
/** Statuses in which the process waits for somebody, and gets killed while it does. */
const WAITS = ['pending_approval', 'aml_review', 'queued', 'submitted'] as const;
/** Said while there is no worker at all. */
const SAID = ['decision', 'flag', 'report'] as const;
const PLACES = [
  ...STEPS.flatMap((step) => [`${step} before`, `${step} after`]),
  ...WAITS.map((status) => `waits as ${status}`),
  ...SAID.map((step) => `${step} said`),
];

let books: Books;
let temporal: Temporal;
let processes: Processes;
let env: NodeJS.ProcessEnv;
let admin: UserId;
let other: UserId;
beforeAll(async () => {
  const name = `killed-${randomUUID().slice(0, 8)}`;
  // of its own: another test has all transfers looked after that wait in the shared one
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
  [admin, other] = [await reviewer(books), await reviewer(books)];
});
afterAll(async () => {
  await temporal.close();
  await books.close();
});

/** One payment, and the place at which its worker is to be killed. */
interface Walk {
  readonly place: string;
  readonly mover: Mover;
  readonly type: string;
  readonly order: TransferOrder;
}

async function walkTo(place: string): Promise<Walk> {
  const mover = await openMover(books);
  const type = await transferType(books, { reach: 'sepa', approvalAbove: 99, cutOff: '12:00:00' });
  return { place, mover, type, order: mover.outward(500n, type, { description: 'sandbox: silent' }) };
}

/** Repeats what gets no answer, as a client would. Every repeat says the same again, with the same id. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 60; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'unavailable') throw error;
      await sleep(300);
    }
  }
  throw new Error('no answer after sixty attempts');
}

/** All that is asked of one payment, from its order to the rail's last word. `reached` waits where the worker is to be killed. */
async function drive({ mover, type, order }: Walk, reached: (place: string) => Promise<void>): Promise<void> {
  const { id } = order;
  await openOrders(books).submit(order);
  await insist(() => processes.restart(transferProcess, movementOf(order)));
  await untilShown(temporal.client.workflow.getHandle(transferProcess.workflowId(id)), 300);
  await reached('waits as pending_approval');
  await flag(books, mover.from);
  await reached('decision said');
  const wish = { ...by(admin, 'execute'), id: DecisionId.parse(randomUUID()) };
  await until(async () => {
    const { decisionState } = await decideOn(order.id, wish, books.em(), { processes });
    return decisionState === 'done';
    // longer than the worker may stand before it is killed
  }, 300);
  await reached('waits as aml_review');
  await clearFlag(books, mover.from, other);
  await windowIn(books, type, WINDOW_SECONDS);
  await reached('flag said');
  const [cleared] = await books.asOwner('select id from account_aml_flags where account_id = $1', [
    mover.from,
  ]);
  const named = { flag: String(cleared?.['id']) };
  await insist(() => processes.decide(transferProcess, id, amlCleared, named, named.flag));
  await reached('waits as queued');
  await until(async () => (await lookAt(books, id)).status === 'submitted', 300);
  await reached('waits as submitted');
  // the rail reports only on what it has; a report that came before would be carried out before the payment is handed over
  await until(() => isHandedOver(id), 300);
  await reached('report said');
  const report = {
    kind: 'settled',
    transferId: id,
    messageId: `${id}/settled`,
    at: new Date().toISOString(),
  } as const;
  await reported(books, report);
  const { messageId, kind } = report;
  await insist(() =>
    processes.decide(transferProcess, id, railReported, { report: messageId, kind }, messageId),
  );
}

test('killed before, in and after every step, and while it waits: each payment ends executed, and once', async () => {
  const walks = await Promise.all(PLACES.map(walkTo));
  const stands = Object.fromEntries(walks.map(({ order, place }) => [order.id, place]));
  const arrived = new Set<string>();
  const first = await startService(
    'killed-first',
    'test/support/stack/standing-worker.ts',
    { ...env, STANDS: JSON.stringify(stands) },
    (line) => {
      const [, place] = /^stands (.*) of /.exec(line) ?? [];
      if (place !== undefined) arrived.add(place);
    },
  );
  await untilPolling(env, first);
  const killed = Promise.withResolvers<void>();
  const driving = walks.map((walk) =>
    drive(walk, async (place) => {
      if (place !== walk.place) return;
      arrived.add(place);
      await killed.promise;
    }),
  );
  const all = Promise.all(driving);
  all.catch(() => undefined);
  try {
    await Promise.race([until(() => arrived.size === PLACES.length, 300), all]);
  } catch (error) {
    const missed = PLACES.filter((place) => !arrived.has(place));
    throw new Error(`not reached: ${missed.join(', ')}`, { cause: error });
  } finally {
    await first.kill();
  }
  killed.resolve();
  await sleep(500);
  const second = await startService('killed-second', 'workers/main.ts', env);
  await untilPolling(env, second);
  try {
    await all;
    for (const walk of walks) await expectOnce(walk);
  } finally {
    await second.stop();
  }
  expect(await unfinished(walks)).toEqual([]);
  expect(await brokenChecks(books.em())).toEqual([]);
}, 500_000);

async function expectOnce({ mover, order, place }: Walk): Promise<void> {
  const run = temporal.client.workflow.getHandle(transferProcess.workflowId(order.id));
  const outcome: unknown = await run.result();
  const look = await lookAt(books, order.id);
  const transactions = await books.asOwner(
    'select kind from ledger_transactions where source_id = $1 order by kind',
    [order.id],
  );
  const trail = await books.asOwner('select action from audit_log where subject_id = $1 order by at, id', [
    order.id,
  ]);
  const payments = await books.asOwner('select transfer_id from rail_payments where transfer_id = $1', [
    order.id,
  ]);
  expect({
    place,
    outcome,
    status: look.status,
    approved: look.approved_by,
    hold: look.hold,
    balance: await books.balance(mover.from),
    left: await left(books, order.id),
    transactions: transactions.map(({ kind }) => kind),
    payments: payments.length,
    repeated: trail.length - new Set(trail.map(({ action }) => action)).size,
  }).toEqual({
    place,
    outcome: { status: 'executed' },
    status: 'executed',
    approved: admin,
    hold: 'captured',
    balance: { posted: 9_500n, held: 0n },
    left: { 'customer EUR': '-500', 'nostro EUR': '500' },
    transactions: ['settlement', 'transfer'],
    payments: 1,
    repeated: 0,
  });
}

async function isHandedOver(id: string): Promise<boolean> {
  const delivered = 'select from rail_payments where transfer_id = $1 and delivered_at is not null';
  return (await books.asOwner(delivered, [id])).length > 0;
}

/** Holds that nobody will ever free: those of these payments, after all their processes have ended. */
function unfinished(walks: readonly Walk[]): Promise<Record<string, unknown>[]> {
  return books.asOwner(`select source_id from holds where status = 'open' and source_id = any ($1)`, [
    walks.map(({ order }) => order.id),
  ]);
}
