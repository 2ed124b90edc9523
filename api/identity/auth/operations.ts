/** Coming in and going out: login, second factor, refresh, logout, the public keys. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { factorsOf, type Factors } from '../../../db/queries/identity/factors/factors.ts';
import { loginStands } from '../../../db/queries/identity/sessions/logins.ts';
import { endSession } from '../../../db/queries/identity/sessions/sessions.ts';
import { methodOf } from '../../../domain/identity/people.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { takeFactor, type AnswerMethod } from '../../../services/identity/factors/challenges.ts';
import { evenTime } from '../../../services/identity/even-time.ts';
import { noteEvent, noteFailure } from '../../../services/identity/events.ts';
import { deviceHashOf } from '../../../services/identity/sessions/devices.ts';
import { askFor, loginFactors } from '../../../services/identity/factors/factors.ts';
import { checkPassword, completeLogin, secondFactorOf } from '../../../services/identity/sessions/login.ts';
import { exchangeToken, sessionOfToken } from '../../../services/identity/sessions/refresh.ts';
import { tellOfReuse } from '../../../services/identity/sessions/reuse.ts';
import { forAnybody, forUsers } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { challengeView, startedView, tokenView } from './views.ts';
import { transaction } from '../../../db/transaction.ts';

export const login = forAnybody({
  id: 'login',
  area: 'Identity',
  title: 'Login with identifier and password',
  description:
    'Checks the password; answers tokens, or the second factor that is missing for them. Answers tokens, or `mfa_required` with a challenge for `POST /v1/auth/login/mfa` where a second factor is on. An unknown identifier and a wrong password are answered alike.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/login',
  effect: 'own_transactions',
  throttle: { points: 100, seconds: 900 },
  body: wire.LoginRequest,
  status: 200,
  answer: wire.LoginResponse,
  refuses: ['invalid_credentials', 'no_such_factor', 'too_many_requests'],
  async handle({ body, client, requestId, db, refusal }, services) {
    const origin = { client, requestId };
    const device = deviceOf(body);
    const even = evenTime();
    const person = await checkPassword(db, services, origin, { ...body, ...device });
    if (person === null) {
      await even;
      throw refusal('invalid_credentials');
    }
    const needed = await secondFactorOf(services.throttles, person, body.method);
    if (needed !== null) {
      const { method, methods } = needed;
      return transaction(db, async (em) => {
        // checking took its time: the password, or where codes go, was changed in between
        if ((await loginStands.first(em, person)) === undefined) throw refusal('invalid_credentials');
        const asked = { purpose: 'login' as const, method, binding: device };
        const opened = await askFor(em, services.cipher, person, asked);
        await noteEvent(em, origin, 'login.challenged', person, { after: { method } });
        return challengeView(opened, method, methods);
      });
    }
    const proven = { amr: ['pwd'] as const, checkedHash: person.passwordHash, secondMethod: null, ...device };
    const begin = (em: EntityManager) => completeLogin(em, services, origin, person, proven);
    const started = await (person.knownDevice ? begin(db) : transaction(db, begin));
    // checking took its time: the password was changed, or a second factor set up, in between
    if (started === null) throw new Refusal('invalid_credentials');
    return { mfa_required: false as const, ...startedView(started) };
  },
});

export const verifyLoginMfa = forAnybody({
  id: 'verifyLoginMfa',
  area: 'Identity',
  title: 'Verify MFA during login',
  description:
    'Takes the second factor of a login. Takes the code of the challenge, one of the authenticator, or a recovery code.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/login/mfa',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900 },
  body: wire.MFAVerifyRequest,
  status: 200,
  answer: wire.TokenResponse,
  refuses: ['invalid_code', 'too_many_requests'],
  async handle({ body, client, requestId, db, refusal }, services) {
    const origin = { client, requestId };
    const { challenge_id: id, code, method } = body;
    const asked = { id, purpose: 'login' as const, sessionId: null, code, method };
    const taken = await takeFactor(db, services.cipher, asked);
    if (taken.kind === 'refused') {
      if (taken.userId !== null)
        await noteFailure(db, origin, 'code.failed', { type: 'user', id: taken.userId });
      return taken.refusal;
    }
    const owner = await factorsOf.first(db, { userId: taken.userId });
    if (owner === undefined || !isOn(owner, taken.method)) return refusal('invalid_code');
    const { deviceLabel, deviceHash } = taken.challenge;
    const amr = ['pwd', amrOf(taken.method)] as const;
    const proven = { amr, checkedHash: null, secondMethod: taken.method, deviceLabel, deviceHash };
    const person = { ...owner, id: owner.userId };
    const started = await completeLogin(db, services, origin, person, proven);
    return started === null ? refusal('invalid_code') : startedView(started);
  },
});

export const refresh = forAnybody({
  id: 'refresh',
  area: 'Identity',
  title: 'Refresh access token',
  description:
    'Exchanges a refresh token for the next pair. Each refresh token is used once; within ten seconds a repeat gets the same successor (two tabs, a lost answer). A later repeat ends the session.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/refresh',
  effect: 'transaction',
  throttle: { points: 300, seconds: 300 },
  body: wire.RefreshRequest,
  status: 200,
  answer: wire.TokenResponse,
  refuses: ['invalid_refresh_token'],
  async handle({ body, client, requestId, db, refusal }, services) {
    const outcome = await exchangeToken(db, services, body.refresh_token);
    switch (outcome.kind) {
      case 'rotated':
        return tokenView(outcome.tokens);
      case 'refused':
        return refusal('invalid_refresh_token');
      case 'reused':
        await tellOfReuse(db, services, { client, requestId }, outcome.session);
        return refusal('invalid_refresh_token');
    }
  },
});

export const logout = forUsers({
  id: 'logout',
  area: 'Identity',
  title: 'Logout and invalidate refresh token',
  description:
    'Ends the session of the call, and that of the given refresh token where it is another one of the caller’s. The access token stops working at once, too.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/logout',
  effect: 'transaction',
  body: wire.RefreshRequest,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  async handle({ caller, body, client, requestId, db }, { sessions }) {
    const other = await sessionOfToken(db, caller.id, body.refresh_token);
    for (const id of new Set([caller.sessionId, other ?? caller.sessionId])) {
      sessions.forget(id);
      if ((await endSession.run(db, { id, reason: 'logout' })) > 0)
        await noteEvent(db, { client, requestId }, 'session.ended', caller, { after: { session: id } });
    }
    return { message: 'You are logged out.' };
  },
});

export const jwks = forAnybody({
  id: 'getJwks',
  area: 'Identity',
  title: 'Get JSON Web Key Set',
  description:
    'The keys that verify our tokens. RFC 7517. Holds the key in use, the next one, and those that still verify tokens.',
  method: 'GET',
  path: '/.well-known/jwks.json',
  effect: 'read',
  status: 200,
  answer: wire.JWKSResponse,
  refuses: [],
  handle: (_request, { tokens }) => tokens.keySet(),
});

function deviceOf({ device_label, device_token }: z.output<typeof wire.LoginRequest>) {
  const deviceHash = device_token === undefined ? null : deviceHashOf(device_token);
  return { deviceLabel: device_label ?? null, deviceHash };
}

/** False where the factor was switched off while its code was on the way; a recovery code asks for itself. */
function isOn(owner: Factors, method: AnswerMethod): boolean {
  return method === 'recovery_code' || loginFactors(owner).includes(method);
}

function amrOf(method: AnswerMethod) {
  return method === 'recovery_code' ? 'otp' : methodOf[method];
}

/** In the order of the documentation. */
export const operations = [login, verifyLoginMfa, refresh, logout, jwks];
