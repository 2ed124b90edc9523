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
import { answersTo, readOrder } from './bank.ts';

const settings = z
  .object({
    RAIL_SANDBOX_ACCEPT_SECONDS: z.coerce.number().min(0).default(1),
    RAIL_SANDBOX_SETTLE_SECONDS: z.coerce.number().min(0).default(5),
    RAIL_SANDBOX_LOOK_SECONDS: z.coerce.number().min(0.05).default(0.5),
  })
  .parse(process.env);
const LARGEST_FILE = 1024 * 1024;
const FILES_A_ROUND = 1_000;
const LONGEST_PAUSE_SECONDS = 30;

const Plan = z.object({
  answers: z.array(z.object({ at: z.number(), name: z.string(), xml: z.string() })),
});
type Plan = z.output<typeof Plan>;

const config = loadConfig();
const storage = createStorage(config);
const log = pino({ level: config.LOG_LEVEL, base: { name: 'rail sandbox' } });
const place = (path: string): string => `${config.RAIL_FOLDER}/${path}`;
/** By message id; undefined until they are read from the store. */
let plans: Map<string, Plan> | undefined;

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
      const at = new Date();
      const answers = answersTo(
        order,
        {
          acceptSeconds: settings.RAIL_SANDBOX_ACCEPT_SECONDS,
          settleSeconds: settings.RAIL_SANDBOX_SETTLE_SECONDS,
        },
        at,
      ).map(({ after, name, xml }) => ({ at: at.getTime() + after * 1_000, name, xml }));
      await keep(order.messageId, { answers });
      known.set(order.messageId, { answers });
    }
    await storage.move(key, taken);
  }
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
    for (const { name, xml } of due)
      await storage.put(place(`in/${name}`), Buffer.from(xml), 'application/xml');
    const left = { answers: answers.filter((answer) => !due.includes(answer)) };
    if (left.answers.length > 0) {
      if (due.length > 0) await keep(messageId, left);
      known.set(messageId, left);
    } else {
      await storage.remove(planOf(messageId));
      known.delete(messageId);
    }
  }
}

function planOf(messageId: string): string {
  return place(`bank/plans/${messageId}.json`);
}

async function keep(messageId: string, plan: Plan): Promise<void> {
  await storage.put(planOf(messageId), Buffer.from(JSON.stringify(plan)), 'application/json');
}
