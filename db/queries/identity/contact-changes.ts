/** New addresses and numbers that wait to be proven, and putting them in the place of the old ones. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ContactChangeId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

export type ContactKind = 'email' | 'phone';

export interface ContactChange {
  readonly id: ContactChangeId;
  readonly userId: UserId;
  readonly kind: ContactKind;
  readonly sealedValue: Buffer;
}

/** Keeps a wish for `seconds`, in the place of an earlier one. */
export async function insertContactChange(
  em: EntityManager,
  change: ContactChange,
  seconds: number,
): Promise<void> {
  const { id, userId, kind, sealedValue } = change;
  await rows(em, 'delete from contact_changes where user_id = $1 and kind = $2', [userId, kind]);
  await rows(
    em,
    `insert into contact_changes (id, user_id, kind, sealed_value, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [id, userId, kind, sealedValue, seconds],
  );
}

/** A wish that still waits. */
export async function contactChange(
  em: EntityManager,
  id: ContactChangeId,
): Promise<ContactChange | undefined> {
  return row<ContactChange>(
    em,
    `select id, user_id as "userId", kind, sealed_value as "sealedValue"
     from contact_changes where id = $1 and expires_at > now()`,
    [id],
  );
}

/** Takes a wish out; undefined where it is unknown, over, or somebody else's. */
export async function takeContactChange(
  em: EntityManager,
  id: ContactChangeId,
  userId: UserId,
): Promise<ContactChange | undefined> {
  return row<ContactChange>(
    em,
    `delete from contact_changes where id = $1 and user_id = $2 and expires_at > now()
     returning id, user_id as "userId", kind, sealed_value as "sealedValue"`,
    [id, userId],
  );
}

/** Replaces the address or number; false where somebody else has it by now. */
export async function replaceContact(
  em: EntityManager,
  userId: UserId,
  kind: ContactKind,
  value: string,
): Promise<boolean> {
  const replace = kind === 'email' ? 'take_email' : 'take_phone';
  const replaced = await row<{ done: boolean }>(em, `select ${replace}($1, $2) as done`, [userId, value]);
  return replaced?.done === true;
}

/** Whose address or proven number it is. */
export async function ownerOfContact(
  em: EntityManager,
  kind: ContactKind,
  value: string,
): Promise<{ readonly id: UserId; readonly locale: string } | undefined> {
  const whose =
    kind === 'email' ? 'lower(email) = lower($1)' : 'phone = $1 and phone_verified_at is not null';
  return row(em, `select id, locale from users where ${whose}`, [value]);
}
