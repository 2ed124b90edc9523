/** What a list or a count of people is narrowed to. */
import type { z } from 'zod';
import type { UserFilter } from '../../../db/queries/identity/people/admin-users.ts';
import type { Admin } from '../../../services/callers.ts';
import type { narrowing } from './schemas.ts';

/** More would only narrow to nothing. */
const WORDS_MAX = 5;

/** The filter of a query, for this reader. */
export function filterOf(
  { status, role, kyc_status: kycStatus, search }: z.output<z.ZodObject<typeof narrowing>>,
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
