/** Screens new names, changed names and, after a change of a list, everybody. Any number of workers may do it; one is at it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { screeningRound } from '../services/aml/screening-rounds.ts';

/** One round. Never throws. */
export function screeningWork(deps: {
  readonly em: () => EntityManager;
  readonly log: Logger;
  readonly config: Pick<Config, 'AML_MATCH_THRESHOLD'>;
}): () => Promise<void> {
  const { em, log, config } = deps;
  return async () => {
    try {
      await screeningRound({ em, threshold: config.AML_MATCH_THRESHOLD });
    } catch (err) {
      log.error({ err, alert: 'not_screened' }, 'names could not be screened; the next round tries again');
    }
  };
}
