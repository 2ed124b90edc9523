/**
 * Sessions and their refresh tokens: rotation with reuse detection (RFC 9700 §4.14.2). Within ten seconds of a rotation the old
 * token answers with the same successor, because two tabs, a lost answer or a resumed phone are honest; later it ends the session.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import {
  insertToken,
  lockSessionOf,
  presentedToken,
  retireToken,
  type LockedSession,
} from '../../db/queries/refresh-tokens.ts';
import { endSession } from '../../db/queries/sessions.ts';
import { row } from '../../db/sql.ts';
import type { SessionId, UserId } from '../../domain/ids.ts';
import type { AuthenticationMethod, UserRole } from '../../domain/people.ts';
import type { Client } from '../operation.ts';
import type { Tokens } from './tokens.ts';

const GRACE_SECONDS = 10;
const TOKEN_BYTES = 32;
const MINUTE = 60;
const DAY = 86_400;
/** OWASP ASVS 5.0 7.1.1, 7.3.1, 7.3.2: how long a session may lie idle, and how long it may last at all. In seconds. */
export const SESSION_LIMITS: Readonly<Record<UserRole, { idle: number; absolute: number }>> = {
  customer: { idle: 30 * DAY, absolute: 90 * DAY },
  admin: { idle: 15 * MINUTE, absolute: 12 * 60 * MINUTE },
};

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
  readonly deviceLabel: string | null;
  readonly client: Client;
}

const USER_AGENT_CHARACTERS = 500;

/** Starts a session, in the transaction of the login. */
export async function startSession(
  em: EntityManager,
  tokens: Tokens,
  started: NewSession,
): Promise<TokenPair> {
  const { userId, role, amr, deviceLabel, client } = started;
  const { idle, absolute } = SESSION_LIMITS[role];
  const session = await row<{ id: SessionId; authenticated_at: Date }>(
    em,
    `insert into sessions (user_id, device_label, user_agent, address, amr, proved_at, expires_at)
     values ($1, $2, $3, $4, $5, case when $6 then now() end, now() + make_interval(secs => $7))
     returning id, authenticated_at`,
    [
      userId,
      deviceLabel,
      client.userAgent.slice(0, USER_AGENT_CHARACTERS),
      client.address,
      amr,
      amr.length > 1,
      absolute,
    ],
  );
  if (session === undefined) throw new Error('a session was not stored');
  const refreshToken = newToken();
  const refreshExpiresAt = await insertToken(em, session.id, hashOf(refreshToken), idle);
  const subject = { userId, sessionId: session.id, amr, authenticatedAt: session.authenticated_at };
  const access = await tokens.issueAccess(subject);
  return {
    sessionId: session.id,
    accessToken: access.token,
    expiresInSeconds: access.expiresInSeconds,
    refreshToken,
    refreshExpiresAt,
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
  deps: { readonly tokens: Tokens; readonly cipher: Cipher },
  presented: string,
): Promise<Refreshed> {
  const session = await lockSessionOf(em, hashOf(presented));
  if (session?.live !== true) return { kind: 'refused' };
  const token = await presentedToken(em, hashOf(presented), GRACE_SECONDS);
  switch (token?.state) {
    case undefined:
    case 'idle_too_long':
      return { kind: 'refused' };
    case 'used':
      await endSession(em, session.id, 'refresh_reuse');
      return { kind: 'reused', session };
    case 'living':
    case 'just_rotated': {
      const refreshToken =
        token.sealedSuccessor === null
          ? await rotate(em, deps.cipher, session, token.id)
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
  const found = await row<{ id: SessionId }>(
    em,
    `select s.id from sessions s join refresh_tokens t on t.session_id = s.id
     where s.user_id = $1 and t.token_hash = $2`,
    [userId, hashOf(refreshToken)],
  );
  return found?.id;
}

async function rotate(
  em: EntityManager,
  cipher: Cipher,
  session: LockedSession,
  tokenId: string,
): Promise<string> {
  const successor = newToken();
  await retireToken(em, session.id, tokenId, cipher.seal(Buffer.from(successor), sealContext(tokenId)));
  await insertToken(em, session.id, hashOf(successor), SESSION_LIMITS[session.role].idle);
  return successor;
}

async function pairOf(
  em: EntityManager,
  tokens: Tokens,
  session: LockedSession,
  refreshToken: string,
): Promise<TokenPair> {
  const living = await row<{ expires_at: Date }>(
    em,
    'select expires_at from refresh_tokens where token_hash = $1',
    [hashOf(refreshToken)],
  );
  const { userId, amr, authenticatedAt } = session;
  const access = await tokens.issueAccess({ userId, sessionId: session.id, amr, authenticatedAt });
  return {
    sessionId: session.id,
    accessToken: access.token,
    expiresInSeconds: access.expiresInSeconds,
    refreshToken,
    refreshExpiresAt: living?.expires_at ?? session.expiresAt,
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
