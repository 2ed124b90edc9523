/** Exchanging refresh tokens, and what follows when a used one comes again. */
import type { Refusal } from '../../../domain/refusals.ts';
import type { Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent } from '../events.ts';
import { tellUser } from '../notices.ts';
import { exchangeToken, type TokenPair } from './refresh.ts';

/**
 * Exchanges a refresh token for the next pair. A used one ends its session, and the log and the user are told. A refusal is returned,
 * because that must last.
 */
export async function refreshSession(
  visit: Visit<'invalid_refresh_token'>,
  services: Services,
  presented: string,
): Promise<TokenPair | Refusal> {
  const { db, refusal } = visit;
  const outcome = await exchangeToken(db, services, presented);
  if (outcome.kind === 'rotated') return outcome.tokens;
  if (outcome.kind === 'reused') {
    const { id: session, userId, role, email, locale } = outcome.session;
    services.sessions.forget(session);
    await noteEvent(visit, 'session.refresh_reused', { id: userId, role }, { after: { session } });
    await tellUser(db, services.cipher, 'refresh_reuse', { userId, email, locale });
  }
  return refusal('invalid_refresh_token');
}
