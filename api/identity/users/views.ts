import type { z } from 'zod';
import type { User } from '../../../db/schema/identity.ts';
import type { UserProfileDetails } from './schemas.ts';

/** All that a person is told of themselves. */
export function profileView(user: User): z.output<typeof UserProfileDetails> {
  return {
    id: user.id,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    role: user.role,
    status: user.status,
    // a user exists only once the address is proven
    email_verified: true,
    phone: user.phone ?? null,
    phone_verified: user.phoneVerifiedAt != null,
    date_of_birth: user.dateOfBirth ?? null,
    country: user.country ?? null,
    address: user.address ?? null,
    locale: user.locale,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}
