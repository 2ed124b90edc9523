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

export type EndReason = 'logout' | 'refresh_reuse' | 'password_changed' | 'user_blocked' | 'ended_by_user';

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

/** Ends a session and with it its family of refresh tokens. False where it had ended before. */
export async function endSession(em: EntityManager, id: SessionId, reason: EndReason): Promise<boolean> {
  const ended = await rows(
    em,
    'update sessions set ended_at = now(), end_reason = $2 where id = $1 and ended_at is null returning id',
    [id, reason],
  );
  return ended.length > 0;
}

/** Ends all sessions of a user but the one named. Answers the ended ones. */
export async function endOtherSessions(
  em: EntityManager,
  userId: UserId,
  kept: SessionId,
  reason: EndReason,
): Promise<SessionId[]> {
  const ended = await rows<{ id: SessionId }>(
    em,
    `update sessions set ended_at = now(), end_reason = $3
     where user_id = $1 and id <> $2 and ended_at is null returning id`,
    [userId, kept, reason],
  );
  return ended.map(({ id }) => id);
}
