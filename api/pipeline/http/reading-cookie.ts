/**
 * Step: the cookie of the sign-in page, for operations that declare it. A browser sends it along by itself, so it counts only for the
 * pages of the Temporal Web UI and of this service, and each use renews it.
 */
import type { Cipher } from '../../../adapters/cipher.ts';
import type { Config } from '../../../config.ts';
import { openReading, sealReading, type Reading } from '../../../services/identity/sessions/reading.ts';
import type { Step } from './state.ts';

/** What the browser sends the cookie with, and nothing else. */
const SCOPE = '/v1/admin/codec';

type CookieConfig = Pick<Config, 'publicUrl' | 'TEMPORAL_UI_URL' | 'SESSION_IDLE_ADMIN_MINUTES'>;

/** Reads, renews, sets and takes back the cookie. Operations say by `cookie` what they do with it. */
export function readingCookie({ config, cipher }: { config: CookieConfig; cipher: Cipher }): Step {
  const idleSeconds = config.SESSION_IDLE_ADMIN_MINUTES * 60;
  const { protocol, pathname, origin } = new URL(config.publicUrl);
  const isSecure = protocol === 'https:';
  const name = readingCookieName(config);
  const trusted = new Set([origin, new URL(config.TEMPORAL_UI_URL).origin]);
  const attributes = `; Path=${pathname.replace(/\/$/, '')}${SCOPE}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const cookieOf = (reading: Reading): string =>
    `${name}=${sealReading(reading, cipher)}; Max-Age=${String(idleSeconds)}${attributes}`;

  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${SCOPE}/`)) {
      await next();
      return;
    }
    // SameSite keeps other sites out; another page of the same site is told by its origin
    const value = trusted.has(ctx.get('Origin')) ? ctx.cookies.get(name) : undefined;
    const reading = value === undefined ? null : openReading(value, idleSeconds, cipher);
    if (reading !== null) ctx.state.reading = reading;
    await next();
    const { operation, caller } = ctx.state;
    const use = operation?.access.auth === 'admin' ? operation.access.cookie : undefined;
    if (use === undefined || caller === undefined) return;
    const { id: userId, sessionId } = caller;
    if (use === 'ends') ctx.set('Set-Cookie', `${name}=; Max-Age=0${attributes}`);
    else if (use === 'begins' || ctx.get('Authorization') === '')
      ctx.set('Set-Cookie', cookieOf({ userId, sessionId }));
  };
}

/** The prefix has the browser refuse a cookie of this name that came without TLS. */
export function readingCookieName({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return publicUrl.startsWith('https:') ? '__Secure-teller-reading' : 'teller-reading';
}
