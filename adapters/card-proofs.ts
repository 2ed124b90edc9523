/** Proofs of 3-D Secure: each is the id of an authentication with its MAC, so that nothing has to be kept and nobody can make one up. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface CardProofs {
  /** The proof of an authentication, by the newest key. */
  of(authentication: string): string;
  /** The authentication that a proof is of; undefined if no key of the ring has made it. */
  read(proof: string): string | undefined;
}

const ID_BYTES = 16;
const MAC_BYTES = 32;

/** Of keys that make nothing else, the newest first. */
export function createCardProofs(keys: readonly Buffer[]): CardProofs {
  const [first] = keys;
  if (first === undefined) throw new Error('the ring of card keys is empty');
  return {
    of(authentication) {
      const id = Buffer.from(authentication.replaceAll('-', ''), 'hex');
      return Buffer.concat([id, macOf(first, id)]).toString('base64url');
    },
    read(proof) {
      const bytes = Buffer.from(proof, 'base64url');
      if (bytes.length !== ID_BYTES + MAC_BYTES) return undefined;
      const id = bytes.subarray(0, ID_BYTES);
      const isOurs = keys.some((key) => timingSafeEqual(macOf(key, id), bytes.subarray(ID_BYTES)));
      return isOurs ? id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined;
    },
  };
}

function macOf(key: Buffer, id: Buffer): Buffer {
  return createHmac('sha256', key).update(id).digest();
}
