/** Notices that tell users what was done to their login, so that whoever did not do it learns of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import type { UserId } from '../../domain/ids.ts';
import { now } from '../../domain/time/now.ts';
import { notify } from '../notifications/events.ts';

/**
 * Tells a user what was done to their login just now: at the addresses that were theirs before it, and in the feed. `sms` is the number
 * that was replaced.
 */
export async function tellUser(
  db: EntityManager,
  cipher: Cipher,
  type:
    | 'password_changed'
    | 'factor_changed'
    | 'email_changed'
    | 'phone_changed'
    | 'security_notices_off'
    | 'refresh_reuse'
    | 'admin_promoted',
  {
    userId,
    email,
    locale,
    sms,
  }: {
    readonly userId: UserId;
    readonly email: string;
    readonly locale: string;
    readonly sms?: string;
  },
): Promise<void> {
  const values = { at: now().toISOString() };
  const to = sms === undefined ? { email } : { email, sms };
  await notify(db, cipher, { userId, to, type, locale, values });
}
