/**
 * Brings what the custodian tells to the deposits: its events, and what has changed there in case an event was lost. Rows first: a
 * process that cannot be asked now is started by the watch.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import {
  CustodianFailure,
  type Custodian,
  type CustodyTransfer,
  type UnreadableTransfer,
} from '../adapters/custody/custodian.ts';
import { beginPoll, claimEvents, endEvents, endPoll, putAside } from '../db/queries/crypto/custody-events.ts';
import { isPermanentState, sqlStateOf } from '../db/sql-state.ts';
import { noteTransfer, type Noted } from '../services/crypto/deposits.ts';
import { someAtOnce } from '../services/platform/at-once.ts';
import type { Processes } from '../services/platform/processes.ts';
import { look } from '../workflows/crypto-deposit/contract.ts';
import { depositProcess } from '../workflows/crypto-deposit/process.ts';
import { unlessAway } from './rounds.ts';

export interface CustodyRoundDeps {
  readonly custodian: Pick<Custodian, 'getTransfer' | 'transfersSince'>;
  readonly processes: Pick<Processes, 'ask'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** Fireblocks allows few calls a second. */
const AT_ONCE = 4;
const MOST_EVENTS = 100;
/** Longer than a batch takes. */
const CLAIM_SECONDS = 60;
/** After so long the custodian must know of what it has told itself. */
const UNKNOWN_SECONDS = 600;
/** What changed so long before the last poll is asked for again: the custodian's list may lag behind. */
const OVERLAP_MILLISECONDS = 60_000;

/** One round of taking events, until none waits. Never throws. */
export function eventRound(deps: CustodyRoundDeps): () => Promise<void> {
  return unlessAway(
    async () => {
      while ((await takeEvents(deps)) === MOST_EVENTS);
    },
    (err, pause) => {
      deps.log.warn({ err, pause }, 'events of the custodian cannot be taken in; they wait');
    },
  );
}

/** One round of asking what has changed, unless another worker has asked within `seconds`. Never throws. */
export function pollRound(deps: CustodyRoundDeps, seconds: number): () => Promise<void> {
  return unlessAway(
    () => poll(deps, seconds),
    (err, pause) => {
      deps.log.warn({ err, pause }, 'the custodian cannot be asked what has changed; it is asked again');
    },
  );
}

/** Takes events of transactions, each transaction once. Returns how many events there were. */
async function takeEvents(deps: CustodyRoundDeps): Promise<number> {
  const { em } = deps;
  const claimed = await claimEvents.all(em(), { most: MOST_EVENTS, seconds: CLAIM_SECONDS });
  const byTransfer = Map.groupBy(claimed, ({ resource }) => resource);
  const left = new Set(claimed.map(({ id }) => id));
  try {
    await someAtOnce(
      [...byTransfer],
      async ([transferId, events]) => {
        const ids = events.map(({ id }) => id);
        // one that fails stays claimed for a while, so that the next round begins with others
        for (const id of ids) left.delete(id);
        const age = Math.max(...events.map(({ ageSeconds }) => ageSeconds));
        const isDone = await takeTransferOf(deps, transferId, age);
        if (isDone) await endEvents.run(em(), { events: ids, outcome: 'done' });
        return isDone;
      },
      AT_ONCE,
    );
  } finally {
    if (left.size > 0) await endEvents.run(em(), { events: [...left], outcome: 'waiting' });
  }
  return claimed.length;
}

/** False if the custodian does not know yet what it has told. */
async function takeTransferOf(deps: CustodyRoundDeps, id: string, ageSeconds: number): Promise<boolean> {
  try {
    const transfer = await deps.custodian.getTransfer(id);
    if (transfer !== null) {
      const noted = await note(deps, transfer);
      if (noted !== undefined) await tell(deps, noted);
      return true;
    }
    if (ageSeconds < UNKNOWN_SECONDS) return false;
    await aside(deps, id, 'unknown_transfer', id);
  } catch (error) {
    // asked again, it would be refused again
    if (!(error instanceof CustodianFailure) || error.kind !== 'refused') throw error;
    await aside(deps, id, 'refused', error.message);
  }
  return true;
}

/** Notes all that has changed, so that no row waits for a process; then tells the processes. */
async function poll(deps: CustodyRoundDeps, seconds: number): Promise<void> {
  const { custodian, em } = deps;
  const { since } = (await beginPoll.first(em(), { seconds })) ?? { since: null };
  if (since === null) return;
  const open: Noted[] = [];
  for await (const transfer of custodian.transfersSince(since.getTime() - OVERLAP_MILLISECONDS)) {
    const noted = await note(deps, transfer);
    if (noted !== undefined) open.push(noted);
    if ('lastUpdated' in transfer) await endPoll.run(em(), { until: new Date(transfer.lastUpdated) });
  }
  const failures: unknown[] = [];
  await someAtOnce(
    open,
    async (noted) => {
      // one that cannot be told keeps no others from it, and if none can be, the watch begins their processes
      if (failures.length >= AT_ONCE) return false;
      await tell(deps, noted).catch((error: unknown) => failures.push(error));
      return true;
    },
    AT_ONCE,
  );
  if (failures.length > 0) throw failures[0];
}

/** Notes a transaction; the deposit that it is, if its process has something to do. One that the bank cannot take in is put aside. */
async function note(
  deps: CustodyRoundDeps,
  transfer: CustodyTransfer | UnreadableTransfer,
): Promise<Noted | undefined> {
  const { em, log } = deps;
  const noted = await noteTransfer(em, transfer).catch((err: unknown) => {
    const state = sqlStateOf(err);
    // one that the database will never take must not keep the others waiting
    if (state === undefined || !isPermanentState(state)) throw err;
    log.error({ err, transfer: transfer.id }, 'a transaction of the custodian cannot be noted');
    return 'not_taken' as const;
  });
  if (typeof noted !== 'string') return noted?.isOpen === true ? noted : undefined;
  await aside(deps, transfer.id ?? hashOf(transfer), noted, transfer);
  return undefined;
}

const hashOf = (content: object): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex');

/** Has the process of a deposit look at it; it is begun if it does not run. */
async function tell({ processes }: CustodyRoundDeps, { id, customerId }: Noted): Promise<void> {
  await processes.ask(depositProcess, { id, customerId }, look, { id });
}

/** Keeps a transaction that the bank cannot take in, and raises the alarm the first time. */
async function aside(
  { em, log }: CustodyRoundDeps,
  id: string,
  why: string,
  content: unknown,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(content));
  const { isNew } = await putAside.one(em(), { transfer: id, content: body, why });
  if (isNew)
    log.error(
      { alert: 'custody_transfer_aside', transfer: id, fault: why },
      'the custodian tells of a transaction that the bank cannot take in: somebody must look at it',
    );
}
