import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { UserId } from '../../domain/ids.ts';
import type { PostalAddress, SecondFactor, UserRole, UserStatus } from '../../domain/people.ts';

/** A person with a login. Exists only once the email address is proven; the application may not change role and status. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary().$type<UserId>().defaultRaw('uuidv7()'),
    email: p.text(),
    emailVerifiedAt: p.datetime(3).defaultRaw('now()'),
    phone: p.text().nullable(),
    phoneVerifiedAt: p.datetime(3).nullable(),
    passwordHash: p.text().nullable().hidden(),
    firstName: p.text(),
    lastName: p.text(),
    dateOfBirth: p.date().nullable(),
    country: p.text().nullable(),
    address: p.json<PostalAddress>().nullable(),
    locale: p.text().default('en'),
    role: p.text().$type<UserRole>().default('customer'),
    status: p.text().$type<UserStatus>().default('active'),
    emailOtpEnabled: p.boolean().default(false),
    smsOtpEnabled: p.boolean().default(false),
    preferredMethod: p.text().$type<SecondFactor>().default('email_otp'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type User = InferEntity<typeof User>;

/** An action that an administrator may do. `role` is always admin: with the key to the user's (id, role), a customer cannot hold one. */
export const UserPermission = defineEntity({
  name: 'UserPermission',
  tableName: 'user_permissions',
  properties: {
    userId: p.uuid().primary().$type<UserId>(),
    action: p.text().primary(),
    role: p.text().$type<'admin'>().default('admin'),
    grantedBy: p.uuid().$type<UserId>().nullable(),
    grantedAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type UserPermission = InferEntity<typeof UserPermission>;
