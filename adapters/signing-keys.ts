/**
 * The keys that sign tokens, as they are stored: sealed at rest, the same for all replicas. `next` is published before it signs,
 * `retiring` until the last token it signed has died, so no verifier is ever surprised.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { record } from '../db/queries/platform/audit.ts';
import { row, rows } from '../db/sql.ts';
import type { Cipher } from './cipher.ts';

/** ECDSA on P-256 with SHA-256 (docs/decisions/0020). */
export const SIGNING_ALGORITHM = 'ES256';
/** Longer than an access token lives (10 min) plus the time in which a replica may still sign with the old key. */
const RETIRING_SECONDS = 15 * 60;
/** Of the advisory lock under which keys are made and rotated. */
const LOCK = 7_355_609;

export interface StoredKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly state: 'next' | 'current' | 'retiring';
  readonly publicJwk: unknown;
  readonly sealedPrivateJwk: Buffer;
}

/** All keys that sign or verify now; makes the first ones. Replicas that start together wait for each other. */
export async function signingKeys(em: EntityManager, cipher: Cipher): Promise<StoredKey[]> {
  const found = await storedKeys(em);
  if (found.some(({ state }) => state === 'current')) return found;
  return em.transactional(async (tx) => {
    await rows(tx, 'select pg_advisory_xact_lock($1)', [LOCK]);
    await ensureKeys(tx, cipher);
    return storedKeys(tx);
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
  await rows(em, 'select pg_advisory_xact_lock($1)', [LOCK]);
  await ensureKeys(em, cipher);
  const retired = await row<{ kid: string }>(
    em,
    `update signing_keys set state = 'retiring', retires_at = now() + make_interval(secs => $1)
     where state = 'current' and ($2::double precision = 0 or signing_since <= now() - make_interval(secs => $2)) returning kid`,
    [RETIRING_SECONDS, minimumDays * 86_400],
  );
  if (retired === undefined) return false;
  await rows(em, `delete from signing_keys where retires_at < now()`);
  const current = await row<{ kid: string }>(
    em,
    `update signing_keys set state = 'current', signing_since = now() where state = 'next' returning kid`,
  );
  await ensureKeys(em, cipher);
  await record(em, {
    ...{ actorId: null, actorRole: 'system', action: 'signing_key.rotated', subjectType: 'signing_key' },
    subjectId: retired.kid,
    before: { current: retired.kid },
    after: { current: current?.kid },
    reason,
  });
  return true;
}

/** After a leak: fresh keys, and no token that is out is valid any more; sessions go on by their refresh tokens. Needs a transaction. */
export async function replaceSigningKeys(em: EntityManager, cipher: Cipher): Promise<void> {
  await rows(em, 'select pg_advisory_xact_lock($1)', [LOCK]);
  const gone = await rows<{ kid: string }>(em, 'delete from signing_keys returning kid');
  await ensureKeys(em, cipher);
  for (const { kid } of gone)
    await record(em, {
      ...{ actorId: null, actorRole: 'system', action: 'signing_key.revoked', subjectType: 'signing_key' },
      subjectId: kid,
      reason: 'by command',
    });
}

async function ensureKeys(em: EntityManager, cipher: Cipher): Promise<void> {
  for (const state of ['current', 'next']) {
    const present = await row(em, 'select 1 from signing_keys where state = $1', [state]);
    if (present !== undefined) continue;
    const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    const secret = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
    await rows(
      em,
      `insert into signing_keys (kid, state, public_jwk, sealed_private_jwk, signing_since)
       values ($1, $2, $3, $4, case when $2 = 'current' then now() end)`,
      [
        kid,
        state,
        JSON.stringify({ ...jwk, kid, alg: SIGNING_ALGORITHM, use: 'sig' }),
        cipher.seal(secret, sealContext(kid)),
      ],
    );
  }
}

async function storedKeys(em: EntityManager): Promise<StoredKey[]> {
  return rows<StoredKey>(
    em,
    `select kid, state, public_jwk as "publicJwk", sealed_private_jwk as "sealedPrivateJwk" from signing_keys
     where state <> 'retiring' or retires_at > now() order by created_at`,
  );
}

function sealContext(kid: string): string {
  return `signing_keys/${kid}`;
}
