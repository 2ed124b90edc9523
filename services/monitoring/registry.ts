/** The metrics of a process: what it counts of itself, whether its parts answer, and where the bank's work stands. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { within } from '../../adapters/in-time.ts';
import { ownMetrics } from '../../adapters/metrics.ts';
import type { Config } from '../../config.ts';
import { clockDifference } from '../../db/queries/platform/clock.ts';
import { CHECKED, type Readiness } from './readiness.ts';
import { standingReader, type Standing } from './standing.ts';

/** How long a collector waits for the clock of the database. */
const CLOCK_MILLISECONDS = 1_000;

export interface Monitored {
  readonly em: () => EntityManager;
  readonly config: Config;
  readonly readiness: Readiness;
}

/** A registry of its own for each process. Every process shows the bank's standing: take the maximum over the replicas. */
export function createRegistry({ em, config, readiness }: Monitored): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of ownMetrics()) registry.registerMetric(metric);
  watchPool(em, registry);
  watchClock(em, registry);
  watchParts(readiness, registry);
  const read = standingReader(em, config);
  for (const shown of STANDING) watchStanding(shown, read, registry);
  return registry;
}

type Figure = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Shown {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  figures(standing: Standing): readonly Figure[];
}

const STANDING: readonly Shown[] = [
  {
    name: 'teller_screening_list_age_seconds',
    help: 'How old each sanctions list in force is.',
    labels: ['list'],
    figures: ({ lists }) => lists.map(({ source, age }): Figure => [{ list: source }, age]),
  },
  {
    name: 'teller_screening_lists_stale',
    help: 'Sanctions lists in force that are older than AML_LIST_MAX_AGE_DAYS.',
    labels: [],
    figures: ({ lists }) => [[{}, lists.filter(({ stale }) => stale).length]],
  },
  {
    name: 'teller_screening_due',
    help: 'Customers and payees whose present name has not been compared with the sanctions lists.',
    labels: [],
    figures: ({ unscreened }) => [[{}, unscreened]],
  },
  {
    name: 'teller_outbox',
    help: 'Starts and updates of processes that the outbox holds: waiting, refused by Temporal, or set aside after many attempts.',
    labels: ['kind', 'state'],
    figures: ({ outbox, refused }) => [
      ...outbox.map(({ kind, state, count }): Figure => [{ kind, state }, count]),
      [{ kind: 'start', state: 'refused' }, refused.refused],
      [{ kind: 'start', state: 'set_aside' }, refused.setAside],
    ],
  },
  {
    name: 'teller_outbox_oldest_seconds',
    help: 'How long the oldest start or update has waited that is neither refused nor set aside.',
    labels: ['kind'],
    figures: ({ outbox }) =>
      outbox.filter(({ state }) => state === 'waiting').map(({ kind, oldest }): Figure => [{ kind }, oldest]),
  },
  {
    name: 'teller_waiting',
    help: 'Open rows by the kind of their process and their status.',
    labels: ['process', 'status'],
    figures: ({ waiting }) =>
      waiting.map(({ process, status, count }): Figure => [{ process, status }, count]),
  },
  {
    name: 'teller_waiting_oldest_seconds',
    help: 'Age of the oldest open row, by the kind of its process and its status.',
    labels: ['process', 'status'],
    figures: ({ waiting }) =>
      waiting.map(({ process, status, oldest }): Figure => [{ process, status }, oldest]),
  },
  {
    name: 'teller_overdue',
    help: 'Open rows that time should have moved on and the watch could not, at most 1000 of a kind.',
    labels: ['process'],
    figures: ({ overdue }) => overdue.map(({ process, count }): Figure => [{ process }, count]),
  },
  {
    name: 'teller_account_fees_owed',
    help: 'Monthly fees that the books have refused: tried every day, or set aside and tried once a week.',
    labels: ['state'],
    figures: ({ fees }) => fees.map(({ state, count }): Figure => [{ state }, count]),
  },
  {
    name: 'teller_holds_not_ended',
    help: 'Holds whose time is over and which the books refuse to end; they are tried again, at least once an hour.',
    labels: [],
    figures: ({ holds }) => [[{}, holds.count]],
  },
  {
    name: 'teller_lock_waits',
    help: 'Sessions of the service that wait for a lock of the database now.',
    labels: [],
    figures: ({ locks }) => [[{}, locks.count]],
  },
  {
    name: 'teller_lock_wait_longest_seconds',
    help: 'How long the longest of the sessions that wait for a lock has waited.',
    labels: [],
    figures: ({ locks }) => [[{}, locks.longest]],
  },
  {
    name: 'teller_write_oldest_seconds',
    help: 'Age of the oldest transaction of the service that has written; the feed of the ledger ends before it.',
    labels: [],
    figures: ({ locks }) => [[{}, locks.oldestWrite]],
  },
  {
    name: 'teller_coin_prices',
    help: 'Coins that the bank offers, by whether they have a price to trade at.',
    labels: ['state'],
    figures: ({ prices }) => prices.map(({ state, count }): Figure => [{ state }, count]),
  },
  {
    name: 'teller_crypto_reserves_wrong_seconds',
    help: 'For how long the custodian has held something else than the books say (differ), or less than customers are owed (short), by coin; zero if it is right.',
    labels: ['asset', 'fault'],
    figures: ({ reserves }) =>
      reserves.flatMap(({ asset, differs, short }): Figure[] => [
        [{ asset, fault: 'differ' }, differs],
        [{ asset, fault: 'short' }, short],
      ]),
  },
  {
    name: 'teller_crypto_reserves_age_seconds',
    help: 'How long ago what the custodian holds was last compared with the books; no value if it never was.',
    labels: [],
    figures: ({ reserves }) =>
      reserves.length === 0 ? [] : [[{}, Math.max(...reserves.map(({ age }) => age))]],
  },
  {
    name: 'teller_ledger_broken',
    help: 'Rows that broke a check of the books when it was last made; zero in sound books.',
    labels: ['check'],
    figures: ({ ledgerCheck }) =>
      (ledgerCheck?.checks ?? []).map(({ check, broken }): Figure => [{ check }, broken]),
  },
  {
    name: 'teller_ledger_check_age_seconds',
    help: 'How long ago the books were last checked; no value if they never were.',
    labels: [],
    figures: ({ ledgerCheck }) => (ledgerCheck === undefined ? [] : [[{}, ledgerCheck.age]]),
  },
  {
    name: 'teller_ledger_check_took_seconds',
    help: 'How long the last check of the books took.',
    labels: [],
    figures: ({ ledgerCheck }) => (ledgerCheck === undefined ? [] : [[{}, ledgerCheck.took]]),
  },
];

