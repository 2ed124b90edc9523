/** Keys and signatures of webhooks: valid ones, and the invalid ones that a receiver must refuse. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  sign as signWith,
  type JsonWebKey,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from '../state/records.ts';
import type { World } from '../state/world.ts';

export const SIGNATURES = ['good', 'tampered', 'old_key', 'unknown_key', 'none', 'legacy_only'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** Bytes and headers to send. The bytes of `tampered` are not the signed ones. */
export interface Signed {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Signer {
  sign(body: Buffer, as: Signature): Signed;
  /** Adds a key, which signs from now on. Older keys stay published. Returns its id. */
  rotate(): Promise<string>;
  jwks(): { readonly keys: readonly JsonWebKey[] };
}

/** A new private RSA key in PKCS #8. */
export async function newRsaKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function newKey(): Promise<SigningKey> {
  const pem = await newRsaKey();
  const { n } = createPublicKey(pem).export({ format: 'jwk' });
  return { kid: createHash('sha256').update(String(n)).digest('base64url').slice(0, 22), pem };
}

/** The signer with the stored keys; creates the first key if there is none. */
export async function openSigner(world: World): Promise<Signer> {
  const unpublished = await newKey();
  const keys = (): SigningKey[] => [...world.keys.values()];
  async function rotate(): Promise<string> {
    const key = await newKey();
    world.act(() => world.keys.set(key.kid, key));
    return key.kid;
  }
  if (world.keys.size === 0) await rotate();

  function keyOf(as: Signature): SigningKey {
    if (as === 'unknown_key') return unpublished;
    const key = as === 'old_key' ? keys().at(-2) : keys().at(-1);
    if (key === undefined) throw new Error('there is no older key: rotate first');
    return key;
  }

  return {
    rotate,
    sign(body, as) {
      const headers = { 'Content-Type': 'application/json' };
      if (as === 'none') return { body, headers };
      const key = keyOf(as);
      if (as === 'legacy_only') {
        const signature = signWith('sha512', body, createPrivateKey(key.pem)).toString('base64');
        return { body, headers: { ...headers, 'Fireblocks-Signature': signature } };
      }
      const signed = { ...headers, 'Fireblocks-Webhook-Signature': detachedJws(body, key) };
      return { body: as === 'tampered' ? tampered(body) : body, headers: signed };
    },
    jwks: () => ({
      keys: keys().map(({ kid, pem }) => ({
        ...createPublicKey(pem).export({ format: 'jwk' }),
        ...{ kid, use: 'sig', alg: 'RS512' },
      })),
    }),
  };
}

/** A JWS with detached content (RFC 7515 appendix F). */
function detachedJws(body: Buffer, { kid, pem }: SigningKey): string {
  const header = Buffer.from(JSON.stringify({ alg: 'RS512', kid })).toString('base64url');
  const input = `${header}.${body.toString('base64url')}`;
  const signature = signWith('sha512', Buffer.from(input), createPrivateKey(pem)).toString('base64url');
  return `${header}..${signature}`;
}

/** Flips one bit of the last digit, so that the body is still JSON. */
function tampered(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const at = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39);
  const byte = changed[Math.max(at, 0)];
  if (byte !== undefined) changed[Math.max(at, 0)] = byte ^ 1;
  return changed;
}
