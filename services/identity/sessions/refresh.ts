/**
 * Sessions and their refresh tokens: rotation with reuse detection (RFC 9700 §4.14.2). Within ten seconds of a rotation the old
 * token answers with the same successor, because two tabs, a lost answer or a resumed phone are honest; later it ends the session.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import {
  insertToken,
  lockSessionOf,
  presentedToken,
  retireToken,
  sessionByToken,
  tokenExpiry,
  type LockedSession,
} from '../../../db/queries/identity/sessions/refresh-tokens.ts';
import { beginSession, endSession } from '../../../db/queries/identity/sessions/sessions.ts';
import type { Config } from '../../../config.ts';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { AuthenticationMethod, UserRole } from '../../../domain/identity/people.ts';
import { deviceHashOf, newDeviceToken } from './devices.ts';
import type { Visit } from '../../callers.ts';
import type { Tokens } from './tokens.ts';

const GRACE_SECONDS = 10;
const TOKEN_BYTES = 32;
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** OWASP ASVS 5.0 7.1.1, 7.3.1, 7.3.2: how long a session may lie idle, and how long it may last at all. */
function limitsOf(role: UserRole, config: SessionConfig): { idleSeconds: number; absoluteSeconds: number } {
  const [idleSeconds, absoluteSeconds] =
    role === 'admin'
      ? [config.SESSION_IDLE_ADMIN_MINUTES * MINUTE, config.SESSION_MAX_ADMIN_HOURS * HOUR]
      : [config.SESSION_IDLE_CUSTOMER_DAYS * DAY, config.SESSION_MAX_CUSTOMER_DAYS * DAY];
  return { idleSeconds, absoluteSeconds };
}

type SessionConfig = Pick<
  Config,
  | 'SESSION_IDLE_ADMIN_MINUTES'
  | 'SESSION_MAX_ADMIN_HOURS'
  | 'SESSION_IDLE_CUSTOMER_DAYS'
  | 'SESSION_MAX_CUSTOMER_DAYS'
>;

/** What sessions are made with. */
export interface SessionDeps {
  readonly tokens: Tokens;
  readonly cipher: Cipher;
  readonly config: SessionConfig;
}

/** What a client holds after a login or a refresh. */
export interface TokenPair {
  readonly sessionId: SessionId;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
  readonly refreshExpiresAt: Date;
}

export interface NewSession {
  readonly userId: UserId;
  readonly role: UserRole;
  readonly amr: readonly AuthenticationMethod[];
  /** The hash of the password that was checked, where nothing else was. */
  readonly checkedHash: string | null;
  /** The second factor, where one was asked for. */
  readonly secondMethod: string | null;
  readonly deviceLabel: string | null;
  /** Of the token that the device sent along; null where it sent none. */
  readonly deviceHash: Buffer | null;
}

export interface StartedSession extends TokenPair {
  /** For a device that is new to this user: what it is known by from now on. */
  readonly deviceToken: string | null;
  /** The device is new, and not the first one. */
  readonly surprising: boolean;
}

const USER_AGENT_CHARACTERS = 500;

/** Starts a session and writes it down. Null where the user may not come in, or not any more by what was checked. */
export async function startSession(
  { db, client, actor }: Visit,
  { tokens, config }: SessionDeps,
  started: NewSession,
): Promise<StartedSession | null> {
  const { userId, amr } = started;
  const [refreshToken, deviceToken] = [newToken(), newDeviceToken()];
  const session = await beginSession.first(db, {
    ...started,
    ...limitsOf(started.role, config),
    requestId: actor.requestId,
    userAgent: client.userAgent.slice(0, USER_AGENT_CHARACTERS),
    address: client.address,
    newDeviceHash: deviceHashOf(deviceToken),
    tokenHash: hashOf(refreshToken),
  });
  if (session === undefined) return null;
  const subject = { userId, sessionId: session.id, amr, authenticatedAt: session.authenticatedAt };
  const access = await tokens.issueAccess(subject);
  return {
    sessionId: session.id,
    accessToken: access.token,
    expiresInSeconds: access.expiresInSeconds,
    refreshToken,
    refreshExpiresAt: session.refreshExpiresAt,
    deviceToken: session.deviceKnown ? null : deviceToken,
    surprising: !session.deviceKnown && !session.first,
  };
}

/** What became of a presented refresh token. `reused`: the session has been ended, in the caller's transaction. */
export type Refreshed =
  | { readonly kind: 'rotated'; readonly tokens: TokenPair }
  | { readonly kind: 'refused' }
  | { readonly kind: 'reused'; readonly session: LockedSession };

/** Exchanges a refresh token. The caller's transaction must commit whatever the outcome. */
export async function exchangeToken(
  em: EntityManager,
  deps: SessionDeps,
  presented: string,
): Promise<Refreshed> {
  const session = await lockSessionOf.first(em, { tokenHash: hashOf(presented) });
  if (session?.live !== true) return { kind: 'refused' };
  const token = await presentedToken.first(em, { tokenHash: hashOf(presented), graceSeconds: GRACE_SECONDS });
  switch (token?.state) {
    case undefined:
    case 'idle_too_long':
      return { kind: 'refused' };
    case 'used':
      await endSession.run(em, { id: session.id, reason: 'refresh_reuse' });
      return { kind: 'reused', session };
    case 'living':
    case 'just_rotated': {
      const refreshToken =
        token.sealedSuccessor === null
          ? await rotate(em, deps, session, token.id)
          : deps.cipher.open(token.sealedSuccessor, sealContext(token.id)).toString();
      return { kind: 'rotated', tokens: await pairOf(em, deps.tokens, session, refreshToken) };
    }
  }
}

/** The session that a refresh token of this user belongs to. */
export async function sessionOfToken(
  em: EntityManager,
  userId: UserId,
  refreshToken: string,
): Promise<SessionId | undefined> {
  return (await sessionByToken.first(em, { userId, tokenHash: hashOf(refreshToken) }))?.id;
}

async function rotate(
  em: EntityManager,
  { cipher, config }: SessionDeps,
  session: LockedSession,
  tokenId: string,
): Promise<string> {
  const successor = newToken();
  await retireToken(em, session.id, tokenId, cipher.seal(Buffer.from(successor), sealContext(tokenId)));
  const { idleSeconds } = limitsOf(session.role, config);
  await insertToken.one(em, { sessionId: session.id, tokenHash: hashOf(successor), idleSeconds });
  return successor;
}

async function pairOf(
  em: EntityManager,
  tokens: Tokens,
  session: LockedSession,
  refreshToken: string,
): Promise<TokenPair> {
  const living = await tokenExpiry.first(em, { tokenHash: hashOf(refreshToken) });
  const { userId, amr, authenticatedAt } = session;
  const access = await tokens.issueAccess({ userId, sessionId: session.id, amr, authenticatedAt });
  return {
    sessionId: session.id,
    accessToken: access.token,
    expiresInSeconds: access.expiresInSeconds,
    refreshToken,
    refreshExpiresAt: living?.expiresAt ?? session.expiresAt,
  };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function sealContext(tokenId: string): string {
  return `refresh_tokens/${tokenId}`;
}
