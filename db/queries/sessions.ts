/** What every authenticated call asks, and what ends a session. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../domain/ids.ts';
import type { UserRole } from '../../domain/people.ts';
import { row, rows } from '../sql.ts';

/** A session that may act now, with its user. */
export interface LiveSession {
  readonly userId: UserId;
  readonly role: UserRole;
  readonly locale: string;
  readonly amr: readonly string[];
  readonly permissions: readonly string[];
  readonly expiresAt: Date;
}

export type EndReason =
  'logout' | 'refresh_reuse' | 'password_changed' | 'user_blocked' | 'ended_by_user' | 'role_changed';

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

export interface SessionToInsert {
  readonly userId: UserId;
  readonly deviceLabel: string | null;
  readonly userAgent: string;
  readonly address: string;
  readonly amr: readonly string[];
  /** As the device named itself, and what it is called where nobody knows it. */
  readonly deviceHash: Buffer | null;
  readonly newDeviceHash: Buffer;
  /** Of its first refresh token. */
  readonly tokenHash: Buffer;
}

export interface InsertedSession {
  readonly id: SessionId;
  readonly authenticatedAt: Date;
  readonly refreshExpiresAt: Date;
  /** A session of this user came from this device within a year, and was not ended as a stranger's. */
  readonly deviceKnown: boolean;
  /** The user has never had a session before. */
  readonly first: boolean;
}

/** Stores a session with its first refresh token, in one round trip: logins wait for hashing, and should wait for little else. */
export async function insertSession(
  em: EntityManager,
  session: SessionToInsert,
  seconds: { readonly idle: number; readonly absolute: number },
): Promise<InsertedSession> {
  const { userId, deviceLabel, userAgent, address, amr, deviceHash, newDeviceHash, tokenHash } = session;
  const inserted = await row<InsertedSession>(
    em,
    `with seen as (
       select exists (select from sessions d where d.user_id = $1 and d.device_hash = $7
                        and d.created_at > now() - interval '365 days'
                        and (d.end_reason is null or d.end_reason = 'logout')) as known,
              not exists (select from sessions d where d.user_id = $1) as first
     ), begun as (
       insert into sessions (user_id, device_label, user_agent, address, amr, proved_at, device_hash, expires_at)
       select $1, $2, $3, $4, $5, case when $6 then now() end, case when known then $7 else $8 end,
         now() + make_interval(secs => $9) from seen
       returning id, authenticated_at, expires_at
     ), token as (
       insert into refresh_tokens (session_id, token_hash, expires_at)
       select id, $10, least(expires_at, now() + make_interval(secs => $11)) from begun
       returning expires_at
     )
     select begun.id, begun.authenticated_at as "authenticatedAt", token.expires_at as "refreshExpiresAt",
       seen.known as "deviceKnown", seen.first from begun, token, seen`,
    [
      userId,
      deviceLabel,
      userAgent,
      address,
      amr,
      amr.length > 1,
      deviceHash,
      newDeviceHash,
      seconds.absolute,
      tokenHash,
      seconds.idle,
    ],
  );
  if (inserted === undefined) throw new Error('a session was not stored');
  return inserted;
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
  reason: EndReason,
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
export async function endSession(em: EntityManager, id: SessionId, reason: EndReason): Promise<boolean> {
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
  reason: EndReason,
): Promise<SessionId[]> {
  const ended = await rows<{ id: SessionId }>(
    em,
    `update sessions set ended_at = now(), end_reason = $3
     where user_id = $1 and id is distinct from $2 and ended_at is null returning id`,
    [userId, kept, reason],
  );
  return ended.map(({ id }) => id);
}
