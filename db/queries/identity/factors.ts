/** The second factors of a user. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import { oneOf, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { row, rows } from '../../sql.ts';

const whose = { userId: columnsOf(User, 'id').id };

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

/** Undefined where the user is unknown or may not come in. */
export async function factorsOf(em: EntityManager, userId: UserId): Promise<Factors | undefined> {
  return activeFactors.first(em, { userId });
}

const activeFactors = statement({
  name: 'factorsOf',
  takes: whose,
  gives: factors,
  sql: `
    select ${FACTOR_COLUMNS}
      from users u left join totp_factors t on t.user_id = u.id
     where u.id = $userId and u.status = 'active'`,
});

/**
 * The same, with the user's row locked: changes of factors happen one after the other. Undefined, too, where the session that asks
 * has ended while it waited for the lock.
 */
export async function lockFactors(
  em: EntityManager,
  userId: UserId,
  sessionId: SessionId,
): Promise<Factors | undefined> {
  await rows(em, 'select id from users where id = $1 for update', [userId]);
  const lives = await row(
    em,
    'select 1 from sessions where id = $1 and user_id = $2 and ended_at is null and expires_at > now()',
    [sessionId, userId],
  );
  return lives === undefined ? undefined : factorsOf(em, userId);
}

/** Writes the toggles. */
export async function saveToggles(
  em: EntityManager,
  userId: UserId,
  toggles: Pick<Factors, 'emailOtpEnabled' | 'smsOtpEnabled' | 'preferredMethod'>,
): Promise<void> {
  await rows(
    em,
    `update users set email_otp_enabled = $2, sms_otp_enabled = $3, preferred_method = $4, updated_at = now() where id = $1`,
    [userId, toggles.emailOtpEnabled, toggles.smsOtpEnabled, toggles.preferredMethod],
  );
}

/**
 * True where this session has proven more than the password within `seconds`, or the user's first email address was proven in them:
 * whoever has just registered has nothing else to prove with. A login by a code by email is no such proof where something stronger
 * is on (`start_session`).
 */
export async function hasFreshProof(
  em: EntityManager,
  sessionId: SessionId,
  seconds: number,
): Promise<boolean> {
  const proof = await row(
    em,
    `select 1 from sessions s join users u on u.id = s.user_id
     where s.id = $1
       and greatest(s.proved_at, case when u.email_changed_at is null then u.email_verified_at end)
         > now() - make_interval(secs => $2)`,
    [sessionId, seconds],
  );
  return proof !== undefined;
}

/** Remembers that this session has just stepped up for a change of factors. */
export async function noteProof(em: EntityManager, sessionId: SessionId): Promise<void> {
  await rows(em, 'update sessions set proved_at = now() where id = $1', [sessionId]);
}
