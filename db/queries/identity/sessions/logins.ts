/** What a login looks up, and whether what it found still holds. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { boolean, text, textArray, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { Session, User } from '../../../schema/identity.ts';
import { factors, FACTOR_COLUMNS } from '../factors/factors.ts';

const person = columnsOf(User, 'id', 'status', 'passwordHash');
const login = { ...person, ...factors, knownAddresses: textArray(), knownDevice: boolean() };
/**
 * What a login needs to know. `knownAddresses` are those from which sessions of this user were started in the last 90 days, and not
 * ended by the user. `knownDevice`: the device is known for this user, see `beginSession`; it may no longer be when the session begins.
 */
export type Login = RowOf<typeof login>;

const LOGIN = `
  select ${selectList(person, 'u')}, ${FACTOR_COLUMNS},
         array(select distinct s.address from sessions s
                where s.user_id = u.id and s.created_at > now() - interval '90 days'
                  and s.end_reason is distinct from 'ended_by_user') as known_addresses,
         exists (select 1 from sessions s
                 where s.user_id = u.id and s.device_hash = $deviceHash and s.created_at > now() - interval '365 days'
                   and (s.end_reason is null or s.end_reason = 'logout')
                   and not exists (select 1 from sessions d
                                   where d.user_id = u.id and d.device_hash = $deviceHash and d.end_reason <> 'logout'
                                     and not (d.end_reason = 'password_changed'
                                       and (s.ended_at is null or s.ended_at > d.ended_at)))
                ) as known_device
    from users u left join totp_factors t on t.user_id = u.id`;

const device = columnsOf(Session, 'deviceHash');

const loginByEmail = statement({
  name: 'loginByEmail',
  takes: { ...columnsOf(User, 'email'), ...device },
  gives: login,
  sql: `${LOGIN} where lower(u.email) = lower($email)`,
});

const loginByPhone = statement({
  name: 'loginByPhone',
  takes: { phone: text(), ...device },
  gives: login,
  sql: `${LOGIN} where u.phone = $phone and u.phone_verified_at is not null`,
});

/** Finds a login by a normalised email address or a verified phone number. */
export function findLogin(
  db: EntityManager,
  identifier: string,
  deviceHash: Buffer | null,
): Promise<Login | undefined> {
  return identifier.includes('@')
    ? loginByEmail.first(db, { email: identifier, deviceHash })
    : loginByPhone.first(db, { phone: identifier, deviceHash });
}

/**
 * The user, if what was found of a login still holds: the person may come in, by this password, and codes go where they went. The row
 * stays locked until the transaction ends, so a change waits, and ends what was opened meanwhile.
 */
export const loginStands = statement({
  name: 'loginStands',
  takes: columnsOf(User, 'id', 'role', 'email', 'phone', 'passwordHash'),
  gives: columnsOf(User, 'id'),
  sql: `
    select id from users
     where id = $id and status = 'active' and role = $role and email = $email
       and case when phone_verified_at is not null then phone end is not distinct from $phone
       and password_hash = $passwordHash for share`,
});

/** The user, if they may come in and have this address; the row stays locked, as by `loginStands`. */
export const addressStands = statement({
  name: 'addressStands',
  takes: columnsOf(User, 'id', 'email'),
  gives: columnsOf(User, 'id'),
  sql: `select id from users where id = $id and status = 'active' and lower(email) = lower($email) for share`,
});
