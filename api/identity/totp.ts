/** Time-based one-time passwords, RFC 6238: 30 s steps, six digits, SHA-1 (what authenticator apps read). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Cipher } from '../../adapters/cipher.ts';
import { row, rows } from '../../db/sql.ts';
import type { UserId } from '../../domain/ids.ts';

const ISSUER = 'Teller';
const STEP_SECONDS = 30;

/** The step that a code belongs to: the current one or the one before; null where it is neither. `now` in seconds. */
export function totpStep(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const result = verifySync({
    secret,
    token: code,
    epoch: now,
    period: STEP_SECONDS,
    epochTolerance: [STEP_SECONDS, 0],
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}

/** Begins a setup, or begins it anew while it is not confirmed. Null where TOTP is already on. */
export async function beginTotp(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
  label: string,
): Promise<{ readonly secret: string; readonly uri: string } | null> {
  const secret = generateSecret();
  const stored = await row(
    em,
    `insert into totp_factors as t (user_id, sealed_secret) values ($1, $2)
     on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, last_step = null, created_at = now()
     where t.confirmed_at is null returning user_id`,
    [userId, cipher.seal(Buffer.from(secret), sealContext(userId))],
  );
  return stored === undefined ? null : { secret, uri: generateURI({ issuer: ISSUER, label, secret }) };
}

/** Takes a code of a factor that is on (or, with `pending`, of a setup, which it turns on). Each step is taken once, also in parallel. */
export async function acceptTotp(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
  code: string,
  state: 'enabled' | 'pending' = 'enabled',
): Promise<boolean> {
  const stored = await row<{ sealed_secret: Buffer }>(
    em,
    'select sealed_secret from totp_factors where user_id = $1 and (confirmed_at is null) = $2 for update',
    [userId, state === 'pending'],
  );
  if (stored === undefined) return false;
  const secret = cipher.open(stored.sealed_secret, sealContext(userId)).toString();
  const step = totpStep(secret, code, Date.now() / 1_000);
  if (step === null) return false;
  const taken = await row(
    em,
    `update totp_factors set last_step = $2, confirmed_at = coalesce(confirmed_at, now())
     where user_id = $1 and (last_step is null or last_step < $2) returning user_id`,
    [userId, step],
  );
  return taken !== undefined;
}

/** Removes the factor and its recovery codes. */
export async function removeTotp(em: EntityManager, userId: UserId): Promise<void> {
  await rows(em, 'delete from totp_factors where user_id = $1', [userId]);
  await rows(em, 'delete from recovery_codes where user_id = $1', [userId]);
}

function sealContext(userId: UserId): string {
  return `totp_factors/${userId}`;
}
