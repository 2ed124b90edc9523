import type { z } from 'zod';
import type { SecondFactor } from '../../../domain/identity/people.ts';
import type { OpenChallenge } from '../../../services/identity/factors/challenges.ts';
import type { StartedSession, TokenPair } from '../../../services/identity/sessions/refresh.ts';
import type { TokenResponse } from './schemas.ts';

/** What a client holds after a login or a refresh. */
export function tokenView(pair: TokenPair): z.input<typeof TokenResponse> {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: pair.expiresInSeconds,
    refresh_token: pair.refreshToken,
    refresh_expires_at: pair.refreshExpiresAt.toISOString(),
  };
}

/** The same after a login: a device that is new learns what it is known by. */
export function startedView(started: StartedSession): z.input<typeof TokenResponse> {
  const { deviceToken } = started;
  return { ...tokenView(started), ...(deviceToken === null ? {} : { device_token: deviceToken }) };
}

/** The second factor that is missing for tokens. */
export function challengeView(opened: OpenChallenge, method: SecondFactor, methods: SecondFactor[]) {
  return {
    mfa_required: true as const,
    challenge_id: opened.id,
    method,
    methods,
    expires_at: opened.expiresAt.toISOString(),
  };
}
