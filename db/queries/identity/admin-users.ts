/** People as the back office sees them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import type { KycStatus, PostalAddress, UserRole, UserStatus } from '../../../domain/people.ts';
import { row, rows } from '../../sql.ts';

export interface AdminUserRow {
  readonly id: UserId;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  readonly phone: string | null;
  readonly phone_verified: boolean;
  /** ISO 8601. */
  readonly date_of_birth: string | null;
  readonly country: string | null;
  readonly address: PostalAddress | null;
  readonly locale: string;
  readonly kyc_status: KycStatus;
  readonly kyc_level: number;
  readonly totp: boolean;
  readonly email_otp: boolean;
  readonly sms_otp: boolean;
  readonly last_login_at: Date | null;
  readonly active_sessions: number;
  /** Until when the invitation of somebody who is pending can be taken. */
  readonly invited_until: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What a list or a count is narrowed to; what is left out does not narrow. */
export interface UserFilter {
  readonly status?: UserStatus | undefined;
  readonly role?: UserRole | undefined;
  readonly kycStatus?: KycStatus | undefined;
  /** Each must be in the name, the email address or the phone number; case and accents do not matter. */
  readonly words: readonly string[];
  /** Address and number are found by the whole of them only: by parts, whoever sees them masked could feel their way along. */
  readonly wholeContacts: boolean;
}

const SELECT = `
  select u.id, u.email, u.first_name, u.last_name, u.role, u.status, u.phone, u.phone_verified_at is not null as phone_verified,
    u.date_of_birth::text, u.country, u.address, u.locale, u.kyc_status, u.kyc_level, u.created_at, u.updated_at,
    coalesce((select t.confirmed_at is not null from totp_factors t where t.user_id = u.id), false) as totp,
    u.email_otp_enabled as email_otp, u.sms_otp_enabled as sms_otp,
    (select s.created_at from sessions s where s.user_id = u.id order by s.id desc limit 1) as last_login_at,
    (select count(*)::int from sessions s where s.user_id = u.id and s.ended_at is null and s.expires_at > now()) as active_sessions,
    case when u.status = 'pending' then (select i.expires_at from admin_invitations i where i.user_id = u.id) end as invited_until
  from users u`;
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A page of people, newest first, from below `before`. */
export function allUsers(
  em: EntityManager,
  filter: UserFilter,
  before: UserId | null,
  most: number,
): Promise<AdminUserRow[]> {
  const { where, values } = narrowed(filter);
  const place = values.length;
  return rows(
    em,
    `${SELECT} where ${where} and u.id < $${place + 1} order by u.id desc limit $${place + 2}`,
    [...values, before ?? NEWEST, most],
  );
}

/** How many people there are, by status. */
export function countUsers(
  em: EntityManager,
  filter: UserFilter,
): Promise<{ status: UserStatus; count: number }[]> {
  const { where, values } = narrowed(filter);
  return rows(
    em,
    `select u.status, count(*)::int as count from users u where ${where} group by u.status order by u.status`,
    values,
  );
}

/** One person. */
export function adminUser(em: EntityManager, id: UserId): Promise<AdminUserRow | undefined> {
  return row(em, `${SELECT} where u.id = $1`, [id]);
}

// a % or _ of the searched text stands for itself, also one that only its plain form shows
const within = (text: string, place: number): string =>
  `${text} like '%' || regexp_replace(search_form($${place}), '([\\\\%_])', '\\\\\\1', 'g') || '%'`;
const HAS_WORD = (place: number): string => within('u.search_text', place);
/** The index finds who may be meant; of them, those whose name it is in, or whose address or number it is. */
const HAS_WHOLE = (place: number): string =>
  `${HAS_WORD(place)} and (${within("search_form(u.first_name || ' ' || u.last_name)", place)}
     or search_form(u.email) = search_form($${place}) or ltrim(u.phone, '+') = ltrim($${place}, '+'))`;

function narrowed({ status, role, kycStatus, words, wholeContacts }: UserFilter): {
  where: string;
  values: string[];
} {
  const conditions = ['true'];
  const values: string[] = [];
  const add = (condition: (place: number) => string, value: string | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(values.length));
  };
  add((place) => `u.status = $${place}`, status);
  add((place) => `u.role = $${place}`, role);
  add((place) => `u.kyc_status = $${place}`, kycStatus);
  for (const word of words) add(wholeContacts ? HAS_WHOLE : HAS_WORD, word);
  return { where: conditions.join(' and '), values };
}
