import type { z } from 'zod';
import type { AdminUserRow } from '../../db/queries/identity/admin-users.ts';
import type { HeldPermission } from '../../db/queries/identity/permissions.ts';
import { iso } from '../../db/sql.ts';
import type { UserId } from '../../domain/ids.ts';
import type { AdminUser, UserPermissionsResponse } from './schemas.ts';

const HIDDEN = '•••';

/** A person with contact data, birth and address hidden: what daily work needs, and no more. */
export function maskedUserView(user: AdminUserRow): z.input<typeof AdminUser> {
  return {
    ...openUserView(user),
    email: maskedEmail(user.email),
    phone: user.phone === null ? null : maskedPhone(user.phone),
    date_of_birth: null,
    address: null,
    masked: true,
  };
}

/** A person with all that is known. Whoever is shown it has given a reason, which is in the audit log. */
export function openUserView(user: AdminUserRow): z.input<typeof AdminUser> {
  return {
    id: user.id,
    email: user.email,
    // nobody is active without a proven address
    email_verified: user.status !== 'pending',
    phone: user.phone,
    phone_verified: user.phone_verified,
    first_name: user.first_name,
    last_name: user.last_name,
    date_of_birth: user.date_of_birth,
    country: user.country,
    address: user.address,
    locale: user.locale,
    role: user.role,
    status: user.status,
    kyc: { status: user.kyc_status, level: user.kyc_level },
    mfa: { totp_enabled: user.totp, email_otp_enabled: user.email_otp, sms_otp_enabled: user.sms_otp },
    last_login_at: user.last_login_at && iso(user.last_login_at),
    active_sessions: user.active_sessions,
    invited_until: user.invited_until && iso(user.invited_until),
    masked: false,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
  };
}

/** What somebody holds. */
export function permissionsView(
  id: UserId,
  held: readonly HeldPermission[],
): z.input<typeof UserPermissionsResponse> {
  const items = held.map(({ action, grantedBy, grantedAt }) => ({
    action,
    granted_by: grantedBy,
    granted_at: grantedAt.toISOString(),
  }));
  return { user_id: id, items };
}

/** `a•••@example.com`: enough to recognise whom one speaks with, too little to write to them. */
function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return `${first}${HIDDEN}${email.slice(at)}`;
}

/** `+49•••20`. */
function maskedPhone(phone: string): string {
  return `${phone.slice(0, 3)}${HIDDEN}${phone.slice(-2)}`;
}
