/** One person: found, and what an administrator may correct of them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { User } from '../../../db/schema/identity.ts';
import {
  adminUser,
  type AdminUserRow,
  type UserFilter,
} from '../../../db/queries/identity/people/admin-users.ts';
import type { UserId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import type { Admin } from '../../../services/callers.ts';
import type { UserProfileUpdate } from '../users/schemas.ts';
import type { narrowing } from './schemas.ts';

type Narrowing = z.output<z.ZodObject<typeof narrowing>>;
type Profile = z.output<typeof UserProfileUpdate>;

/** More would only narrow to nothing. */
const WORDS_MAX = 5;

/** Refuses not_found. */
export async function someUser(db: EntityManager, id: UserId): Promise<AdminUserRow> {
  const user = await adminUser.first(db, { id });
  if (user === undefined) throw new Refusal('not_found');
  return user;
}

/** What a list or a count is narrowed to, for this reader. */
export function filterOf(
  { status, role, kyc_status: kycStatus, search }: Narrowing,
  { permissions }: Pick<Admin, 'permissions'>,
): UserFilter {
  return { status, role, kycStatus, words: wordsOf(search), wholeContacts: !permissions.has('users:unmask') };
}

/** The words to look for; a phone number is one word, however it is grouped. */
function wordsOf(search: string | undefined): string[] {
  if (search === undefined) return [];
  if (/^[+\d\s()/.-]+$/.test(search) && /\d/.test(search)) return [search.replaceAll(/[^+\d]/g, '')];
  return search.split(/\s+/).slice(0, WORDS_MAX);
}

/** What stands now in the fields that a change names. */
export function profileOf(user: User, change: Profile): Record<string, unknown> {
  const now: Record<keyof Profile, unknown> = {
    first_name: user.firstName,
    last_name: user.lastName,
    date_of_birth: user.dateOfBirth ?? null,
    country: user.country ?? null,
    address: user.address ?? null,
    locale: user.locale,
  };
  return Object.fromEntries(Object.entries(now).filter(([name]) => name in change));
}

/** Writes the change into the person. */
export function applyProfile(user: User, change: Profile): void {
  const { first_name, last_name, date_of_birth, country, address, locale } = change;
  if (first_name !== undefined) user.firstName = first_name;
  if (last_name !== undefined) user.lastName = last_name;
  if (date_of_birth !== undefined) user.dateOfBirth = date_of_birth;
  if (country !== undefined) user.country = country;
  if (address !== undefined) user.address = address;
  if (locale !== undefined) user.locale = locale;
  user.updatedAt = new Date();
}
