/** Coming in and going out: login, second factor, refresh, logout, the public keys. */
import { isRefusal } from '../../../domain/refusals.ts';
import { deviceHashOf } from '../../../services/identity/sessions/devices.ts';
import { logOut } from '../../../services/identity/sessions/endings.ts';
import { logIn, logInByFactor } from '../../../services/identity/sessions/login.ts';
import { refreshSession } from '../../../services/identity/sessions/reuse.ts';
import { forAnybody, forUsers } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { loginView, startedView, tokenView } from './views.ts';

export const login = forAnybody({
  id: 'login',
  area: 'Identity',
  title: 'Login with identifier and password',
  description:
    'Answers tokens, or `mfa_required` with a challenge for `POST /v1/auth/login/mfa` if a second factor is on. An unknown identifier and a wrong password get the same answer.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/login',
  effect: 'own_transactions',
  throttle: { points: 100, seconds: 900, counts: 'failures' },
  body: wire.LoginRequest,
  status: 200,
  answer: wire.LoginResponse,
  refuses: ['invalid_credentials', 'no_such_factor', 'too_many_requests'],
  async handle(request, services) {
    const { identifier, password, method: wishedFactor, device_label, device_token } = request.body;
    const deviceHash = device_token === undefined ? null : deviceHashOf(device_token);
    const device = { deviceLabel: device_label ?? null, deviceHash };
    return loginView(await logIn(request, services, { identifier, password, wishedFactor, ...device }));
  },
});

export const verifyLoginMfa = forAnybody({
  id: 'verifyLoginMfa',
  area: 'Identity',
  title: 'Verify MFA during login',
  description:
    'Completes a login by its second factor: the code of the challenge, a code of the authenticator, or a recovery code.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/login/mfa',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900, counts: 'failures' },
  body: wire.MFAVerifyRequest,
  status: 200,
  answer: wire.TokenResponse,
  refuses: ['invalid_code', 'too_many_requests'],
  async handle(request, services) {
    const { challenge_id: id, code, method } = request.body;
    const session = await logInByFactor(request, services, { id, code, method });
    return isRefusal(session) ? session : startedView(session);
  },
});

export const refresh = forAnybody({
  id: 'refresh',
  area: 'Identity',
  title: 'Refresh access token',
  description:
    'Exchanges a refresh token for the next pair. Each refresh token is used once. Within ten seconds a repeat gets the same successor, as two tabs or a lost answer need it; a later repeat ends the session.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/refresh',
  effect: 'transaction',
  throttle: { points: 300, seconds: 300, counts: 'failures' },
  body: wire.RefreshRequest,
  status: 200,
  answer: wire.TokenResponse,
  refuses: ['invalid_refresh_token'],
  async handle(request, services) {
    const tokens = await refreshSession(request, services, request.body.refresh_token);
    return isRefusal(tokens) ? tokens : tokenView(tokens);
  },
});

export const logout = forUsers({
  id: 'logout',
  area: 'Identity',
  title: 'Logout and invalidate refresh token',
  description:
    'Ends the session of the call, and that of the refresh token if it belongs to another session of the caller. The access token stops working at once.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/logout',
  effect: 'transaction',
  body: wire.RefreshRequest,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  async handle(request, services) {
    await logOut(request, services, request.body.refresh_token);
    return { message: 'You are logged out.' };
  },
});

export const jwks = forAnybody({
  id: 'getJwks',
  area: 'Identity',
  title: 'Get JSON Web Key Set',
  description:
    'The public keys that verify access tokens (RFC 7517): the one in use, the next one, and those that still verify tokens.',
  method: 'GET',
  path: '/.well-known/jwks.json',
  effect: 'read',
  status: 200,
  answer: wire.JWKSResponse,
  refuses: [],
  handle: (_request, { tokens }) => tokens.keySet(),
});

/** In the order of the documentation. */
export const operations = [login, verifyLoginMfa, refresh, logout, jwks];
