/**
 * The keys that sign tokens, as they are stored: sealed at rest, the same for all replicas. `next` is published before it signs,
 * `retiring` until the last token it signed has died, so no verifier is ever surprised.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import {
  deleteRetiredKeys,
  deleteSigningKeys,
  hasSigningKey,
  insertSigningKey,
  lockSigningKeys,
  retireCurrentKey,
  signWithNextKey,
  storedKeys,
  type StoredKey,
} from '../../../db/queries/identity/sessions/signing-keys.ts';
import { SYSTEM } from '../../../domain/actor.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import type { Cipher } from '../../../adapters/cipher.ts';
import { transaction } from '../../../db/transaction.ts';

/** ECDSA on P-256 with SHA-256 (docs/decisions/0020). */
export const SIGNING_ALGORITHM = 'ES256';
/** Longer than an access token lives (10 min) plus the time in which a replica may still sign with the old key. */
const RETIRING_SECONDS = 15 * 60;
/** Of the advisory lock under which keys are made and rotated. */
const LOCK = 7_355_609n;

/** All keys that sign or verify now; makes the first ones. Replicas that start together wait for each other. */
export async function signingKeys(em: EntityManager, cipher: Cipher): Promise<StoredKey[]> {
  const found = await storedKeys.all(em);
  if (found.some(({ state }) => state === 'current')) return found;
  return transaction(em, async (tx) => {
    await lockSigningKeys.run(tx, { lock: LOCK });
    await ensureKeys(tx, cipher);
    return storedKeys.all(tx);
  });
}

/** The private part. Throws where the row was tampered with or its key has left the ring. */
export function openSigningKey({ kid, sealedPrivateJwk }: StoredKey, cipher: Cipher): JWK {
  // the seal proves that only ensureKeys wrote it
  return JSON.parse(cipher.open(sealedPrivateJwk, sealContext(kid)).toString()) as JWK;
}

/**
 * `next` signs from now on, `current` retires, a fresh `next` is published. Not where the current key has signed for less than
 * `minimumDays`, so a repeat after a crash finds its own work. Answers whether it rotated. Needs a transaction.
 */
export async function rotateSigningKeys(
  em: EntityManager,
  cipher: Cipher,
  { minimumDays, reason }: { readonly minimumDays: number; readonly reason: string },
): Promise<boolean> {
  await lockSigningKeys.run(em, { lock: LOCK });
  await ensureKeys(em, cipher);
  const retired = await retireCurrentKey.first(em, {
    retiringSeconds: RETIRING_SECONDS,
    minimumSeconds: minimumDays * 86_400,
  });
  if (retired === undefined) return false;
  await deleteRetiredKeys.run(em);
  const current = await signWithNextKey.first(em);
  await ensureKeys(em, cipher);
  await record(em, SYSTEM, {
    action: 'signing_key.rotated',
    subject: ['signing_key', retired.kid],
    before: { current: retired.kid },
    after: { current: current?.kid },
    reason,
  });
  return true;
}

/** After a leak: fresh keys, and no token that is out is valid any more; sessions go on by their refresh tokens. Needs a transaction. */
export async function replaceSigningKeys(em: EntityManager, cipher: Cipher): Promise<void> {
  await lockSigningKeys.run(em, { lock: LOCK });
  const gone = await deleteSigningKeys.all(em);
  await ensureKeys(em, cipher);
  for (const { kid } of gone)
    await record(em, SYSTEM, {
      action: 'signing_key.revoked',
      subject: ['signing_key', kid],
      reason: 'by command',
    });
}

async function ensureKeys(em: EntityManager, cipher: Cipher): Promise<void> {
  for (const state of ['current', 'next'] as const) {
    const { present } = await hasSigningKey.one(em, { state });
    if (present) continue;
    const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    const secret = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
    const publicJwk = { ...jwk, kid, alg: SIGNING_ALGORITHM, use: 'sig' };
    const sealedPrivateJwk = cipher.seal(secret, sealContext(kid));
    await insertSigningKey.run(em, { kid, state, publicJwk, sealedPrivateJwk });
  }
}

function sealContext(kid: string): string {
  return `signing_keys/${kid}`;
}
