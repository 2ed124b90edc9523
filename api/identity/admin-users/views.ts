/** People as administrators see them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { adminUser, type AdminUserRow } from '../../../db/queries/identity/people/admin-users.ts';
import type { HeldPermission } from '../../../db/queries/identity/people/permissions.ts';
import type { User } from '../../../db/schema/identity.ts';
import type { UserId } from '../../../domain/ids.ts';
import { maskedEmail, maskedPhone } from '../../../domain/identity/personal-data.ts';
import { found } from '../../../domain/refusals.ts';
import type { UserProfileUpdate } from '../users/schemas.ts';
import type { AdminUser, UserPermissionsResponse } from './schemas.ts';

/** One person. Refuses not_found. */
export async function someUser(db: EntityManager, id: UserId): Promise<AdminUserRow> {
  return found(await adminUser.first(db, { id }));
}

/** One person as most operations answer them. Refuses not_found. */
export async function maskedUser(db: EntityManager, id: UserId): Promise<z.output<typeof AdminUser>> {
  return maskedUserView(await someUser(db, id));
}

/** A person with contact data, birth and address hidden: what daily work needs, and no more. */
export function maskedUserView(user: AdminUserRow): z.output<typeof AdminUser> {
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
export function openUserView(user: AdminUserRow): z.output<typeof AdminUser> {
  return {
    id: user.id,
    email: user.email,
    // nobody is active without a proven address
    email_verified: user.status !== 'pending',
    phone: user.phone,
    phone_verified: user.phoneVerified,
    first_name: user.firstName,
    last_name: user.lastName,
    date_of_birth: user.dateOfBirth,
    country: user.country,
    address: user.address,
    locale: user.locale,
    role: user.role,
    status: user.status,
    kyc: { status: user.kycStatus, level: user.kycLevel },
    mfa: {
      totp_enabled: user.totpEnabled,
      email_otp_enabled: user.emailOtpEnabled,
      sms_otp_enabled: user.smsOtpEnabled,
    },
    last_login_at: user.lastLoginAt,
    active_sessions: user.activeSessions,
    invited_until: user.invitedUntil,
    masked: false,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

/** The fields that a change names, as they are now; for the audit log. */
export function profileOf(user: User, change: z.output<typeof UserProfileUpdate>): Record<string, unknown> {
  const now: Record<keyof typeof change, unknown> = {
    first_name: user.firstName,
    last_name: user.lastName,
    date_of_birth: user.dateOfBirth ?? null,
    country: user.country ?? null,
    address: user.address ?? null,
    locale: user.locale,
  };
  return Object.fromEntries(Object.entries(now).filter(([name]) => name in change));
}

/** What somebody holds. */
export function permissionsView(
  id: UserId,
  held: readonly HeldPermission[],
): z.output<typeof UserPermissionsResponse> {
  const items = held.map(({ action, grantedBy, grantedAt }) => ({
    action,
    granted_by: grantedBy,
    granted_at: grantedAt,
  }));
  return { user_id: id, items };
}
