/**
 * Sends what is due, in rounds, each lane by itself: codes never wait behind notices, nor notices behind announcements or behind the
 * services that browsers have named for push messages. It has a pool of its own, so that it never takes a connection that money needs.
 */
import { listen } from '../../../db/queries/notifications/notices.ts';
import {
  claimDeliveries,
  loseDeliveries,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import { tellEvents } from '../../../db/queries/notifications/events.ts';
import type { Config } from '../../../config.ts';
import { CHANNELS, LANES, type Channel, type Lane } from '../../../domain/notifications/notifications.ts';
import { someAtOnce } from '../../platform/at-once.ts';
import { coalesced, type Coalesced } from '../../platform/coalesced.ts';
import { rememberingFinder } from '../texts/rendering.ts';
import { deliver, type SendingDeps } from './deliver.ts';
import { createOutcomes } from './outcomes.ts';
import { paced, type Pace } from './pace.ts';

/** How many a round claims, and how many of them are under way at once. Announcements have a pace of their own. */
const PACES: Readonly<Record<Exclude<Lane, 'bulk'>, Pace>> = {
  codes: { most: 20, atOnce: 8 },
  common: { most: 40, atOnce: 8 },
};
/** Push messages under way at once, to services that anybody may have named. */
const PUSH_PLACES = 24;
const PUSH: readonly Channel[] = ['push'];
const ALL_BUT_PUSH = CHANNELS.filter((channel) => !PUSH.includes(channel));
/** A claim that has not begun is soon free again: somebody waits for a code. */
const CLAIM_SECONDS = 30;
const ROUND_MILLISECONDS = 1_000;
const LOST_MILLISECONDS = 5_000;
/** Events that people are told of in one transaction. */
const TOLD_AT_ONCE = 100;

export interface Sender {
  stop(): Promise<void>;
}

interface Round {
  /** All of them if it is left out. */
  readonly channels?: readonly Channel[];
  readonly atOnce?: number;
  readonly isStopping?: () => boolean;
}

/** One round of a lane: answers how many it has claimed. What is not begun once it stops keeps its claim until the lease ends. */
export async function sendDue(
  deps: SendingDeps,
  lane: Lane,
  most: number,
  { channels = CHANNELS, atOnce = 8, isStopping = () => false }: Round = {},
): Promise<number> {
  const asked = { lane, channels: [...channels], most, leaseSeconds: CLAIM_SECONDS };
  const claimed = await claimDeliveries.all(deps.em(), asked);
  if (claimed.length === 0) return 0;
  const round = { ...deps, find: rememberingFinder(deps.em), outcomes: createOutcomes(deps.em) };
  const inTurn = async (delivery: ClaimedDelivery): Promise<boolean> => {
    if (isStopping()) return false;
    await deliver(round, delivery);
    return true;
  };
  await someAtOnce(claimed, inTurn, atOnce);
  return claimed.length;
}

/** Sends until it is stopped: at once if something was written, and every second what is due by time. */
export function startSender(
  deps: SendingDeps,
  { DATABASE_URL: databaseUrl }: Pick<Config, 'DATABASE_URL'>,
): Sender {
  const { log } = deps;
  let stopping = false;
  const isStopping = () => stopping;
  const loops = [
    ...LANES.map((lane) => ({ lane, ...coalesced(roundOf(deps, lane, isStopping)) })),
    { lane: 'common', ...pushFlow(deps, isStopping) },
  ];
  const losing = coalesced(() => loseDead(deps));
  const telling = coalesced(() => tellWaiting(deps));
  const askAll = (): void => {
    for (const loop of [telling, ...loops]) void loop.ask();
  };
  const notices = listen({
    databaseUrl,
    channel: 'teller_deliveries',
    log,
    heard(lane) {
      for (const loop of loops) if (loop.lane === lane) void loop.ask();
    },
    lost: askAll,
  });
  const timers = [
    setInterval(askAll, ROUND_MILLISECONDS),
    setInterval(() => void losing.ask(), LOST_MILLISECONDS),
  ];
  return {
    async stop() {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      await notices.close();
      await Promise.all([losing, telling, ...loops].map((loop) => loop.settled()));
    },
  };
}

/** Tells people of what triggers have noted since the last round: a payment does not wait for it, and does not wake anybody. */
export async function tellWaiting({ em, log }: Pick<SendingDeps, 'em' | 'log'>): Promise<boolean> {
  try {
    return (await tellEvents.one(em(), { most: TOLD_AT_ONCE })).count === TOLD_AT_ONCE;
  } catch (err) {
    log.warn({ err }, 'events wait: the database does not answer');
    return false;
  }
}

/** Ends what dead workers had begun. Finds no more at once. */
async function loseDead({ em, log }: SendingDeps): Promise<boolean> {
  try {
    await loseDeliveries.one(em(), { lanes: [...LANES] });
  } catch (err) {
    log.warn({ err }, 'deliveries of dead workers wait: the database does not answer');
  }
  return false;
}

/** Whether there may be more at once. */
function roundOf(deps: SendingDeps, lane: Lane, isStopping: () => boolean): () => Promise<boolean> {
  const channels = lane === 'common' ? ALL_BUT_PUSH : CHANNELS;
  const round = ({ most, atOnce }: Pace) => sendDue(deps, lane, most, { channels, atOnce, isStopping });
  return async () => {
    try {
      if (lane === 'bulk') return await paced(deps.em, round, isStopping);
      return (await round(PACES[lane])) === PACES[lane].most;
    } catch (err) {
      deps.log.warn({ err, lane }, 'deliveries wait: the database does not answer');
      return false;
    }
  };
}

/** Sends push messages without rounds: a place that is free takes the next one, so a slow service holds one place and delays no round. */
function pushFlow(deps: SendingDeps, isStopping: () => boolean): Coalesced {
  const underWay = new Set<Promise<void>>();
  const outcomes = createOutcomes(deps.em);
  const waits = (err: unknown): void => {
    deps.log.warn({ err }, 'push messages wait: the database does not answer');
  };
  const begin = async (): Promise<void> => {
    const most = PUSH_PLACES - underWay.size;
    if (most === 0 || isStopping()) return;
    const asked = { lane: 'common', channels: [...PUSH], most, leaseSeconds: CLAIM_SECONDS };
    const claimed = await claimDeliveries.all(deps.em(), asked);
    const round = { ...deps, find: rememberingFinder(deps.em), outcomes };
    for (const delivery of claimed) {
      const sent = deliver(round, delivery)
        .catch(waits)
        .finally(() => {
          underWay.delete(sent);
          void loop.ask();
        });
      underWay.add(sent);
    }
  };
  const loop = coalesced(async () => {
    await begin().catch(waits);
    return false;
  });
  return {
    ask: loop.ask,
    async settled() {
      await loop.settled();
      await Promise.all(underWay);
    },
  };
}
