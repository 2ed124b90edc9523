/** Time-based one-time passwords, RFC 6238: 30 s steps, six digits, SHA-1 (what authenticator apps read). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Cipher } from '../../../adapters/cipher.ts';
import { deleteRecoveryCodes } from '../../../db/queries/identity/factors/recovery-codes.ts';
import {
  deleteTotpFactor,
  lockTotpSecret,
  storeTotpSecret,
  takeTotpStep,
} from '../../../db/queries/identity/factors/totp-factors.ts';
import type { UserId } from '../../../domain/ids.ts';

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
  const sealedSecret = cipher.seal(Buffer.from(secret), sealContext(userId));
  const stored = await storeTotpSecret.run(em, { userId, sealedSecret });
  return stored === 0 ? null : { secret, uri: generateURI({ issuer: ISSUER, label, secret }) };
}

/** Takes a code of a factor that is on (or, with `pending`, of a setup, which it turns on). Each step is taken once, also in parallel. */
export async function acceptTotp(
  em: EntityManager,
  cipher: Cipher,
  userId: UserId,
  code: string,
  state: 'enabled' | 'pending' = 'enabled',
): Promise<boolean> {
  const stored = await lockTotpSecret.first(em, { userId, pending: state === 'pending' });
  if (stored === undefined) return false;
  const secret = cipher.open(stored.sealedSecret, sealContext(userId)).toString();
  const step = totpStep(secret, code, Date.now() / 1_000);
  if (step === null) return false;
  return (await takeTotpStep.run(em, { userId, step: BigInt(step) })) > 0;
}

/** Removes the factor and its recovery codes. */
export async function removeTotp(em: EntityManager, userId: UserId): Promise<void> {
  await deleteTotpFactor(em, userId);
  await deleteRecoveryCodes(em, userId);
}

function sealContext(userId: UserId): string {
  return `totp_factors/${userId}`;
}
