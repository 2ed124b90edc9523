/** Administrators who are invited: they have no password, so no login, until they take the invitation. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

export interface InvitedAdmin {
  readonly id: UserId;
  /** Normalised. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly locale: string;
}

/** Adds an administrator who is yet to come. False where the address has a login by now. */
export async function insertInvited(em: EntityManager, invited: InvitedAdmin): Promise<boolean> {
  const { id, email, firstName, lastName, locale } = invited;
  const inserted = await rows(
    em,
    `insert into users (id, email, first_name, last_name, locale, role, status)
     values ($1, $2, $3, $4, $5, 'admin', 'pending') on conflict do nothing returning id`,
    [id, email, firstName, lastName, locale],
  );
  return inserted.length > 0;
}

/** Keeps the hash of an invitation's token for `seconds`; the invitation before dies. */
export async function saveInvitation(
  em: EntityManager,
  invitation: { readonly userId: UserId; readonly by: UserId; readonly tokenHash: Buffer },
  seconds: number,
): Promise<void> {
  await rows(
    em,
    `insert into admin_invitations (user_id, invited_by, token_hash, expires_at)
     values ($1, $2, $3, now() + make_interval(secs => $4))
     on conflict (user_id) do update set invited_by = excluded.invited_by, token_hash = excluded.token_hash,
       created_at = now(), expires_at = excluded.expires_at`,
    [invitation.userId, invitation.by, invitation.tokenHash, seconds],
  );
}

/** Somebody who is invited and has not come yet, with the row locked. */
export async function lockInvited(em: EntityManager, id: UserId): Promise<InvitedAdmin | undefined> {
  return row(
    em,
    `select id, email, first_name as "firstName", last_name as "lastName", locale from users
     where id = $1 and role = 'admin' and status = 'pending' and password_hash is null for no key update`,
    [id],
  );
}

/** Whom a token that can still be taken was sent to. */
export async function invitedBy(em: EntityManager, tokenHash: Buffer): Promise<InvitedAdmin | undefined> {
  return row(
    em,
    `select u.id, u.email, u.first_name as "firstName", u.last_name as "lastName", u.locale
       from admin_invitations i join users u on u.id = i.user_id
      where i.token_hash = $1 and i.accepted_at is null and i.expires_at > now()
        and u.status = 'pending' and u.password_hash is null`,
    [tokenHash],
  );
}

/** Takes the invitation: the password is set and the login open. Null where it was taken or replaced meanwhile. */
export async function acceptInvitation(
  em: EntityManager,
  tokenHash: Buffer,
  passwordHash: string,
): Promise<UserId | null> {
  const answer = await row<{ person: UserId | null }>(em, 'select person from invitation_accept($1, $2)', [
    tokenHash,
    passwordHash,
  ]);
  return answer?.person ?? null;
}
