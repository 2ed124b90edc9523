/** Phone numbers: given at a registration, proven by a code. A proven number is a login. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { UserId, type RegistrationId } from '../../../../domain/ids.ts';
import type { UserRole } from '../../../../domain/identity/people.ts';
import { text } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { Registration, User } from '../../../schema/identity.ts';
import { replaceContact } from './contact-changes.ts';

/** What became of a number: `waiting` if its registration is no user yet, `taken` if another login has proven it before. */
export type PhoneProof =
  | { readonly kind: 'waiting' | 'taken' | 'gone' }
  | { readonly kind: 'verified'; readonly owner: { readonly id: UserId; readonly role: UserRole } };

/** Marks a number as proven, of a registration or of the user it has become. */
export async function verifyPhone(db: EntityManager, id: RegistrationId): Promise<PhoneProof> {
  if ((await proveApplicantsPhone.run(db, { id })) > 0) return { kind: 'waiting' };
  const user = await lockPhoneOf.first(db, { id: UserId.parse(id) });
  if (user === undefined) return { kind: 'gone' };
  const { phone, ...owner } = user;
  const { done } = await replaceContact.phone.one(db, { userId: owner.id, value: phone });
  return done ? { kind: 'verified', owner } : { kind: 'taken' };
}

const proveApplicantsPhone = statement({
  name: 'proveApplicantsPhone',
  takes: columnsOf(Registration, 'id'),
  gives: {},
  sql: 'update registrations set phone_verified_at = now() where id = $id and expires_at > now()',
});

const lockPhoneOf = statement({
  name: 'lockPhoneOf',
  takes: columnsOf(User, 'id'),
  gives: { ...columnsOf(User, 'id', 'role'), phone: text() },
  sql: 'select id, role, phone from users where id = $id and phone is not null for update',
});

/** The number that a user gave and has not proven. */
export const unprovenPhone = statement({
  name: 'unprovenPhone',
  takes: columnsOf(User, 'id'),
  gives: { phone: text(), ...columnsOf(User, 'locale') },
  sql: `
    select phone, locale from users
     where id = $id and phone is not null and phone_verified_at is null and status = 'active'`,
});

/** True if the number is proven by some login. */
export async function phoneTaken(db: EntityManager, phone: string): Promise<boolean> {
  const owner = await query(db)
    .selectFrom('users')
    .select('id')
    .where('phone', '=', phone)
    .where('phoneVerifiedAt', 'is not', null)
    .executeTakeFirst();
  return owner !== undefined;
}
