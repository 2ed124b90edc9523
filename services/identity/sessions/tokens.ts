/**
 * Access tokens (RFC 9068, `at+jwt`) and step-up tokens. Algorithm, issuer, audience and type are pinned, and a key comes
 * from our own set only: what a token's header says about keys is never followed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT, type CryptoKey, type JWTHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { SIGNING_ALGORITHM } from './key-rotation.ts';
import type { Config } from '../../../config.ts';
import { SessionId, UserId } from '../../../domain/ids.ts';
import type { StepUpReason } from '../../../domain/identity/step-up.ts';
import type { PublicJwk, SigningKeys } from './signing-keys.ts';

export const ACCESS_TOKEN_SECONDS = 600;
export const STEP_UP_TOKEN_SECONDS = 300;
const ACCESS_TYPE = 'at+jwt';
const STEP_UP_TYPE = 'step-up+jwt';
/** Ours are under 700; a longer one is not hashed, parsed or remembered. */
const TOKEN_CHARACTERS_MAX = 2_048;
const REMEMBERED_MAX = 20_000;
/** RFC 7515 §4.1: members that would let a token bring its own key. */
const KEY_BRINGING_HEADERS = ['jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256'];

/** What an access token says. */
export interface AccessClaims {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface AccessSubject {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** Methods of the login, RFC 8176. */
  readonly amr: readonly string[];
  /** When the user logged in. */
  readonly authenticatedAt: Date;
}

/** What a step-up token is bound to; none of it can be exchanged. */
export interface StepUpBinding {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** The operation's id. */
  readonly operation: string;
  /** The hash of the one request it is good for; null if the operation moves no money out. */
  readonly request: string | null;
}

/** A genuine step-up token, or what is wrong with it. */
export type VerifiedStepUp =
  | { readonly stepUpId: string }
  | { readonly fault: Extract<StepUpReason, 'invalid' | 'expired' | 'other_operation' | 'other_request'> };

export interface Tokens {
  /** Ten minutes. */
  issueAccess(subject: AccessSubject): Promise<{ readonly token: string; readonly expiresInSeconds: number }>;
  /** Null where the token is not ours, has expired or is of another kind. Says nothing about the session: see Sessions. */
  verifyAccess(token: string): Promise<AccessClaims | null>;
  /** Five minutes. */
  issueStepUp(binding: StepUpBinding): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Tells whether a token is ours, and made for just this. Its single use: see `spendStepUp`. */
  verifyStepUp(token: string, binding: StepUpBinding): Promise<VerifiedStepUp>;
  /** The public keys. */
  keySet(): Promise<{ readonly keys: PublicJwk[] }>;
  /** Forgets keys and verified tokens. */
  forget(): void;
}

const AccessPayload = z.object({ sub: UserId, sid: SessionId, exp: z.int() });
const StepUpPayload = z.object({
  sub: UserId,
  sid: SessionId,
  operation: z.string(),
  // not in a token for an operation that moves no money out
  request: z.string().optional(),
  jti: z.uuid(),
});

interface Deps {
  readonly config: Pick<Config, 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>;
  readonly keys: SigningKeys;
}

export function createTokens(deps: Deps): Tokens {
  const { keys } = deps;
  const verified = new LRUCache<string, AccessClaims>({ max: REMEMBERED_MAX });
  /** Grows with each change of the keys: what was checked by the keys before is not remembered after it. */
  let keysKnown = 0;
  return {
    issueAccess: async ({ userId, sessionId, amr, authenticatedAt }) => {
      const authTime = Math.floor(authenticatedAt.getTime() / 1_000);
      const claims = { sub: userId, sid: sessionId, amr, auth_time: authTime };
      return {
        token: await sign(deps, ACCESS_TYPE, claims, ACCESS_TOKEN_SECONDS),
        expiresInSeconds: ACCESS_TOKEN_SECONDS,
      };
    },
    verifyAccess: async (token) => {
      if (token.length > TOKEN_CHARACTERS_MAX) return null;
      // a signature check costs 115 µs, a look into this map 3; the token itself is not kept in memory
      const name = createHash('sha256').update(token).digest('base64');
      const known = verified.get(name);
      if (known !== undefined) return known.expiresAt * 1_000 > Date.now() ? known : null;
      const checkedBy = keysKnown;
      const payload = await read(deps, token, ACCESS_TYPE, AccessPayload);
      if (payload === null || payload === 'expired') return null;
      const claims = { userId: payload.sub, sessionId: payload.sid, expiresAt: payload.exp };
      if (checkedBy === keysKnown) verified.set(name, claims);
      return claims;
    },
    issueStepUp: async ({ userId, sessionId, operation, request }) => {
      const linked = request === null ? {} : { request };
      const claims = { sub: userId, sid: sessionId, operation, ...linked };
      return {
        token: await sign(deps, STEP_UP_TYPE, claims, STEP_UP_TOKEN_SECONDS),
        expiresAt: new Date(Date.now() + STEP_UP_TOKEN_SECONDS * 1_000),
      };
    },
    verifyStepUp: async (token, binding) => {
      const payload = await read(deps, token, STEP_UP_TYPE, StepUpPayload);
      if (payload === 'expired') return { fault: 'expired' };
      if (payload?.sub !== binding.userId || payload.sid !== binding.sessionId) return { fault: 'invalid' };
      if (payload.operation !== binding.operation) return { fault: 'other_operation' };
      if ((payload.request ?? null) !== binding.request) return { fault: 'other_request' };
      return { stepUpId: payload.jti };
    },
    keySet: async () => ({ keys: await keys.published() }),
    forget: () => {
      keysKnown += 1;
      keys.forget();
      verified.clear();
    },
  };
}

async function sign(
  { config, keys }: Deps,
  type: string,
  claims: Record<string, unknown>,
  seconds: number,
): Promise<string> {
  const { kid, key } = await keys.current();
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ ...claims, jti: randomUUID() })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: type, kid })
    .setIssuer(config.TOKEN_ISSUER)
    .setAudience(config.TOKEN_AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(key);
}

/** The payload of a token of ours, or null; `expired` if nothing but its time is over. Faults of ours, such as an unreachable database, are thrown. */
async function read<Payload>(
  { config, keys }: Deps,
  token: string,
  type: string,
  schema: z.ZodType<Payload>,
): Promise<Payload | 'expired' | null> {
  if (token.length > TOKEN_CHARACTERS_MAX) return null;
  try {
    const { payload } = await jwtVerify(token, (header) => keyOf(header, keys), {
      algorithms: [SIGNING_ALGORITHM],
      issuer: config.TOKEN_ISSUER,
      audience: config.TOKEN_AUDIENCE,
      typ: type,
      requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
    });
    return schema.safeParse(payload).data ?? null;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** The key that a token's header names, from our own set. */
async function keyOf(header: JWTHeaderParameters, keys: SigningKeys): Promise<CryptoKey> {
  const bringsKey = KEY_BRINGING_HEADERS.some((name) => name in header);
  const key = bringsKey ? undefined : await keys.find(header.kid ?? '');
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return key;
}
