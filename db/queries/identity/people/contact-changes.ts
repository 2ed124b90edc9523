/** New addresses and numbers that wait to be proven, and putting them in the place of the old ones. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../../domain/ids.ts';
import type { ContactKind } from '../../../../domain/identity/people.ts';
import { boolean, id, seconds, text, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { ContactChange as Table, User } from '../../../schema/identity.ts';

const change = columnsOf(Table, 'id', 'userId', 'kind', 'sealedValue');
export type ContactChange = RowOf<typeof change>;

const forgetContactChange = statement({
  name: 'forgetContactChange',
  takes: columnsOf(Table, 'userId', 'kind'),
  gives: {},
  sql: 'delete from contact_changes where user_id = $userId and kind = $kind',
});
const keepContactChange = statement({
  name: 'keepContactChange',
  takes: { ...change, seconds: seconds() },
  gives: {},
  sql: `
    insert into contact_changes (id, user_id, kind, sealed_value, expires_at)
    values ($id, $userId, $kind, $sealedValue, now() + make_interval(secs => $seconds))`,
});

/** Keeps a wish for `seconds`, in the place of an earlier one. */
export async function insertContactChange(
  db: EntityManager,
  wish: ContactChange & { readonly seconds: number },
): Promise<void> {
  await forgetContactChange.run(db, wish);
  await keepContactChange.run(db, wish);
}

/** A wish that still waits. */
export const contactChange = statement({
  name: 'contactChange',
  takes: columnsOf(Table, 'id'),
  gives: change,
  sql: `select ${selectList(change, 'c')} from contact_changes c where id = $id and expires_at > now()`,
});

/** Takes a wish out; none if it is unknown, over, or somebody else's. */
export const takeContactChange = statement({
  name: 'takeContactChange',
  takes: columnsOf(Table, 'id', 'userId'),
  gives: change,
  sql: `
    delete from contact_changes c where id = $id and user_id = $userId and expires_at > now()
    returning ${selectList(change, 'c')}`,
});

const replacing = (name: string, call: string) =>
  statement({
    name,
    takes: { userId: id<UserId>(), value: text() },
    gives: { done: boolean() },
    sql: `select ${call}($userId, $value) as done`,
  });

/** Replaces the address or number; not done if somebody else has it by now. */
export const replaceContact = {
  email: replacing('takeEmail', 'take_email'),
  phone: replacing('takePhone', 'take_phone'),
} as const satisfies Record<ContactKind, unknown>;

const owning = (name: string, condition: string) =>
  statement({
    name,
    takes: { value: text() },
    gives: columnsOf(User, 'id', 'locale'),
    sql: `select id, locale from users where ${condition}`,
  });

/** Whose address or proven number it is. */
export const ownerOfContact = {
  email: owning('ownerOfTakenEmail', 'lower(email) = lower($value)'),
  phone: owning('ownerOfTakenPhone', 'phone = $value and phone_verified_at is not null'),
} as const satisfies Record<ContactKind, unknown>;
