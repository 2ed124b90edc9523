/** What the database knows of the bank's work, read for metrics: rarely enough that a collector costs nothing. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { within } from '../../adapters/in-time.ts';
import type { Config } from '../../config.ts';
import { countRefusedExpiries } from '../../db/ledger/holds.ts';
import { listsInForce } from '../../db/queries/aml/list-loads.ts';
import { countDueParties } from '../../db/queries/aml/parties.ts';
import { now } from '../../domain/time/now.ts';
import { countPrices } from '../../db/queries/crypto/prices.ts';
import { reserveFaults } from '../../db/queries/crypto/reserves.ts';
import { lastLedgerCheck } from '../../db/queries/ledger/ledger-checks.ts';
import { countRefusedStarts, SET_ASIDE_AFTER } from '../../db/queries/platform/refused-starts.ts';
import { lockWaits, outboxStanding, owedFees, waitingProcesses } from '../../db/queries/platform/standing.ts';
import { withEachRecovery } from '../recoveries.ts';

const FRESH_MILLISECONDS = 10_000;
const ANSWER_MILLISECONDS = 2_000;
/** What time should have moved on, and the watch has had two looks at. */
const OVERDUE_SECONDS = 720;
const MOST_OVERDUE = 1_000;
const DAY_SECONDS = 86_400;

export type Standing = Awaited<ReturnType<typeof read>>;

/** Reads again if the last answer is old; undefined while the database is away. */
export function standingReader(em: () => EntityManager, config: Config): () => Promise<Standing | undefined> {
  let last: { readonly at: number; readonly standing: Promise<Standing | undefined> } | undefined;
  // one that takes too long goes on, and no other begins beside it
  let reading: Promise<Standing> | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > FRESH_MILLISECONDS) {
      reading ??= read(em, config).finally(() => (reading = undefined));
      // a collector that waits for ever learns nothing
      const standing = within(ANSWER_MILLISECONDS, reading, () => undefined).catch(() => undefined);
      last = { at: performance.now(), standing };
    }
    return last.standing;
  };
}

async function read(em: () => EntityManager, config: Config) {
  const db = em();
  // one after the other: a collector takes one connection and no more
  const waiting = await waitingProcesses.all(db);
  const outbox = await outboxStanding.all(db);
  const refused = await countRefusedStarts.one(db, { setAsideAfter: SET_ASIDE_AFTER });
  const fees = await owedFees.all(db);
  const holds = await countRefusedExpiries.one(db);
  const locks = await lockWaits.one(db);
  const lists = (await listsInForce.all(db)).map(({ source, publishedAt, createdAt }) => ({
    source,
    age: (now().getTime() - (publishedAt ?? createdAt).getTime()) / 1_000,
  }));
  const prices = await countPrices.all(db);
  const reserves = await reserveFaults.all(db);
  const unscreened = (await countDueParties.one(db)).count;
  const ledgerCheck = await lastLedgerCheck.first(db);
  const page = { lateSeconds: OVERDUE_SECONDS, most: MOST_OVERDUE, after: null };
  const overdue = [];
  for (const count of withEachRecovery(config, (recovery) => async () => ({
    process: recovery.process.name,
    count: (await recovery.overdue(db, page)).length,
  })))
    overdue.push(await count());
  const mostAge = config.AML_LIST_MAX_AGE_DAYS * DAY_SECONDS;
  return {
    ...{ waiting, outbox, refused, fees, holds, locks, ledgerCheck, overdue, unscreened, prices, reserves },
    lists: lists.map((list) => ({ ...list, stale: list.age > mostAge })),
  };
}