/** No value while the database is away: an old figure would look like a good one. */
function watchStanding(
  { name, help, labels, figures }: Shown,
  read: () => Promise<Standing | undefined>,
  registry: Registry,
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const standing = await read();
      if (labels.length === 0) this.remove();
      else this.reset();
      if (standing === undefined) return;
      for (const [values, value] of figures(standing)) this.set({ ...values }, value);
    },
  });
}

function watchParts(readiness: Readiness, registry: Registry): void {
  new Gauge({
    name: 'teller_part_up',
    help: '1 if the part answers this process, else 0.',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      const checks = await readiness.look();
      for (const part of CHECKED) this.set({ part }, checks[part] === 'ok' ? 1 : 0);
    },
  });
}

function watchPool(em: () => EntityManager, registry: Registry): void {
  new Gauge({
    name: 'teller_database_connections',
    help: 'Connections of the pool, and calls that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const pool = await em().getConnection().getNativeClient();
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

function watchClock(em: () => EntityManager, registry: Registry): void {
  new Gauge({
    name: 'teller_clock_difference_seconds',
    help: 'How far the clock of the database is ahead of this process; beyond CLOCK_TOLERANCE_SECONDS nothing is posted.',
    registers: [registry],
    async collect() {
      const read = clockDifference(em()).catch(() => undefined);
      const difference = await within(CLOCK_MILLISECONDS, read, () => undefined);
      // the other metrics are worth having while the database is away
      if (difference === undefined) this.remove();
      else this.set(difference);
    },
  });
}
