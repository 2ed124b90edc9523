/** What activities are built with. Handed in by workers/main.ts; nothing is fetched. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../adapters/cipher.ts';

export interface ActivityDeps {
  /** A fresh fork for each use. */
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  readonly log: Logger;
}
