/** Emails that tell users what was done to their login, so that whoever did not do it learns of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import type { UserId } from '../../domain/ids.ts';
import { sendMessage } from '../notifications/messages.ts';

/** Tells a user by email what was done to their login just now. */
export async function tellUser(
  db: EntityManager,
  cipher: Cipher,
  template:
    | 'password_changed'
    | 'factor_changed'
    | 'email_changed'
    | 'phone_changed'
    | 'refresh_reuse'
    | 'admin_promoted',
  { userId, email: to, locale }: { readonly userId: UserId; readonly email: string; readonly locale: string },
): Promise<void> {
  const values = { at: momentText(new Date()) };
  await sendMessage(db, cipher, { userId, channel: 'email', to, template, locale, values });
}

/** A moment as a message shows it: `2026-03-01 09:30 UTC`. */
export function momentText(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
