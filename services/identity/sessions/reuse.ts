/** What follows when a used refresh token comes again: the session has ended, the log and the user are told. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { sendMessage } from '../../notifications/messages.ts';
import type { LockedSession } from '../../../db/queries/identity/sessions/refresh-tokens.ts';
import { noteEvent, type Origin } from '../events.ts';
import type { Sessions } from './sessions.ts';

/** Call it in the transaction that ended the session. */
export async function tellOfReuse(
  em: EntityManager,
  { cipher, sessions }: { readonly cipher: Cipher; readonly sessions: Sessions },
  origin: Origin,
  session: LockedSession,
): Promise<void> {
  const { id, userId, role, email, locale } = session;
  sessions.forget(id);
  await noteEvent(em, origin, 'session.refresh_reused', { id: userId, role }, { after: { session: id } });
  await sendMessage(em, cipher, {
    userId,
    channel: 'email',
    to: email,
    template: 'refresh_reuse',
    locale,
    values: { at: momentText(new Date()) },
  });
}

/** A moment as a message shows it: `2026-03-01 09:30 UTC`. */
export function momentText(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
