/** Base58 with a checksum, as Bitcoin writes it, and the chains after it. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import type { FormFault } from './address.ts';

const base58check = createBase58check(sha256);
/** A version and a hash of 20 bytes with four more for the checksum. */
const ADDRESS_BYTES = 25;

/** The bytes without the checksum. */
export function readBase58Check(text: string): Uint8Array | FormFault {
  const bytes = readBase58(text);
  if (bytes === undefined || bytes.length !== ADDRESS_BYTES) return 'not_an_address';
  try {
    return base58check.decode(text);
  } catch {
    return 'bad_checksum';
  }
}

/** The bytes; none if the text is no base58. */
export function readBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}
