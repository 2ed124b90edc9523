/** The second factors of a user. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SessionId, UserId } from '../../../../domain/ids.ts';
import { boolean, oneOf, seconds, text, type RowOf } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { Session, User } from '../../../schema/identity.ts';

const { id: userId } = columnsOf(User, 'id');
const whose = { userId };

/** The columns of `Factors`. */
export const factors = {
  ...whose,
  ...columnsOf(User, 'role', 'email', 'locale', 'emailOtpEnabled', 'smsOtpEnabled', 'preferredMethod'),
  phone: text().nullable(),
  totp: oneOf(['none', 'pending', 'enabled']),
};
/** A user's factors and where codes go. The phone is null if none is verified. */
export type Factors = RowOf<typeof factors>;

/** The select list of `factors`, of a user `u` and their `totp_factors` `t`. */
export const FACTOR_COLUMNS = `
  u.id as user_id, u.role, u.email, case when u.phone_verified_at is not null then u.phone end as phone, u.locale,
  case when t.user_id is null then 'none' when t.confirmed_at is null then 'pending' else 'enabled' end as totp,
  u.email_otp_enabled, u.sms_otp_enabled, u.preferred_method`;

/** No row if the user is unknown or may not come in. */
export const factorsOf = statement({
  name: 'factorsOf',
  takes: whose,
  gives: factors,
  sql: `
    select ${FACTOR_COLUMNS}
      from users u left join totp_factors t on t.user_id = u.id
     where u.id = $userId and u.status = 'active'`,
});

const lockFactorsOf = statement({
  name: 'lockFactorsOf',
  takes: whose,
  gives: columnsOf(User, 'id'),
  sql: 'select id from users where id = $userId for update',
});
const sessionLives = statement({
  name: 'sessionLives',
  takes: columnsOf(Session, 'id', 'userId'),
  gives: { lives: boolean() },
  sql: `
    select exists (select from sessions
                    where id = $id and user_id = $userId and ended_at is null and expires_at > now()) as lives`,
});

/**
 * The factors with the user's row locked: changes of them happen one after the other. Undefined, too, if the session that asks has
 * ended while it waited for the lock.
 */
export async function lockFactors(
  db: EntityManager,
  userId: UserId,
  sessionId: SessionId,
): Promise<Factors | undefined> {
  await lockFactorsOf.first(db, { userId });
  const { lives } = await sessionLives.one(db, { id: sessionId, userId });
  return lives ? factorsOf.first(db, { userId }) : undefined;
}

export async function saveToggles(
  db: EntityManager,
  userId: UserId,
  toggles: Pick<Factors, 'emailOtpEnabled' | 'smsOtpEnabled' | 'preferredMethod'>,
): Promise<void> {
  const { emailOtpEnabled, smsOtpEnabled, preferredMethod } = toggles;
  await query(db)
    .updateTable('users')
    .set({ emailOtpEnabled, smsOtpEnabled, preferredMethod, updatedAt: sql<Date>`bank_now()` })
    .where('id', '=', userId)
    .execute();
}

/**
 * Whether this session has proven more than the password within `seconds`, or the user's first email address was proven in them:
 * whoever has just registered has nothing else to prove with. A login by a code by email is no such proof where something stronger
 * is on (`start_session`).
 */
export const freshProof = statement({
  name: 'freshProof',
  takes: { sessionId: columnsOf(Session, 'id').id, seconds: seconds() },
  gives: { proven: boolean() },
  sql: `
    select exists (
      select from sessions s join users u on u.id = s.user_id
       where s.id = $sessionId
         and greatest(s.proved_at, case when u.email_changed_at is null then u.email_verified_at end)
           > now() - make_interval(secs => $seconds)) as proven`,
});

/** Whether this session has proven a second factor within `seconds`. */
export const provenWithin = statement({
  name: 'provenWithin',
  takes: { sessionId: columnsOf(Session, 'id').id, seconds: seconds() },
  gives: { proven: boolean() },
  sql: `
    select exists (
      select from sessions
       where id = $sessionId and greatest(proved_at, factor_at) > now() - make_interval(secs => $seconds)) as proven`,
});

const proving = (name: string, column: 'proved_at' | 'factor_at') =>
  statement({
    name,
    takes: columnsOf(Session, 'id'),
    gives: {},
    sql: `update sessions set ${column} = now() where id = $id`,
  });

/** Remembers that this session has just stepped up, for a change of factors or for what an administrator decides. */
export const noteProof = {
  proof: proving('noteProof', 'proved_at'),
  fresh_factor: proving('noteFreshFactor', 'factor_at'),
};
