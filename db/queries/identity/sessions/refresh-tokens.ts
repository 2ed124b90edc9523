/** Sessions' families of refresh tokens. A family has one living token; PostgreSQL refuses a second branch. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId } from '../../../../domain/ids.ts';
import { boolean, oneOf, seconds, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { RefreshToken, Session, User } from '../../../schema/identity.ts';

const session = columnsOf(Session, 'id', 'userId', 'amr', 'authenticatedAt', 'expiresAt');
const owner = columnsOf(User, 'role', 'email', 'locale');

/**
 * The session that a token belongs to, with its row locked: refreshes of one family happen one after the other. It is `live` if it
 * has neither ended nor expired and its user may come in.
 */
export const lockSessionOf = statement({
  name: 'lockSessionOf',
  takes: columnsOf(RefreshToken, 'tokenHash'),
  gives: { ...session, ...owner, live: boolean() },
  sql: `
    select ${selectList(session, 's')}, ${selectList(owner, 'u')},
           s.ended_at is null and s.expires_at > now() and u.status = 'active' as live
      from sessions s join users u on u.id = s.user_id
     where s.id = (select session_id from refresh_tokens where token_hash = $tokenHash) for update of s`,
});
export type LockedSession = RowOf<typeof lockSessionOf.gives>;

/**
 * The presented token as it stands under the session's lock; `graceSeconds` after its rotation it counts as just rotated. Its
 * successor is sealed for as long as that has not been used itself.
 */
export const presentedToken = statement({
  name: 'presentedToken',
  takes: { ...columnsOf(RefreshToken, 'tokenHash'), graceSeconds: seconds() },
  gives: {
    ...columnsOf(RefreshToken, 'id', 'sealedSuccessor'),
    state: oneOf(['living', 'idle_too_long', 'just_rotated', 'used']),
  },
  sql: `
    select id, sealed_successor,
           case when rotated_at is null and expires_at > now() then 'living'
                when rotated_at is null then 'idle_too_long'
                when clock_timestamp() - rotated_at <= make_interval(secs => $graceSeconds)
                     and sealed_successor is not null then 'just_rotated'
                else 'used' end as state
      from refresh_tokens where token_hash = $tokenHash`,
});

/** The session of this user that a token belongs to. */
export const sessionByToken = statement({
  name: 'sessionByToken',
  takes: { ...columnsOf(Session, 'userId'), ...columnsOf(RefreshToken, 'tokenHash') },
  gives: columnsOf(Session, 'id'),
  sql: `
    select s.id from sessions s join refresh_tokens t on t.session_id = s.id
     where s.user_id = $userId and t.token_hash = $tokenHash`,
});

/** When a token ends. */
export const tokenExpiry = statement({
  name: 'tokenExpiry',
  takes: columnsOf(RefreshToken, 'tokenHash'),
  gives: columnsOf(RefreshToken, 'expiresAt'),
  sql: 'select expires_at from refresh_tokens where token_hash = $tokenHash',
});

/** Retires a token in favour of its successor; the token before it no longer answers. */
export async function retireToken(
  db: EntityManager,
  sessionId: SessionId,
  id: string,
  sealedSuccessor: Buffer,
): Promise<void> {
  await forgetSuccessor.run(db, { sessionId });
  await rotateToken.run(db, { id, sealedSuccessor });
  await noteUse.run(db, { id: sessionId });
}

const forgetSuccessor = statement({
  name: 'forgetSuccessor',
  takes: columnsOf(RefreshToken, 'sessionId'),
  gives: {},
  sql: `
    update refresh_tokens set sealed_successor = null
     where session_id = $sessionId and sealed_successor is not null`,
});

const rotateToken = statement({
  name: 'rotateToken',
  takes: columnsOf(RefreshToken, 'id', 'sealedSuccessor'),
  gives: {},
  sql: 'update refresh_tokens set rotated_at = clock_timestamp(), sealed_successor = $sealedSuccessor where id = $id',
});

const noteUse = statement({
  name: 'noteUse',
  takes: columnsOf(Session, 'id'),
  gives: {},
  sql: 'update sessions set last_used_at = now() where id = $id',
});

/** Stores a living token; it ends with its session, or after `idleSeconds` without use. No row if there is no such session. */
export const insertToken = statement({
  name: 'insertToken',
  takes: { ...columnsOf(RefreshToken, 'sessionId', 'tokenHash'), idleSeconds: seconds() },
  gives: columnsOf(RefreshToken, 'expiresAt'),
  sql: `
    insert into refresh_tokens (session_id, token_hash, expires_at)
    select id, $tokenHash, least(expires_at, now() + make_interval(secs => $idleSeconds))
      from sessions where id = $sessionId returning expires_at`,
});
