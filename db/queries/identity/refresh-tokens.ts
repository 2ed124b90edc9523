/** Sessions' families of refresh tokens. A family has one living token; PostgreSQL refuses a second branch. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { UserRole } from '../../../domain/people.ts';
import { row, rows } from '../../sql.ts';

/** A session whose row is locked: refreshes of one family happen one after the other. */
export interface LockedSession {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly role: UserRole;
  readonly email: string;
  readonly locale: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
  /** Not ended, not over, and its user may come in. */
  readonly live: boolean;
}

export interface PresentedToken {
  readonly id: string;
  readonly state: 'living' | 'idle_too_long' | 'just_rotated' | 'used';
  /** Sealed for as long as the successor has not been used itself. */
  readonly sealedSuccessor: Buffer | null;
}

/** The session that a token belongs to, locked. */
export async function lockSessionOf(
  em: EntityManager,
  tokenHash: Buffer,
): Promise<LockedSession | undefined> {
  return row<LockedSession>(
    em,
    `select s.id, s.user_id as "userId", u.role, u.email, u.locale, s.amr, s.authenticated_at as "authenticatedAt",
       s.expires_at as "expiresAt", s.ended_at is null and s.expires_at > now() and u.status = 'active' as live
     from sessions s join users u on u.id = s.user_id
     where s.id = (select session_id from refresh_tokens where token_hash = $1) for update of s`,
    [tokenHash],
  );
}

/** The presented token as it stands under the session's lock; `graceSeconds` after its rotation it counts as just rotated. */
export async function presentedToken(
  em: EntityManager,
  tokenHash: Buffer,
  graceSeconds: number,
): Promise<PresentedToken | undefined> {
  return row<PresentedToken>(
    em,
    `select id, sealed_successor as "sealedSuccessor",
       case when rotated_at is null and expires_at > now() then 'living'
            when rotated_at is null then 'idle_too_long'
            when clock_timestamp() - rotated_at <= make_interval(secs => $2) and sealed_successor is not null then 'just_rotated'
            else 'used' end as state
     from refresh_tokens where token_hash = $1`,
    [tokenHash, graceSeconds],
  );
}

/** Retires a token in favour of its successor; the token before it no longer answers. */
export async function retireToken(
  em: EntityManager,
  sessionId: SessionId,
  id: string,
  sealedSuccessor: Buffer,
): Promise<void> {
  await rows(
    em,
    'update refresh_tokens set sealed_successor = null where session_id = $1 and sealed_successor is not null',
    [sessionId],
  );
  await rows(
    em,
    'update refresh_tokens set rotated_at = clock_timestamp(), sealed_successor = $2 where id = $1',
    [id, sealedSuccessor],
  );
  await rows(em, 'update sessions set last_used_at = now() where id = $1', [sessionId]);
}

/** Stores a living token; it ends with its session, or after `idleSeconds` without use. Answers when. */
export async function insertToken(
  em: EntityManager,
  sessionId: SessionId,
  tokenHash: Buffer,
  idleSeconds: number,
): Promise<Date> {
  const inserted = await row<{ expires_at: Date }>(
    em,
    `insert into refresh_tokens (session_id, token_hash, expires_at)
     select id, $2, least(expires_at, now() + make_interval(secs => $3)) from sessions where id = $1 returning expires_at`,
    [sessionId, tokenHash, idleSeconds],
  );
  if (inserted === undefined) throw new Error('a refresh token was not stored');
  return inserted.expires_at;
}
