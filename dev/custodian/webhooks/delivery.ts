/** Delivery of webhooks: in order, with the retries of Fireblocks, and with the disturbances set by the control API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Details } from '../../simulators/page.ts';
import type { Notification } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { postTo, type Door, type DoorAnswer } from './door.ts';
import { SIGNATURES, type Signature } from './signing.ts';

/** A change of how webhooks are sent; fields that are left out keep their value. */
export const Behaviour = z.strictObject({
  /** true: webhooks are not sent; only a resend delivers them. */
  drop: z.boolean().optional(),
  /** Number of extra copies. */
  duplicate: z
    .union([z.boolean(), z.int().min(0).max(100)])
    .transform(Number)
    .optional(),
  delay_ms: z.int().min(0).max(60_000).optional(),
  /** true: the webhooks of one change are sent in random order. */
  shuffle: z.boolean().optional(),
  sign: z.enum(SIGNATURES).optional(),
});

/** How webhooks are sent now. */
interface Present {
  readonly drop: boolean;
  readonly duplicate: number;
  readonly delay_ms: number;
  readonly shuffle: boolean;
  readonly sign: Signature;
}

export interface Counted {
  readonly delivered: number;
  /** Refused, unanswered or dropped. */
  readonly failed: number;
  /** Not sent yet when the control call had to be answered. */
  readonly waiting: number;
}

export interface Delivery {
  behave(change: z.output<typeof Behaviour>): Present;
  /** Waits for the first attempt of these webhooks, for four seconds at most. */
  settled(ids: readonly string[]): Promise<Counted>;
  /** Sends these webhooks again, whatever their state. */
  resend(ids: readonly string[]): void;
  /** Makes the next attempt of all undelivered webhooks now, and waits for it. */
  retry(): Promise<Counted>;
  /** Sends any bytes; returns the receiver's answer. */
  post(body: Buffer, sign: Signature, headers: Readonly<Record<string, string>>): Promise<DoorAnswer>;
  stop(): void;
}

/** Pauses between the ten attempts of Fireblocks' webhooks, version 2. */
const RETRY_SECONDS = [10, 30, 120, 300, 900, 1_800, 3_600, 7_200, 14_400];
const CONTROL_MS = 4_000;
/** Fireblocks does not repeat a webhook after a 4xx other than 408 and 429. */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

export interface DeliveryOptions extends Door {
  readonly world: World;
  note(call: string, details: Details): void;
}

/** Sends all webhooks from now on, and those that an earlier run has not delivered. The caller stops it. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { world, note } = options;
  let present: Present = { drop: false, duplicate: 0, delay_ms: 0, shuffle: false, sign: 'good' };
  const timers = new Map<string, NodeJS.Timeout>();
  const attempt = createAttempts(options, timers, () => present.sign);
  const firstSent = new Map<string, Promise<void>>();
  let line = Promise.resolve();

  async function sendFirst(id: string, due: number): Promise<void> {
    const row = world.notifications.get(id);
    if (row === undefined) return;
    if (present.drop) {
      note('webhook', { id, event: eventOf(row), dropped: true });
      world.act(() => world.notifications.set(id, { ...row, state: 'lost' }));
      return;
    }
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    for (let times = present.duplicate; times >= 0; times -= 1) await attempt(id);
  }

  /** Sends one after the other, so that they arrive in order unless they are shuffled. */
  function send(ids: readonly string[]): void {
    const due = performance.now() + present.delay_ms;
    for (const id of present.shuffle ? shuffled(ids) : ids) {
      line = line.then(() => sendFirst(id, due)).finally(() => firstSent.delete(id));
      firstSent.set(id, line);
    }
  }

  async function settled(ids: readonly string[]): Promise<Counted> {
    const sent = Promise.all(ids.flatMap((id) => firstSent.get(id) ?? []));
    await Promise.race([sent, sleep(CONTROL_MS, undefined, { ref: false })]);
    return counted(ids.flatMap((id) => world.notifications.get(id) ?? []));
  }

  const waiting = (): Notification[] =>
    [...world.notifications.values()].filter(({ state }) => state === 'waiting');
  const idsOf = (rows: readonly Notification[]): string[] => rows.map(({ id }) => id);
  world.sendBy(send);
  send(idsOf(waiting()));

  return {
    settled,
    behave(change) {
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      present = { ...present, ...Object.fromEntries(given) };
      return present;
    },
    resend: (ids) => ids.forEach((id) => void attempt(id)),
    retry() {
      const rows = waiting();
      // those without an attempt are already in the line
      send(idsOf(rows.filter(({ attempts }) => attempts > 0)));
      return settled(idsOf(rows));
    },
    post: (body, sign, headers) => postTo(options, body, sign, headers),
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/** Makes one attempt, stores its outcome and schedules the next attempt. */
function createAttempts(
  options: DeliveryOptions,
  timers: Map<string, NodeJS.Timeout>,
  signature: () => Signature,
): (id: string) => Promise<void> {
  const { world, note } = options;
  return async function attempt(id) {
    const row = world.notifications.get(id);
    if (row === undefined) return;
    clearTimeout(timers.get(id));
    const answer = await postTo(options, Buffer.from(row.body), signature()).catch((error: unknown) => ({
      ...{ status: 0, body: error instanceof Error ? error.message : String(error) },
    }));
    const attempts = row.attempts + 1;
    note('webhook', { id, event: eventOf(row), attempt: attempts, status: answer.status });
    const isTaken = answer.status >= 200 && answer.status < 300;
    const pause = isTaken || isFinal(answer.status) ? undefined : RETRY_SECONDS[attempts - 1];
    const state = isTaken ? 'delivered' : pause === undefined ? 'failed' : 'waiting';
    world.act(() => world.notifications.set(id, { ...row, attempts, state }));
    if (pause !== undefined) timers.set(id, setTimeout(() => void attempt(id), pause * 1_000).unref());
  };
}

function counted(rows: readonly Notification[]): Counted {
  const delivered = rows.filter(({ state }) => state === 'delivered').length;
  const waiting = rows.filter(({ state, attempts }) => state === 'waiting' && attempts === 0).length;
  return { delivered, failed: rows.length - delivered - waiting, waiting };
}

function eventOf({ body }: Notification): unknown {
  return z.looseObject({ eventType: z.string() }).parse(JSON.parse(body)).eventType;
}

function shuffled<Thing>(things: readonly Thing[]): Thing[] {
  return things
    .map((thing) => ({ thing, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ thing }) => thing);
}
