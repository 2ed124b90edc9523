/** From registration to user, and what a login looks up. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RegistrationId, UserId } from '../../../domain/ids.ts';
import type { PostalAddress, UserRole, UserStatus } from '../../../domain/people.ts';
import { row, rows } from '../../sql.ts';
import { FACTORS, type Factors } from './factors.ts';

/** What a login needs to know. */
export interface Login extends Factors {
  readonly id: UserId;
  readonly status: UserStatus;
  readonly passwordHash: string | null;
  /** Where sessions of this user were started from in the last 90 days, and not ended by them. */
  readonly knownAddresses: readonly string[];
  /** The device is known for this user, see `beginSession`; it may not be any more when the session begins. */
  readonly knownDevice: boolean;
}

/** Finds a login by a normalised email address or a verified phone number. */
export async function findLogin(
  em: EntityManager,
  identifier: string,
  deviceHash: Buffer | null,
): Promise<Login | undefined> {
  const column = identifier.includes('@')
    ? 'lower(u.email) = lower($1)'
    : 'u.phone = $1 and u.phone_verified_at is not null';
  return row<Login>(
    em,
    `select u.id, u.status, u.password_hash as "passwordHash", ${FACTORS},
       array(select distinct s.address from sessions s
              where s.user_id = u.id and s.created_at > now() - interval '90 days'
                and s.end_reason is distinct from 'ended_by_user') as "knownAddresses",
       exists (select 1 from sessions s
               where s.user_id = u.id and s.device_hash = $2 and s.created_at > now() - interval '365 days'
                 and (s.end_reason is null or s.end_reason = 'logout')
                 and not exists (select 1 from sessions d
                                 where d.user_id = u.id and d.device_hash = $2 and d.end_reason <> 'logout'
                                   and not (d.end_reason = 'password_changed' and (s.ended_at is null or s.ended_at > d.ended_at)))
              ) as "knownDevice"
     from users u left join totp_factors t on t.user_id = u.id where ${column}`,
    [identifier, deviceHash],
  );
}

/**
 * True where what was found of a login still stands: the person may come in, by this password, and codes go where they went. The row
 * stays locked until the transaction ends, so a change waits, and ends what was opened meanwhile.
 */
export async function loginStands(
  em: EntityManager,
  { id, role, email, phone, passwordHash }: Pick<Login, 'id' | 'role' | 'email' | 'phone' | 'passwordHash'>,
): Promise<boolean> {
  const stands = await row(
    em,
    `select 1 from users where id = $1 and status = 'active' and role = $2 and email = $3
       and case when phone_verified_at is not null then phone end is not distinct from $4 and password_hash = $5 for share`,
    [id, role, email, phone, passwordHash],
  );
  return stands !== undefined;
}

/** True where somebody who may come in has this address; the row stays locked, as `loginStands` does. */
export async function addressStands(em: EntityManager, id: UserId, email: string): Promise<boolean> {
  const stands = await row(
    em,
    `select 1 from users where id = $1 and status = 'active' and lower(email) = lower($2) for share`,
    [id, email],
  );
  return stands !== undefined;
}

/** Where the owner of a taken address is written to. */
export async function ownerOfEmail(
  em: EntityManager,
  email: string,
): Promise<{ readonly id: UserId; readonly locale: string } | undefined> {
  return row(em, 'select id, locale from users where lower(email) = lower($1)', [email]);
}

/** Keeps what somebody said of themselves, sealed, until the email address is proven or `seconds` are over; clears away old ones. */
export async function insertRegistration(
  em: EntityManager,
  registration: { readonly id: RegistrationId; readonly sealed: Buffer },
  seconds: number,
): Promise<void> {
  await rows(
    em,
    `delete from registrations where id in
       (select id from registrations where expires_at < now() limit 100 for update skip locked)`,
  );
  await rows(
    em,
    `insert into registrations (id, sealed_applicant, expires_at) values ($1, $2, now() + make_interval(secs => $3))`,
    [registration.id, registration.sealed, seconds],
  );
}

/** A registration that still waits. */
export async function sealedRegistration(
  em: EntityManager,
  id: RegistrationId,
): Promise<{ readonly sealed: Buffer } | undefined> {
  return row(
    em,
    'select sealed_applicant as sealed from registrations where id = $1 and expires_at > now()',
    [id],
  );
}

