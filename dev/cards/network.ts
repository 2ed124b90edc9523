/**
 * The network simulator: sends messages to the bank's door and waits as long as a network does. If no answer comes, it answers the
 * merchant itself up to a limit, and tells the bank until it has taken it.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Control } from '../simulators/control.ts';
import type { Fault } from '../simulators/faults.ts';
import { postSigned, type NetworkDoor } from './door.ts';
import { adviceOf, messageOf, reversalOf, shown, type Message, type Wish } from './messages.ts';

export const Settings = z.strictObject({
  /** Whether it asks the bank at all. */
  online: z.boolean().optional(),
  deadline_ms: z.int().min(1).max(60_000).optional(),
  /** Up to how much it approves itself, in the currency of the payment. */
  stand_in_limit: z
    .union([z.strictObject({ amount: z.string(), currency: z.string() }), z.string()])
    .transform((limit) => (typeof limit === 'string' ? limit : limit.amount))
    .pipe(z.string().regex(/^\d+(\.\d+)?$/))
    .optional(),
});

const DoorAnswer = z.looseObject({ response_code: z.string(), approval_code: z.string().nullable() });
type DoorAnswer = z.output<typeof DoorAnswer>;

/** How long it waits, what it approves, and whether it asks at all. */
interface Present {
  readonly online: boolean;
  readonly deadline_ms: number;
  readonly stand_in_limit: string;
}

/** `lost`: it was sent, and nobody knows whether the bank has decided. */
type Exchanged = { readonly answer: DoorAnswer } | { readonly lost: boolean };

export interface NetworkOptions extends NetworkDoor {
  readonly control: Pick<Control, 'faultOf' | 'note'>;
}

export interface Network {
  /** Sends the messages of a wish and answers what came back, in the order in which they were sent. */
  send(wish: Wish): Promise<object[]>;
  settings(change: z.output<typeof Settings>): object;
  /** Messages that the bank has still to take. */
  waiting(): number;
  stop(): void;
}

const PAUSE_MS = 250;
const REFUSED = { response_code: '91', reason: 'bank_away', approval_code: null, approved: null };
const ANSWERS = { '0100': '0110', '0120': '0130', '0420': '0430' } as const;

/** Sends a message, and waits for the answer until the deadline. */
async function exchange(
  door: NetworkDoor,
  { online, deadline_ms: deadline }: Present,
  message: Message,
  fault: Fault | undefined,
): Promise<Exchanged> {
  if (!online || fault === 'refuse' || fault?.startsWith('http_') === true) return { lost: false };
  if (fault === 'timeout') {
    await sleep(deadline);
    return { lost: true };
  }
  const response = await postSigned(door, message, AbortSignal.timeout(deadline)).catch((error: unknown) =>
    Refused.safeParse(error).success ? 'refused' : undefined,
  );
  if (response === 'refused') return { lost: false };
  const text = await response?.text().catch(() => undefined);
  if (response === undefined || text === undefined) return { lost: true };
  if (response.status === 400 || response.status === 401)
    throw new Error(`the door answered ${String(response.status)}: ${text}`);
  if (response.status !== 200) return { lost: response.status !== 503 };
  if (fault === 'timeout_after_commit') return { lost: true };
  return { answer: DoorAnswer.parse(JSON.parse(text)) };
}

/** Nobody listens, so nobody has taken it. */
const Refused = z.looseObject({ cause: z.looseObject({ code: z.literal('ECONNREFUSED') }) });

/** What the network answers in the place of the bank, and what it has to tell the bank then. */
function standIn(
  request: Message,
  lost: boolean,
  limit: string,
): { readonly answer: object; readonly toTell: readonly Message[] } {
  const { payment_id, stan, rrn, type, purpose, billing } = request;
  const answer = { answered_by: 'stand_in', type: ANSWERS[type], payment_id, stan, rrn };
  if (type !== '0100')
    return { answer: { ...answer, delivered: false, response_code: null }, toTell: [request] };
  const approves = ['purchase', 'cash'].includes(purpose) && Number(billing?.amount ?? '0') <= Number(limit);
  const approval = { response_code: '00', reason: 'approved', approved: billing };
  const code = randomBytes(3).toString('hex').toUpperCase();
  return {
    answer: { ...answer, ...(approves ? { ...approval, approval_code: code } : REFUSED) },
    toTell: [...(lost ? [reversalOf(request)] : []), ...(approves ? [adviceOf(request)] : [])],
  };
}

/** The caller stops it. */
export function createNetwork(options: NetworkOptions): Network {
  const { control } = options;
  let settings: Present = { online: true, deadline_ms: 2_000, stand_in_limit: '50.00' };
  let queue: Message[] = [];
  const stopped = new AbortController();

  async function sendOne(message: Message): Promise<object> {
    const begun = performance.now();
    const fault = control.faultOf('message');
    const exchanged = await exchange(options, settings, message, fault);
    const { answer, toTell } =
      'answer' in exchanged
        ? { answer: { answered_by: 'bank', ...exchanged.answer }, toTell: [] }
        : standIn(message, exchanged.lost, settings.stand_in_limit);
    queue.push(...toTell);
    const timed = { ...answer, took_ms: Math.round(performance.now() - begun) };
    control.note('message', { message: shown(message), answer: timed }, fault);
    return timed;
  }

  /** What the bank has not taken is told again, one after the other: a reversal goes before the advice that follows it. */
  async function tellNext(next: Message): Promise<boolean> {
    const exchanged = await exchange(options, settings, next, control.faultOf('advice'));
    if (!('answer' in exchanged)) return false;
    queue = queue.filter((message) => message !== next);
    control.note('advice', { message: shown(next), answer: exchanged.answer });
    return true;
  }
  void (async () => {
    while (!stopped.signal.aborted) {
      const [next] = queue;
      const isTold = next !== undefined && (await tellNext(next).catch(() => false));
      if (!isTold) await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();

  return {
    async send(wish) {
      await sleep(wish.delay_ms);
      const series = Array.from({ length: wish.parallel }, async () => {
        const message = messageOf(wish);
        const answers: object[] = [];
        for (let time = 0; time < wish.repeat; time += 1) answers.push(await sendOne(message));
        return answers;
      });
      return (await Promise.all(series)).flat();
    },
    settings(change) {
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      settings = { ...settings, ...Object.fromEntries(given) };
      return settings;
    },
    waiting: () => queue.length,
    stop: () => stopped.abort(),
  };
}
