/** People as the back office sees them. */
import type { UserId } from '../../../../domain/ids.ts';
import type { KycStatus, UserRole, UserStatus } from '../../../../domain/identity/people.ts';
import { boolean, integer, type RowOf } from '../../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo, type Bind } from '../../../rows/composed.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { AdminInvitation, Session, User } from '../../../schema/identity.ts';

const own = columnsOf(
  User,
  'id',
  'email',
  'firstName',
  'lastName',
  'role',
  'status',
  'phone',
  'dateOfBirth',
  'country',
  'address',
  'locale',
  'kycStatus',
  'kycLevel',
  'emailOtpEnabled',
  'smsOtpEnabled',
  'createdAt',
  'updatedAt',
);
const person = {
  ...own,
  phoneVerified: boolean(),
  totpEnabled: boolean(),
  lastLoginAt: columnsOf(Session, 'createdAt').createdAt.nullable(),
  activeSessions: integer(),
  invitedUntil: columnsOf(AdminInvitation, 'expiresAt').expiresAt.nullable(),
};
/** A person. `invitedUntil` is when the invitation of somebody who is pending expires. */
export type AdminUserRow = RowOf<typeof person>;

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

/** So many people at most, from below `before`, or from the newest if it is null. */
export interface UserPage {
  readonly filter: UserFilter;
  readonly before: UserId | null;
  readonly most: number;
}

const PEOPLE = `
  select ${selectList(own, 'u')}, u.phone_verified_at is not null as phone_verified,
    coalesce((select t.confirmed_at is not null from totp_factors t where t.user_id = u.id), false) as totp_enabled,
    (select s.created_at from sessions s where s.user_id = u.id order by s.id desc limit 1) as last_login_at,
    (select count(*)::int from sessions s where s.user_id = u.id and s.ended_at is null and s.expires_at > now()) as active_sessions,
    case when u.status = 'pending' then (select i.expires_at from admin_invitations i where i.user_id = u.id) end as invited_until
  from users u`;
// a % or _ of the searched text stands for itself, also one that only its plain form shows
const within = (text: string, word: string): string =>
  `${text} like '%' || regexp_replace(search_form(${word}), '([\\\\%_])', '\\\\\\1', 'g') || '%'`;
const HAS_WORD = (word: string): string => within('u.search_text', word);
/** The index finds who may be meant; of them, those whose name it is in, or whose address or number it is. */
const HAS_WHOLE = (word: string): string =>
  `${HAS_WORD(word)} and (${within("search_form(u.first_name || ' ' || u.last_name)", word)}
     or search_form(u.email) = search_form(${word}) or ltrim(u.phone, '+') = ltrim(${word}, '+'))`;

function narrowed({ status, role, kycStatus, words, wholeContacts }: UserFilter, bind: Bind): string {
  const equal = narrowedTo({ 'u.status =': status, 'u.role =': role, 'u.kyc_status =': kycStatus }, bind);
  const has = wholeContacts ? HAS_WHOLE : HAS_WORD;
  return [equal, ...words.map((word) => has(bind(word)))].join(' and ');
}

const FILTERS: readonly UserFilter[] = [
  { words: [], wholeContacts: false },
  { status: 'active', role: 'customer', kycStatus: 'none', words: ['ann', 'demo'], wholeContacts: false },
  { words: ['ann', 'demo'], wholeContacts: true },
];

/** A page of people, newest first. */
export const allUsers = composedStatement({
  name: 'allUsers',
  gives: person,
  compose: ({ filter, before, most }: UserPage, bind) => `
    ${PEOPLE} where ${narrowed(filter, bind)} and u.id < ${bind(before ?? LAST_ID)}
     order by u.id desc limit ${bind(most)}`,
  examples: FILTERS.map((filter) => ({ filter, before: null, most: 1 })),
});

/** How many people there are, by status. */
export const countUsers = composedStatement({
  name: 'countUsers',
  gives: { ...columnsOf(User, 'status'), count: integer() },
  compose: (filter: UserFilter, bind) => `
    select u.status, count(*)::int as count from users u
     where ${narrowed(filter, bind)} group by u.status order by u.status`,
  examples: FILTERS,
});

/** One person. */
export const adminUser = statement({
  name: 'adminUser',
  takes: columnsOf(User, 'id'),
  gives: person,
  sql: `${PEOPLE} where u.id = $id`,
});
