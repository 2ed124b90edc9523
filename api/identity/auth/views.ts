import type { z } from 'zod';
import type { LoginOutcome } from '../../../services/identity/sessions/login.ts';
import type { StartedSession, TokenPair } from '../../../services/identity/sessions/refresh.ts';
import type { LoginResponse, TokenResponse } from './schemas.ts';

/** What a client holds after a login or a refresh. */
export function tokenView(pair: TokenPair): z.output<typeof TokenResponse> {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: pair.expiresInSeconds,
    refresh_token: pair.refreshToken,
    refresh_expires_at: pair.refreshExpiresAt,
  };
}

/** The same after a login: a device that is new learns what it is known by. */
export function startedView(started: StartedSession): z.output<typeof TokenResponse> {
  const { deviceToken } = started;
  return { ...tokenView(started), ...(deviceToken === null ? {} : { device_token: deviceToken }) };
}

/** Tokens, or the second factor that is missing for them. */
export function loginView(outcome: LoginOutcome): z.output<typeof LoginResponse> {
  if (outcome.kind === 'started') return { mfa_required: false, ...startedView(outcome.session) };
  const { challenge, method, methods } = outcome;
  return { mfa_required: true, challenge_id: challenge.id, method, methods, expires_at: challenge.expiresAt };
}
