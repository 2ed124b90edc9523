/** Releases the holds whose time is over. Any number of workers may do it at once. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { releaseDueHolds } from '../services/ledger/holds.ts';

/** One round, until none is left that could be released. Never throws. */
export function holdRound(deps: {
  readonly em: () => EntityManager;
  readonly log: Logger;
}): () => Promise<void> {
  const { em, log } = deps;
  return () =>
    releaseDueHolds({ em, log }).catch((err: unknown) => {
      log.warn({ err }, 'holds whose time is over could not be released');
    });
}