/** Takes a registration out; undefined where it is unknown or over. */
export async function takeRegistration(
  em: EntityManager,
  id: RegistrationId,
): Promise<{ readonly sealed: Buffer; readonly phoneVerifiedAt: Date | null } | undefined> {
  return row(
    em,
    `delete from registrations where id = $1 and expires_at > now()
     returning sealed_applicant as sealed, phone_verified_at as "phoneVerifiedAt"`,
    [id],
  );
}

export interface NewUser {
  readonly id: UserId;
  readonly email: string;
  readonly phone: string | null;
  readonly phoneVerifiedAt: Date | null;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly dateOfBirth: string | null;
  readonly country: string | null;
  readonly address: PostalAddress | null;
  readonly locale: string;
  readonly role: UserRole;
}

/** Adds a user. False where the address, or the proven number, has a login by now. */
export async function insertUser(em: EntityManager, user: NewUser): Promise<boolean> {
  const inserted = await rows(
    em,
    `insert into users (id, email, phone, phone_verified_at, password_hash, first_name, last_name, date_of_birth,
       country, address, locale, role)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing returning id`,
    [
      user.id,
      user.email,
      user.phone,
      user.phoneVerifiedAt,
      user.passwordHash,
      user.firstName,
      user.lastName,
      user.dateOfBirth,
      user.country,
      user.address === null ? null : JSON.stringify(user.address),
      user.locale,
      user.role,
    ],
  );
  return inserted.length > 0;
}

/** What became of a number: `waiting` where its registration is no user yet, `taken` where another login has proven it before. */
export type PhoneProof =
  | { readonly kind: 'waiting' | 'taken' | 'gone' }
  | { readonly kind: 'verified'; readonly owner: { readonly id: UserId; readonly role: UserRole } };

/** Marks a number as proven, of a registration or of the user it has become. */
export async function verifyPhone(em: EntityManager, id: RegistrationId | UserId): Promise<PhoneProof> {
  const pending = await rows(
    em,
    'update registrations set phone_verified_at = now() where id = $1 and expires_at > now() returning id',
    [id],
  );
  if (pending.length > 0) return { kind: 'waiting' };
  const user = await row<{ id: UserId; role: UserRole; phone: string }>(
    em,
    'select id, role, phone from users where id = $1 and phone is not null for update',
    [id],
  );
  if (user === undefined) return { kind: 'gone' };
  const { phone, ...owner } = user;
  const proven = await row<{ done: boolean }>(em, 'select take_phone($1, $2) as done', [id, phone]);
  return proven?.done === true ? { kind: 'verified', owner } : { kind: 'taken' };
}

/** The number that a user gave and has not proven. */
export async function unprovenPhone(
  em: EntityManager,
  id: UserId,
): Promise<{ readonly phone: string; readonly locale: string } | undefined> {
  return row(
    em,
    `select phone, locale from users
     where id = $1 and phone is not null and phone_verified_at is null and status = 'active'`,
    [id],
  );
}

/** True where the number is proven by some login. */
export async function phoneTaken(em: EntityManager, phone: string): Promise<boolean> {
  return (
    (await row(em, 'select 1 from users where phone = $1 and phone_verified_at is not null', [phone])) !==
    undefined
  );
}

/** The present hash of a user's password. */
export async function passwordHashOf(em: EntityManager, id: UserId): Promise<string | null> {
  const found = await row<{ hash: string | null }>(
    em,
    'select password_hash as hash from users where id = $1',
    [id],
  );
  return found?.hash ?? null;
}

/** Sets the password of somebody who has proven to be the user; false where the user may not come in. */
export async function resetPasswordHash(em: EntityManager, id: UserId, hash: string): Promise<boolean> {
  const changed = await rows(
    em,
    `update users set password_hash = $2, updated_at = now() where id = $1 and status = 'active' returning id`,
    [id, hash],
  );
  return changed.length > 0;
}

/** Replaces the hash that was checked; false where another change was quicker. */
export async function replacePasswordHash(
  em: EntityManager,
  id: UserId,
  hashes: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const changed = await rows(
    em,
    'update users set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2 returning id',
    [id, hashes.from, hashes.to],
  );
  return changed.length > 0;
}
