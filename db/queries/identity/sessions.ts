/** What every authenticated call asks, and what ends a session. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { SessionEndReason, UserRole } from '../../../domain/people.ts';
import { row, rows } from '../../sql.ts';

/** A session that may act now, with its user. */
export interface LiveSession {
  readonly userId: UserId;
  readonly role: UserRole;
  readonly locale: string;
  readonly amr: readonly string[];
  readonly permissions: readonly string[];
  readonly expiresAt: Date;
}

/** Undefined where the session is unknown, ended or over, or its user may not come in. */
export async function liveSession(em: EntityManager, id: SessionId): Promise<LiveSession | undefined> {
  return row<LiveSession>(
    em,
    `select s.user_id as "userId", u.role, u.locale, s.amr, s.expires_at as "expiresAt",
       coalesce((select array_agg(p.action) from user_permissions p where p.user_id = u.id), '{}') as permissions
     from sessions s join users u on u.id = s.user_id
     where s.id = $1 and s.ended_at is null and s.expires_at > now() and u.status = 'active'`,
    [id],
  );
}

export interface SessionToStart {
  readonly userId: UserId;
  readonly role: UserRole;
  /** The hash of the password that was checked, where nothing else was. */
  readonly checkedHash: string | null;
  /** What the log says of the second factor. */
  readonly secondMethod: string | null;
  readonly amr: readonly string[];
  readonly deviceLabel: string | null;
  readonly userAgent: string;
  readonly address: string;
  readonly requestId: string;
  /** As the device named itself, and what it is called where nobody knows it. */
  readonly deviceHash: Buffer | null;
  readonly newDeviceHash: Buffer;
  /** Of its first refresh token. */
  readonly tokenHash: Buffer;
}

export interface BegunSession {
  readonly id: SessionId;
  readonly authenticatedAt: Date;
  readonly refreshExpiresAt: Date;
  /** A session of this user came from this device within a year, and none was ended as a stranger's. */
  readonly deviceKnown: boolean;
  /** The user has never had a session before. */
  readonly first: boolean;
}

/**
 * Stores a session with its first refresh token and its row in the log, in one statement. Undefined where the user may not come in or
 * was promoted, or, with the password alone, where it has changed or a second factor was set up while it was checked.
 */
export async function beginSession(
  em: EntityManager,
  session: SessionToStart,
  seconds: { readonly idle: number; readonly absolute: number },
): Promise<BegunSession | undefined> {
  return row<BegunSession>(
    em,
    `select session_id as id, authenticated as "authenticatedAt", refresh_expires as "refreshExpiresAt",
       device_known as "deviceKnown", first
     from start_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) where session_id is not null`,
    [
      session.userId,
      session.role,
      session.checkedHash,
      session.secondMethod,
      session.amr,
      session.deviceLabel,
      session.userAgent,
      session.address,
      session.requestId,
      session.deviceHash,
      session.newDeviceHash,
      seconds.absolute,
      session.tokenHash,
      seconds.idle,
    ],
  );
}

/** A session as its user sees it. */
export interface ListedSession {
  readonly id: SessionId;
  readonly deviceLabel: string | null;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** The sessions of a user that can still be used, newest first; `current` is among them whatever its tokens. */
export async function sessionsOf(
  em: EntityManager,
  userId: UserId,
  current: SessionId,
  before: SessionId | null,
  limit: number,
): Promise<ListedSession[]> {
  return rows<ListedSession>(
    em,
    `select s.id, s.device_label as "deviceLabel", s.user_agent as "userAgent", s.address, s.created_at as "createdAt",
       s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"
     from sessions s
     where s.user_id = $1 and s.ended_at is null and s.expires_at > now() and ($3::uuid is null or s.id < $3)
       and (s.id = $2 or exists (select from refresh_tokens t
                                 where t.session_id = s.id and t.rotated_at is null and t.expires_at > now()))
     order by s.id desc limit $4`,
    [userId, current, before, limit],
  );
}

/** Ends a session of this user; false where there is none that lives. */
export async function endSessionOf(
  em: EntityManager,
  userId: UserId,
  id: SessionId,
  reason: SessionEndReason,
): Promise<boolean> {
  const ended = await rows(
    em,
    `update sessions set ended_at = now(), end_reason = $3
     where id = $2 and user_id = $1 and ended_at is null returning id`,
    [userId, id, reason],
  );
  return ended.length > 0;
}

/** A second factor was set up, and so proven, in this session: it counts as one that began with it. */
export async function addMethod(em: EntityManager, id: SessionId, method: string): Promise<void> {
  await rows(
    em,
    'update sessions set amr = amr || $2, proved_at = now() where id = $1 and not amr @> array[$2]',
    [id, method],
  );
}

/** Ends a session and with it its family of refresh tokens. False where it had ended before. */
export async function endSession(
  em: EntityManager,
  id: SessionId,
  reason: SessionEndReason,
): Promise<boolean> {
  const ended = await rows(
    em,
    'update sessions set ended_at = now(), end_reason = $2 where id = $1 and ended_at is null returning id',
    [id, reason],
  );
  return ended.length > 0;
}

/** Ends all sessions of a user but the one named, or all of them. Answers the ended ones. */
export async function endOtherSessions(
  em: EntityManager,
  userId: UserId,
  kept: SessionId | null,
  reason: SessionEndReason,
): Promise<SessionId[]> {
  const ended = await rows<{ id: SessionId }>(
    em,
    `update sessions set ended_at = now(), end_reason = $3
     where user_id = $1 and id is distinct from $2 and ended_at is null returning id`,
    [userId, kept, reason],
  );
  return ended.map(({ id }) => id);
}
