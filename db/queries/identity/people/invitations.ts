/** Administrators who are invited: they have no password, so no login, until they take the invitation. */
import type { UserId } from '../../../../domain/ids.ts';
import { id, seconds, text, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { AdminInvitation, User } from '../../../schema/identity.ts';

const invited = columnsOf(User, 'id', 'email', 'firstName', 'lastName', 'locale');
/** Somebody who is invited; the address is normalised. */
export type InvitedAdmin = RowOf<typeof invited>;

/** Adds an administrator who is yet to come. Writes no row if the address has a login by now. */
export const insertInvited = statement({
  name: 'insertInvited',
  takes: invited,
  gives: {},
  sql: `
    insert into users (id, email, first_name, last_name, locale, role, status)
    values ($id, $email, $firstName, $lastName, $locale, 'admin', 'pending') on conflict do nothing`,
});

/** Keeps the hash of an invitation's token for `seconds`; the invitation before dies. */
export const saveInvitation = statement({
  name: 'saveInvitation',
  takes: { ...columnsOf(AdminInvitation, 'userId', 'invitedBy', 'tokenHash'), seconds: seconds() },
  gives: {},
  sql: `
    insert into admin_invitations (user_id, invited_by, token_hash, expires_at)
    values ($userId, $invitedBy, $tokenHash, now() + make_interval(secs => $seconds))
    on conflict (user_id) do update set invited_by = excluded.invited_by, token_hash = excluded.token_hash,
      created_at = now(), expires_at = excluded.expires_at`,
});

/** Somebody who is invited and has not come yet, with the row locked. */
export const lockInvited = statement({
  name: 'lockInvited',
  takes: columnsOf(User, 'id'),
  gives: invited,
  sql: `
    select ${selectList(invited, 'u')} from users u
     where id = $id and role = 'admin' and status = 'pending' and password_hash is null for no key update`,
});

/** Whom a token that can still be taken was sent to. */
export const invitedBy = statement({
  name: 'invitedBy',
  takes: columnsOf(AdminInvitation, 'tokenHash'),
  gives: invited,
  sql: `
    select ${selectList(invited, 'u')}
      from admin_invitations i join users u on u.id = i.user_id
     where i.token_hash = $tokenHash and i.accepted_at is null and i.expires_at > now()
       and u.status = 'pending' and u.password_hash is null`,
});

/** Takes the invitation: the password is set and the login open. The person is null if it was taken or replaced meanwhile. */
export const acceptInvitation = statement({
  name: 'acceptInvitation',
  takes: { ...columnsOf(AdminInvitation, 'tokenHash'), passwordHash: text() },
  gives: { person: id<UserId>().nullable() },
  sql: 'select person from invitation_accept($tokenHash, $passwordHash)',
});
