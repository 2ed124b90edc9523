/** Builds the parts that know who is calling; `api/main.ts` hands them to the handlers. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Config } from '../../config.ts';
import { createPasswords, type Passwords } from './passwords/passwords.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createSigningKeys } from './sessions/signing-keys.ts';
import { createTokens, type Tokens } from './sessions/tokens.ts';

export interface Identity {
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  /** Stops listening to the database. */
  close(): Promise<void>;
}

/** `em` answers a fresh fork at each call. Nothing connects before it is needed, but for the listener, which retries. */
export function createIdentity(deps: {
  config: Config;
  cipher: Cipher;
  em: () => EntityManager;
  log: Logger;
}): Identity {
  const { config, cipher, em, log } = deps;
  const tokens = createTokens({ config, keys: createSigningKeys({ em, cipher }) });
  const sessions = createSessions({ config, em, tokens, log });
  return { passwords: createPasswords(), tokens, sessions, close: () => sessions.close() };
}
