/**
 * The sandbox rail: the other end of the folders in the object store, a process of its own. Takes payments out of `out/`, answers
 * into `in/`. What it has still to say lies in `bank/plans/`, what it has taken in `bank/taken/`, so that it may be stopped and
 * started again, and knows a payment that is given to it twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { z } from 'zod';
import { createStorage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { createControl, listenOnLoopback } from '../simulators/control.ts';
import type { Fault } from '../simulators/faults.ts';
import { answersTo, readOrder, type Order } from './bank.ts';

const settings = z
  .object({
    RAIL_SANDBOX_ACCEPT_SECONDS: z.coerce.number().min(0).default(1),
    RAIL_SANDBOX_SETTLE_SECONDS: z.coerce.number().min(0).default(5),
    RAIL_SANDBOX_LOOK_SECONDS: z.coerce.number().min(0.05).default(0.5),
    RAIL_PORT: z.coerce.number().int().min(0).max(65_535).default(7075),
  })
  .parse(process.env);
const LARGEST_FILE = 1024 * 1024;
const FILES_A_ROUND = 1_000;
const LONGEST_PAUSE_SECONDS = 30;
/** ISO 20022: reason not specified. */
const REFUSED = 'MS03';

const Plan = z.object({
  answers: z.array(z.object({ at: z.number(), name: z.string(), xml: z.string() })),
});
type Plan = z.output<typeof Plan>;

/** How long a bank says nothing that has done what it was asked. */
const LATE_SECONDS = 60;

const config = loadConfig();
if (config.NODE_ENV === 'production') throw new Error('the sandbox rail is not for production');
const storage = createStorage(config);
const log = pino({ level: config.LOG_LEVEL, base: { name: 'rail sandbox' } });
const place = (path: string): string => `${config.RAIL_FOLDER}/${path}`;
/** By message id; undefined until they are read from the store. */
let plans: Map<string, Plan> | undefined;

const control = createControl({
  title: 'Sandbox rail',
  about:
    'A bank at the other end of the payment files. It settles what it is given; see docs/rail.md for the texts that ask for more.',
  calls: { payment: 'it takes a payment out of out/', report: 'it puts a report into in/' },
});
await listenOnLoopback(control.server, settings.RAIL_PORT, 'RAIL_PORT');

const stopped = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort());
let pause = settings.RAIL_SANDBOX_LOOK_SECONDS;
log.info({ folder: config.RAIL_FOLDER }, 'the sandbox rail runs');
while (!stopped.signal.aborted) {
  try {
    plans ??= await readPlans();
    await takePayments(plans);
    await sayWhatIsDue(plans);
    pause = settings.RAIL_SANDBOX_LOOK_SECONDS;
  } catch (error) {
    log.warn({ err: error }, 'the object store cannot be reached');
    pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS);
  }
  await sleep(pause * 1_000, undefined, { signal: stopped.signal }).catch(() => undefined);
}
control.server.close();

async function readPlans(): Promise<Map<string, Plan>> {
  const folder = place('bank/plans/');
  const found = new Map<string, Plan>();
  for (const key of await storage.list(folder, Infinity)) {
    const content = await storage.content(key, LARGEST_FILE);
    if (content === null || content === 'too_large') continue;
    found.set(key.slice(folder.length, -'.json'.length), Plan.parse(JSON.parse(content.toString())));
  }
  return found;
}

async function takePayments(known: Map<string, Plan>): Promise<void> {
  for (const key of await storage.list(place('out/'), FILES_A_ROUND)) {
    const content = await storage.content(key, LARGEST_FILE);
    if (content === null) continue;
    const order = content === 'too_large' ? undefined : readOrUndefined(content);
    if (order === undefined) {
      log.error({ key }, 'a payment file cannot be read');
      await storage.move(key, place(`bank/unreadable/${key.slice(place('out/').length)}`));
      continue;
    }
    const taken = place(`bank/taken/${order.messageId}.xml`);
    // a bank checks for duplicates: the same message id is the same payment
    if ((await storage.stat(taken)) === null && !known.has(order.messageId)) {
      const fault = control.faultOf('payment');
      control.note('payment', told(order), fault);
      // away for this look: the file stays where it is
      if (fault?.startsWith('http_') === true) continue;
      const plan = planFor(order, fault);
      await keep(order.messageId, plan);
      known.set(order.messageId, plan);
    }
    await storage.move(key, taken);
  }
}

/** What the bank will say to a payment, and when. */
function planFor(order: Order, fault: Fault | undefined): Plan {
  if (fault === 'timeout') return { answers: [] };
  const machine = Date.now();
  // the clock of the paying bank may have been moved forward: its payment was not settled before it was made
  const at = new Date(Math.max(machine, order.createdAt.getTime()));
  const delays = {
    acceptSeconds: settings.RAIL_SANDBOX_ACCEPT_SECONDS,
    settleSeconds: settings.RAIL_SANDBOX_SETTLE_SECONDS,
  };
  const late = fault === 'timeout_after_commit' ? LATE_SECONDS : 0;
  const wanted: Order = fault === 'refuse' ? { ...order, behaviour: 'reject', reason: REFUSED } : order;
  const answers = answersTo(wanted, delays, at).map(({ after, name, xml }) => ({
    at: machine + (after + late) * 1_000,
    name,
    xml,
  }));
  return { answers };
}

function told({ messageId, amount, currency, behaviour }: Order): Readonly<Record<string, string>> {
  return { message_id: messageId, amount, currency, behaviour };
}

function readOrUndefined(content: Buffer): ReturnType<typeof readOrder> | undefined {
  try {
    return readOrder(content);
  } catch {
    return undefined;
  }
}

/** In the order of their time; a crash in between says the last thing twice, as banks do. */
async function sayWhatIsDue(known: Map<string, Plan>): Promise<void> {
  for (const [messageId, { answers }] of known) {
    const due = answers.filter(({ at }) => at <= Date.now()).sort((a, b) => a.at - b.at);
    const said: Plan['answers'] = [];
    for (const answer of due) if (await say(messageId, answer)) said.push(answer);
    const left = { answers: answers.filter((answer) => !said.includes(answer)) };
    if (left.answers.length > 0) {
      if (said.length > 0) await keep(messageId, left);
      known.set(messageId, left);
    } else {
      await storage.remove(planOf(messageId));
      known.delete(messageId);
    }
  }
}

/** Puts a report into `in/`. False if a fault makes the bank say it at its next look: for the first time, or again. */
async function say(messageId: string, { name, xml }: Plan['answers'][number]): Promise<boolean> {
  const fault = control.faultOf('report');
  control.note('report', { message_id: messageId, file: name }, fault);
  if (fault !== undefined && fault !== 'timeout_after_commit') return false;
  await storage.put(place(`in/${name}`), Buffer.from(xml), 'application/xml');
  return fault === undefined;
}

function planOf(messageId: string): string {
  return place(`bank/plans/${messageId}.json`);
}

async function keep(messageId: string, plan: Plan): Promise<void> {
  await storage.put(planOf(messageId), Buffer.from(JSON.stringify(plan)), 'application/json');
}
