/** What every authenticated call asks, and what ends a session. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../../../domain/ids.ts';
import { SESSION_END_REASONS, type SessionEndReason } from '../../../../domain/identity/people.ts';
import {
  bigCount,
  boolean,
  bytes,
  oneOf,
  seconds,
  text,
  textArray,
  type RowOf,
} from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { RefreshToken, Session, User } from '../../../schema/identity.ts';

const acting = columnsOf(Session, 'userId', 'amr', 'expiresAt');
const actor = columnsOf(User, 'role', 'locale');

/** A session that may act now, with its user; none if it is unknown, has ended or expired, or its user may not come in. */
export const liveSession = statement({
  name: 'liveSession',
  takes: columnsOf(Session, 'id'),
  gives: { ...acting, ...actor, permissions: textArray() },
  sql: `
    select ${selectList(acting, 's')}, ${selectList(actor, 'u')},
           coalesce((select array_agg(p.action) from user_permissions p where p.user_id = u.id), '{}') as permissions
      from sessions s join users u on u.id = s.user_id
     where s.id = $id and s.ended_at is null and s.expires_at > now() and u.status = 'active'`,
});
export type LiveSession = RowOf<typeof liveSession.gives>;

/**
 * Stores a session with its first refresh token and its row in the log, in one statement. No row if the user may not come in or
 * was promoted, or, with the password alone, if it has changed or a second factor was set up while it was checked.
 * `checkedHash` is the hash of the password if nothing else was checked; `newDeviceHash` is what an unknown device is called.
 * `deviceKnown` says that a session of this user came from this device within a year, and none was ended as a stranger's;
 * `first` that the user has never had a session before.
 */
export const beginSession = statement({
  name: 'beginSession',
  takes: {
    ...columnsOf(Session, 'userId', 'deviceLabel', 'userAgent', 'address', 'amr', 'deviceHash'),
    ...columnsOf(User, 'role'),
    ...columnsOf(RefreshToken, 'tokenHash'),
    checkedHash: text().nullable(),
    secondMethod: text().nullable(),
    requestId: text(),
    newDeviceHash: bytes(),
    absoluteSeconds: seconds(),
    idleSeconds: seconds(),
  },
  gives: {
    ...columnsOf(Session, 'id', 'authenticatedAt'),
    refreshExpiresAt: columnsOf(RefreshToken, 'expiresAt').expiresAt,
    deviceKnown: boolean(),
    first: boolean(),
  },
  sql: `
    select session_id as id, authenticated as authenticated_at, refresh_expires as refresh_expires_at, device_known, first
      from start_session($userId, $role, $checkedHash, $secondMethod, $amr, $deviceLabel, $userAgent, $address, $requestId,
             $deviceHash, $newDeviceHash, $absoluteSeconds, $tokenHash, $idleSeconds)
     where session_id is not null`,
});

const listed = columnsOf(
  Session,
  'id',
  'deviceLabel',
  'userAgent',
  'address',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
);
/** A session as its user sees it. */
export type ListedSession = RowOf<typeof listed>;

/**
 * The sessions of a user that can still be used, newest first: by a refresh token, or to read process histories. `current` is among
 * them whatever its tokens.
 */
export const sessionsOf = statement({
  name: 'sessionsOf',
  takes: {
    ...columnsOf(Session, 'userId'),
    current: columnsOf(Session, 'id').id,
    before: columnsOf(Session, 'id').id.nullable(),
    most: bigCount(),
  },
  gives: listed,
  sql: `
    select ${selectList(listed, 's')} from sessions s
     where s.user_id = $userId and s.ended_at is null and s.expires_at > now()
       and ($before::uuid is null or s.id < $before)
       and (s.id = $current or s.reading_until > now()
            or exists (select from refresh_tokens t
                                        where t.session_id = s.id and t.rotated_at is null and t.expires_at > now()))
     order by s.id desc limit $most`,
});

const ended = { reason: oneOf(SESSION_END_REASONS) };

/** Ends a session of this user; writes nothing if there is none that lives. */
export const endSessionOf = statement({
  name: 'endSessionOf',
  takes: { ...columnsOf(Session, 'id', 'userId'), ...ended },
  gives: {},
  sql: `
    update sessions set ended_at = now(), end_reason = $reason
     where id = $id and user_id = $userId and ended_at is null`,
});

/** A session reads process histories, and may go on for so many seconds. Written once a minute at most. */
export const noteReading = statement({
  name: 'noteReading',
  takes: { ...columnsOf(Session, 'id'), idleSeconds: seconds() },
  gives: {},
  sql: `
    update sessions set last_used_at = now(), reading_until = now() + make_interval(secs => $idleSeconds)
     where id = $id
       and coalesce(reading_until, now()) < now() + make_interval(secs => $idleSeconds) - interval '1 minute'`,
});

/** A second factor was set up, and so proven, in this session: it counts as one that began with it. */
export const addMethod = statement({
  name: 'addMethod',
  takes: { ...columnsOf(Session, 'id'), method: text() },
  gives: {},
  sql: `
    update sessions set amr = amr || array[$method], proved_at = now()
     where id = $id and not amr @> array[$method]`,
});

/** Ends a session and with it its family of refresh tokens; writes nothing if it had ended before. */
export const endSession = statement({
  name: 'endSession',
  takes: { ...columnsOf(Session, 'id'), ...ended },
  gives: {},
  sql: 'update sessions set ended_at = now(), end_reason = $reason where id = $id and ended_at is null',
});

/** Ends all sessions of a user but the one named, or all of them. Returns the ended ones. */
export async function endOtherSessions(
  db: EntityManager,
  userId: UserId,
  kept: SessionId | null,
  reason: SessionEndReason,
): Promise<SessionId[]> {
  return (await endSessionsBut.all(db, { userId, kept, reason })).map(({ id }) => id);
}

const endSessionsBut = statement({
  name: 'endSessionsBut',
  takes: { ...columnsOf(Session, 'userId'), kept: columnsOf(Session, 'id').id.nullable(), ...ended },
  gives: columnsOf(Session, 'id'),
  sql: `
    update sessions set ended_at = now(), end_reason = $reason
     where user_id = $userId and id is distinct from $kept and ended_at is null returning id`,
});
