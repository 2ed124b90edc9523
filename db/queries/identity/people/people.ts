/** Users: made, found by their address, and their passwords. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../../domain/ids.ts';
import { text } from '../../../rows/columns.ts';
import { query } from '../../../rows/query.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf } from '../../../rows/table-columns.ts';
import { User } from '../../../schema/identity.ts';

/** Adds a user; writes nothing if the address, or the proven number, has a login by now. */
export const insertUser = statement({
  name: 'insertUser',
  takes: columnsOf(
    User,
    'id',
    'email',
    'phone',
    'phoneVerifiedAt',
    'passwordHash',
    'firstName',
    'lastName',
    'dateOfBirth',
    'country',
    'address',
    'locale',
    'role',
  ),
  gives: {},
  sql: `
    insert into users (id, email, phone, phone_verified_at, password_hash, first_name, last_name, date_of_birth,
      country, address, locale, role)
    values ($id, $email, $phone, $phoneVerifiedAt, $passwordHash, $firstName, $lastName, $dateOfBirth,
      $country, $address, $locale, $role) on conflict do nothing`,
});

/** To whom an address belongs, and the language to write to them in. */
export const ownerOfEmail = statement({
  name: 'ownerOfEmail',
  takes: columnsOf(User, 'email'),
  gives: columnsOf(User, 'id', 'locale'),
  sql: 'select id, locale from users where lower(email) = lower($email)',
});

/** The present hash of a user's password. */
export async function passwordHashOf(db: EntityManager, id: UserId): Promise<string | null> {
  const user = await query(db)
    .selectFrom('users')
    .select('passwordHash')
    .where('id', '=', id)
    .executeTakeFirst();
  return user?.passwordHash ?? null;
}

/** Sets the password of somebody who has proven to be the user; writes nothing if the user may not come in. */
export const resetPasswordHash = statement({
  name: 'resetPasswordHash',
  takes: { ...columnsOf(User, 'id'), hash: text() },
  gives: {},
  sql: `update users set password_hash = $hash, updated_at = bank_now() where id = $id and status = 'active'`,
});

/** Replaces the hash that was checked; writes nothing if another change was quicker. */
export const replacePasswordHash = statement({
  name: 'replacePasswordHash',
  takes: { ...columnsOf(User, 'id'), from: text(), to: text() },
  gives: {},
  sql: 'update users set password_hash = $to, updated_at = bank_now() where id = $id and password_hash = $from',
});
