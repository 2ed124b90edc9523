/** The keys that sign and verify tokens, as one process has them in memory. How they are kept: key-rotation.ts. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { z } from 'zod';
import type { Cipher } from '../../../adapters/cipher.ts';
import { openSigningKey, SIGNING_ALGORITHM, signingKeys } from './key-rotation.ts';
import type { StoredKey } from '../../../db/queries/identity/sessions/signing-keys.ts';

/** A replica learns of a rotation by NOTIFY; where that is lost, after this time. */
const RING_SECONDS = 60;
/** A token names an unknown key: read anew, but a flood of invented names must not reach the database. */
const RELOAD_MILLISECONDS = 1_000;
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
    return openRing(await signingKeys(em(), cipher), cipher);
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

async function openRing(stored: readonly StoredKey[], cipher: Cipher): Promise<Ring> {
  const current = stored.find((key) => key.state === 'current');
  if (current === undefined) throw new Error('no key signs tokens');
  const published = stored.map((key) => PublicJwk.parse(key.publicJwk));
  const verifying = await Promise.all(published.map(async (jwk) => [jwk.kid, await importKey(jwk)] as const));
  return {
    readAt: Date.now(),
    current: { kid: current.kid, key: await importKey(openSigningKey(current, cipher)) },
    verifying: new Map(verifying),
    published,
  };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('a signing key is not an EC key');
  return key;
}
