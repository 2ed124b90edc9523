/** Encryption at rest with a ring of keys: AES-256-GCM (NIST SP 800-38D), and keyed hashes derived from the same ring. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

/** What is sealed may be whole: whoever has the key can open it. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens small secrets. `context` is bound as additional data: a sealed value moved to another row or column does not open. */
export interface Cipher {
  /** Id of the key that seals now. */
  readonly keyId: string;
  seal(plain: Uint8Array, context: string): Buffer;
  /** Throws `KeyMissing` where the key is unknown, and something else where the value or its context was changed. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** HMAC-SHA-256 under a key derived for `purpose` (HKDF, RFC 5869) from the current key. */
  mac(purpose: string, ...parts: readonly string[]): Buffer;
  /** Compares in constant time with the mac under any key of the ring, so that a rotation invalidates nothing. */
  macMatches(expected: Uint8Array, purpose: string, ...parts: readonly string[]): boolean;
  /** As `macMatches`, for the first bytes of a mac, at least twelve of them: where there is no room for more. */
  macBegins(beginning: Uint8Array, purpose: string, ...parts: readonly string[]): boolean;
}

const SHORTEST_BEGINNING = 12;

/** Layout of a sealed value: length of the key id (1 byte), key id, nonce (12), ciphertext, tag (16). */
export function createCipher(ring: readonly string[]): Cipher {
  const keys = new Map(ring.map((entry) => readKey(entry)));
  const [[keyId, key] = missing()] = keys;

  const derived = new Map<KeyObject, Map<string, KeyObject>>();

  /** Purposes are words of the code, a handful; deriving costs several times what the hash does. */
  function keyFor(master: KeyObject, purpose: string): KeyObject {
    const known = derived.get(master) ?? new Map<string, KeyObject>();
    derived.set(master, known);
    const key =
      known.get(purpose) ??
      createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `teller/${purpose}`, 32)));
    known.set(purpose, key);
    return key;
  }

  function macUnder(master: KeyObject, purpose: string, parts: readonly string[]): Buffer {
    const mac = createHmac('sha256', keyFor(master, purpose));
    for (const part of parts) mac.update(`${Buffer.byteLength(part)}:`).update(part);
    return mac.digest();
  }

  return {
    keyId,
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(keyId.length), Buffer.from(keyId), nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const start = 1 + (bytes[0] ?? 0);
      const sealedWith = keys.get(bytes.subarray(1, start).toString());
      if (sealedWith === undefined) throw new KeyMissing('sealed with a key that is not in the ring');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        sealedWith,
        bytes.subarray(start, start + NONCE_BYTES),
      ).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(start + NONCE_BYTES, -TAG_BYTES)),
        decipher.final(),
      ]);
    },
    mac: (purpose, ...parts) => macUnder(key, purpose, parts),
    macMatches: (expected, purpose, ...parts) => {
      const matches = [...keys.values()].map((master) => {
        const mac = macUnder(master, purpose, parts);
        return mac.length === expected.length && timingSafeEqual(mac, expected);
      });
      return matches.includes(true);
    },
    macBegins: (beginning, purpose, ...parts) => {
      if (beginning.length < SHORTEST_BEGINNING) return false;
      const matches = [...keys.values()].map((master) => {
        const mac = macUnder(master, purpose, parts).subarray(0, beginning.length);
        return mac.length === beginning.length && timingSafeEqual(mac, beginning);
      });
      return matches.includes(true);
    },
  };
}

/** As a key object: bytes would be made one with each use, which takes three times as long as sealing a small value. */
function readKey(entry: string): readonly [string, KeyObject] {
  const split = entry.indexOf(':');
  return [entry.slice(0, split), createSecretKey(entry.slice(split + 1), 'base64')];
}

function missing(): never {
  throw new Error('the ring of encryption keys is empty');
}
