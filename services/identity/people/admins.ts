/** Administrators that come into being by command: the first ones, and those of a demo. There is no open route to become one. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { newUuid } from '../../../adapters/new-id.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { saveToggles } from '../../../db/queries/identity/factors/factors.ts';
import { grantAsOwner } from '../../../db/queries/identity/people/admins.ts';
import { insertUser } from '../../../db/queries/identity/people/people.ts';
import { SYSTEM } from '../../../domain/actor.ts';
import { UserId } from '../../../domain/ids.ts';

export interface NewAdmin {
  /** Normalised. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly locale: string;
  readonly passwordHash: string;
  readonly permissions: readonly string[];
  /** A login then needs a code by email, until the admin sets up something stronger. */
  readonly emailOtp: boolean;
}

/** Makes an admin, in the caller's transaction as the owner of the tables. Null where the address has a login already; nothing is changed then. */
export async function createAdmin(em: EntityManager, admin: NewAdmin): Promise<UserId | null> {
  const { emailOtp, permissions, ...person } = admin;
  const id = UserId.parse(newUuid());
  const nothingKnown = {
    phone: null,
    phoneVerifiedAt: null,
    dateOfBirth: null,
    country: null,
    address: null,
  };
  const inserted = await insertUser.run(em, { id, ...person, ...nothingKnown, role: 'admin' });
  if (inserted === 0) return null;
  if (emailOtp)
    await saveToggles(em, id, { emailOtpEnabled: true, smsOtpEnabled: false, preferredMethod: 'email_otp' });
  await grantByCommand(em, id, permissions);
  return id;
}

/** Grants actions to an admin by command, as the owner of the tables; those that are held stay. Needs a transaction. */
export async function grantByCommand(
  em: EntityManager,
  userId: UserId,
  actions: readonly string[],
): Promise<void> {
  const granted = await grantAsOwner.all(em, { userId, actions });
  if (granted.length === 0) return;
  const after = { granted: granted.map(({ action }) => action) };
  await record(em, SYSTEM, {
    action: 'permissions.granted',
    subject: ['user', userId],
    after,
    reason: 'by command',
  });
}
