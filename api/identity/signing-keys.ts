/**
 * The keys that sign tokens: generated at first need, sealed at rest, the same for all replicas of the API.
 * `next` is published before it signs, `retiring` until the last token it signed has died, so no verifier is ever surprised.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import { row, rows } from '../../db/sql.ts';

/** ECDSA on P-256 with SHA-256 (docs/decisions/0020). */
export const SIGNING_ALGORITHM = 'ES256';
/** A replica learns of a rotation by NOTIFY; where that is lost, after this time. */
const RING_SECONDS = 60;
/** A token names an unknown key: read anew, but a flood of invented names must not reach the database. */
const RELOAD_MILLISECONDS = 1_000;
/** Longer than an access token lives (10 min) plus the time in which a replica may still sign with the old key. */
const RETIRING_SECONDS = 15 * 60;
const LOCK = 7_355_609;

export interface SigningKeys {
  /** The key that signs now. */
  current(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  /** A published key by its id. */
  find(kid: string): Promise<CryptoKey | undefined>;
  /** The public keys, as /.well-known/jwks.json shows them. */
  published(): Promise<PublicJwk[]>;
  /** Forgets what is in memory. */
  forget(): void;
}

const PublicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal(SIGNING_ALGORITHM),
  use: z.literal('sig'),
});
export type PublicJwk = z.output<typeof PublicJwk>;

interface StoredKey {
  readonly kid: string;
  readonly state: 'next' | 'current' | 'retiring';
  readonly public_jwk: unknown;
  readonly sealed_private_jwk: Buffer;
}

interface Ring {
  readonly readAt: number;
  readonly current: { readonly kid: string; readonly key: CryptoKey };
  readonly verifying: ReadonlyMap<string, CryptoKey>;
  readonly published: PublicJwk[];
}

export function createSigningKeys(deps: { em: () => EntityManager; cipher: Cipher }): SigningKeys {
  const { em, cipher } = deps;
  let ring: Promise<Ring> | undefined;

  /** The ring in memory, read anew where it is older than `seconds`. Calls at the same time share one reading. */
  async function atMost(milliseconds: number): Promise<Ring> {
    const seen = ring;
    const known = await seen;
    if (known !== undefined && Date.now() - known.readAt < milliseconds) return known;
    // somebody who waited beside has begun to read meanwhile
    if (ring !== undefined && ring !== seen) return ring;
    const reading = read();
    ring = reading;
    reading.catch(() => {
      if (ring === reading) ring = undefined;
    });
    return reading;
  }

  async function read(): Promise<Ring> {
    const found = await storedKeys(em());
    const stored = found.some((key) => key.state === 'current')
      ? found
      : await em().transactional((tx) => firstKeys(tx, cipher));
    return openRing(stored, cipher);
  }

  return {
    current: async () => (await atMost(RING_SECONDS * 1_000)).current,
    find: async (kid) => {
      const known = (await atMost(RING_SECONDS * 1_000)).verifying.get(kid);
      return known ?? (await atMost(RELOAD_MILLISECONDS)).verifying.get(kid);
    },
    published: async () => (await atMost(RING_SECONDS * 1_000)).published,
    forget: () => {
      ring = undefined;
    },
  };
}

/** `next` signs from now on, `current` retires, a fresh `next` is published. Needs a transaction. */
export async function rotateSigningKeys(em: EntityManager, cipher: Cipher): Promise<void> {
  await rows(em, 'select pg_advisory_xact_lock($1)', [LOCK]);
  await rows(em, `delete from signing_keys where retires_at < now()`);
  await rows(
    em,
    `update signing_keys set state = 'retiring', retires_at = now() + make_interval(secs => $1) where state = 'current'`,
    [RETIRING_SECONDS],
  );
  await rows(em, `update signing_keys set state = 'current' where state = 'next'`);
  await ensureKeys(em, cipher);
}

/** The first keys of this database. Replicas that start together wait for each other here. */
async function firstKeys(em: EntityManager, cipher: Cipher): Promise<StoredKey[]> {
  await rows(em, 'select pg_advisory_xact_lock($1)', [LOCK]);
  await ensureKeys(em, cipher);
  return storedKeys(em);
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
      'insert into signing_keys (kid, state, public_jwk, sealed_private_jwk) values ($1, $2, $3, $4)',
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
    `select kid, state, public_jwk, sealed_private_jwk from signing_keys
     where state <> 'retiring' or retires_at > now() order by created_at`,
  );
}

async function openRing(stored: readonly StoredKey[], cipher: Cipher): Promise<Ring> {
  const current = stored.find((key) => key.state === 'current');
  if (current === undefined) throw new Error('no key signs tokens');
  const published = stored.map((key) => PublicJwk.parse(key.public_jwk));
  const verifying = await Promise.all(published.map(async (jwk) => [jwk.kid, await importKey(jwk)] as const));
  // the seal proves that only ensureKeys wrote it
  const secret = JSON.parse(
    cipher.open(current.sealed_private_jwk, sealContext(current.kid)).toString(),
  ) as JWK;
  return {
    readAt: Date.now(),
    current: { kid: current.kid, key: await importKey(secret) },
    verifying: new Map(verifying),
    published,
  };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('a signing key is not an EC key');
  return key;
}

function sealContext(kid: string): string {
  return `signing_keys/${kid}`;
}
