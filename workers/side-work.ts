/** What a worker process does at intervals beside its task queues. Each round belongs to the queue whose business it is. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { CardVault } from '../adapters/card-vault.ts';
import type { Cipher } from '../adapters/cipher.ts';
import type { Custodian } from '../adapters/custody/custodian.ts';
import type { Mail, Sms } from '../adapters/mail.ts';
import type { Push } from '../adapters/push/push.ts';
import { tickerOf } from '../adapters/prices/tickers.ts';
import type { PaymentRail } from '../adapters/rail/rail.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Temporal } from '../adapters/temporal.ts';
import type { Config } from '../config.ts';
import { sweep } from '../db/queries/platform/sweeps.ts';
import { queueName, type Queue } from '../domain/queues.ts';
import { remindReviewers } from '../services/aml/reminders.ts';
import { assessDueRisks } from '../services/compliance/risks.ts';
import { collectCardFiles } from '../services/cards/files.ts';
import { startSender } from '../services/notifications/sending/sender.ts';
import type { Processes } from '../services/platform/processes.ts';
import { eventRound, pollRound, type CustodyRoundDeps } from './custody-round.ts';
import { holdRound } from './hold-round.ts';
import { priceRound } from './price-round.ts';
import { processWatch } from './process-watch.ts';
import { railRound } from './rail-round.ts';
import { railWatch } from './rail-watch.ts';
import { reservesRound, type ReservesRoundDeps } from './reserves-round.ts';
import { every, unlessAway } from './rounds.ts';
import { screeningWork } from './screening-round.ts';
import { keepSchedules } from './schedules.ts';
import { timetable } from './timetable.ts';

const HOLD_SECONDS = 2;
const EVENT_SECONDS = 1;
const SCREENING_SECONDS = 1;
const SWEEP_SECONDS = 600;
const WATCH_SECONDS = 300;
const REMIND_SECONDS = 60;
const RISK_SECONDS = 15;
/** What time decides is carried out within moments. */
const LATE_SECONDS = 120;
/** SEPA settles by the next business day; a long weekend lies within four. */
const RAIL_PATIENCE = { lateSeconds: 300, silentSeconds: 4 * 24 * 3600 };

export interface SideWorkDeps {
  readonly config: Config;
  readonly processes: Processes;
  readonly temporal: Temporal;
  readonly rail: PaymentRail;
  readonly custodian: Custodian;
  readonly storage: Storage;
  readonly vault: CardVault;
  readonly em: () => EntityManager;
  /** On a pool of its own. */
  readonly sendingEm: () => EntityManager;
  readonly ways: {
    readonly cipher: Cipher;
    readonly mail: Mail;
    readonly sms: Sms;
    readonly push: Push | undefined;
  };
  readonly log: Logger;
}

/** A part of the work beside the queues; `stop` waits for what is under way. */
interface Part {
  stop(): Promise<void>;
}

/** Starts the parts of the queues that this process serves. */
export function startSideWork(deps: SideWorkDeps): Part {
  const parts = deps.config.WORKER_QUEUES.flatMap((queue) => sideWork[queue](deps));
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
}

const sideWork: Readonly<Record<Queue, (deps: SideWorkDeps) => Part[]>> = {
  // apart from each other: a round of updates lasts as long as nobody takes them
  money: ({ config, processes, em, log }) => [
    every(HOLD_SECONDS, holdRound({ em, log })),
    every(config.RELAY_SECONDS, () => processes.relay('starts')),
    every(config.RELAY_SECONDS, () => processes.relay('updates')),
  ],

  outside: ({ config, rail, custodian, storage, vault, processes, em, sendingEm, ways, log }) => [
    startSender({ ...ways, em: sendingEm, config, log }, config),
    every(config.RAIL_COLLECT_SECONDS, railRound({ rail, processes, em, log })),
    every(
      config.RAIL_COLLECT_SECONDS,
      unlessAway(
        () => collectCardFiles({ config, storage, vault, em, log }),
        (err, pause) => {
          log.warn({ err, pause }, 'files of the card network cannot be taken in; they wait');
        },
      ),
    ),
    ...custodyParts({ custodian, processes, em, log }, config),
    ...priceParts(em, log, config),
    every(WATCH_SECONDS, railWatch({ rail, em, log }, RAIL_PATIENCE)),
  ],

  housekeeping: ({ config, processes, temporal, em, ways, log }) => [
    every(WATCH_SECONDS, processWatch({ processes, em, log, config }, LATE_SECONDS)),
    every(SCREENING_SECONDS, screeningWork({ em, log, config })),
    every(SWEEP_SECONDS, () =>
      sweep(em()).catch((err: unknown) => log.warn({ err }, 'what is over could not be swept')),
    ),
    every(REMIND_SECONDS, () =>
      remindReviewers({ em, cipher: ways.cipher }).catch((err: unknown) =>
        log.warn({ err }, 'reviewers could not be reminded of their flags'),
      ),
    ),
    every(RISK_SECONDS, () =>
      assessDueRisks(em, log).catch((err: unknown) => log.warn({ err }, 'customers could not be rated')),
    ),
    keepSchedules(timetable, {
      temporal,
      taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, 'money'),
      // what the clock starts in a bank that many tests share, at one of their moments, changes what they count: a test starts it itself
      arePaused: config.NODE_ENV === 'test',
      log,
    }),
  ],
};

/** What the custodian tells; nothing while none is set. */
function custodyParts(
  deps: CustodyRoundDeps & ReservesRoundDeps,
  { CUSTODIAN_URL: url, CUSTODIAN_POLL_SECONDS: seconds, CRYPTO_RECONCILE_SECONDS: count }: Config,
): Part[] {
  if (url === undefined) return [];
  return [
    every(EVENT_SECONDS, eventRound(deps)),
    every(seconds, pollRound(deps, seconds)),
    every(count, reservesRound(deps, count)),
  ];
}

/** What exchanges say that coins are worth; nothing while none is set. */
function priceParts(
  em: () => EntityManager,
  log: Logger,
  { PRICE_SOURCES: sources = [], PRICE_POLL_SECONDS: seconds }: Config,
): Part[] {
  return sources.map((source) => every(seconds, priceRound({ source: tickerOf(source), em, log }, seconds)));
}
