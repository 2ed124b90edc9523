/**
 * Who is behind an access token, now. A session's row is kept in memory for two seconds at most; a trigger's NOTIFY drops it
 * at once in every replica, so that a blocked user or an ended session is refused at its next call.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config } from '../../../config.ts';
import { listen } from '../../../db/queries/notifications/notices.ts';
import { liveSession, type LiveSession } from '../../../db/queries/identity/sessions/sessions.ts';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { UserRole } from '../../../domain/identity/people.ts';
import type { Tokens } from './tokens.ts';

const CHANNEL = 'teller_identity';
const KEPT_MILLISECONDS = 2_000;
const KEPT_MAX = 20_000;

/** The person behind a valid access token of a live session. */
export interface Authenticated {
  readonly id: UserId;
  readonly sessionId: SessionId;
  readonly role: UserRole;
  readonly amr: readonly string[];
  readonly locale: string;
  /** Empty for customers. */
  readonly permissions: ReadonlySet<string>;
}

export interface Sessions {
  /** Null where the token is not valid, its session has ended, or its user may not come in. */
  authenticate(accessToken: string): Promise<Authenticated | null>;
  /** The same for a session that is known by other means. */
  behind(known: { readonly userId: UserId; readonly sessionId: SessionId }): Promise<Authenticated | null>;
  /**
   * Call where a session, or a user's rights, are being changed here: for two seconds each call reads the database, so that
   * no state from before the commit is kept.
   */
  forget(id: SessionId | UserId): void;
  /**
   * Has `changed` called with the id of each session or user that may have been changed, or with null if that could be any of them. Answers
   * how to stop it.
   */
  watch(changed: (id: string | null) => void): () => void;
  close(): Promise<void>;
}

interface Kept extends Authenticated {
  readonly expiresAt: number;
}

export function createSessions(deps: {
  config: Pick<Config, 'DATABASE_URL'>;
  em: () => EntityManager;
  tokens: Tokens;
  log: Logger;
}): Sessions {
  const { config, em, tokens, log } = deps;
  const kept = new LRUCache<SessionId, Kept>({ max: KEPT_MAX, ttl: KEPT_MILLISECONDS });
  /** Sessions and users whose rows are just changing. */
  const changing = new LRUCache<string, true>({ max: KEPT_MAX, ttl: KEPT_MILLISECONDS });

  const watchers = createWatchers();

  function forget(id: string): void {
    changing.set(id, true);
    for (const [sessionId, entry] of kept.entries()) {
      if (sessionId === id || entry.id === id) kept.delete(sessionId);
    }
  }

  const notices = listen({
    databaseUrl: config.DATABASE_URL,
    channel: CHANNEL,
    log,
    heard: (notice) => {
      const [kind, id = ''] = notice.split(':');
      if (kind === 'keys') tokens.forget();
      else {
        forget(id);
        watchers.tell(id);
      }
    },
    lost: () => {
      kept.clear();
      tokens.forget();
      watchers.tell(null);
    },
  });

  async function read(id: SessionId): Promise<Kept | null> {
    const live = await liveSession.first(em(), { id });
    if (live === undefined) return null;
    const entry = entryOf(id, live);
    const steady = notices.listening() && !changing.has(id) && !changing.has(entry.id);
    if (steady) kept.set(id, entry);
    return entry;
  }

  const behind: Sessions['behind'] = async ({ userId, sessionId }) => {
    const session = kept.get(sessionId) ?? (await read(sessionId));
    return session !== null && session.id === userId && session.expiresAt > Date.now() ? session : null;
  };

  return {
    authenticate: async (accessToken) => {
      const claims = await tokens.verifyAccess(accessToken);
      return claims === null ? null : behind(claims);
    },
    behind,
    forget,
    watch: watchers.watch,
    close: () => notices.close(),
  };
}

function createWatchers() {
  const watchers = new Set<(id: string | null) => void>();
  return {
    tell: (id: string | null): void => {
      for (const changed of watchers) changed(id);
    },
    watch: (changed: (id: string | null) => void) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

function entryOf(sessionId: SessionId, live: LiveSession): Kept {
  const { userId, role, amr, locale, permissions, expiresAt } = live;
  return {
    id: userId,
    sessionId,
    role,
    amr,
    locale,
    permissions: new Set(permissions),
    expiresAt: expiresAt.getTime(),
  };
}
