/** Proves that what customers own is there: counts what the custodian holds beside what the books say. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Custodian } from '../adapters/custody/custodian.ts';
import { beginReserves, countReserves } from '../db/queries/crypto/reserves.ts';
import { now } from '../domain/time/now.ts';
import { unlessAway } from './rounds.ts';

export interface ReservesRoundDeps {
  readonly custodian: Pick<Custodian, 'holdings'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** How the names of the bank's vaults begin: those of customers, and its own. Other vaults of the custodian's workspace are not counted. */
const VAULTS = ['u:', 'bank:'];

const SAYS = {
  differ:
    'the custodian has held something else than the books say for fifteen minutes: compare its transactions',
  short: 'the custodian has held less than customers are owed for fifteen minutes',
} as const;

/** One count of all coins, unless another worker has counted within `seconds`. Never throws. */
export function reservesRound(deps: ReservesRoundDeps, seconds: number): () => Promise<void> {
  return unlessAway(
    () => count(deps, seconds),
    (err, pause) => {
      deps.log.warn({ err, pause }, 'the custodian does not say what it holds; it is asked again');
    },
  );
}

async function count({ custodian, em, log }: ReservesRoundDeps, seconds: number): Promise<void> {
  const { isDue } = await beginReserves.one(em(), { seconds });
  if (!isDue) return;
  const asked = now();
  const told = await Promise.all(VAULTS.map((prefix) => custodian.holdings(prefix)));
  for (const { asset, fault } of await countReserves.all(em(), { told: told.flat(), asked }))
    log.error({ alert: `crypto_reserves_${fault}`, asset }, SAYS[fault]);
}
