/** Addresses of Solana: base58 of a key of Ed25519, without a checksum. Test networks write the same. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { plain, type ReadForm } from './address.ts';
import { readBase58 } from './base58-check.ts';

const KEY_BYTES = 32;

export const readSolana: ReadForm = (text) => {
  const key = readBase58(text);
  if (key?.length !== KEY_BYTES) return 'not_an_address';
  return isSomebodysKey(key) ? plain(text) : 'not_on_curve';
};

/** Accounts of programs lie beside the curve; a point of small order is everybody's key. */
function isSomebodysKey(key: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(key).isSmallOrder();
  } catch {
    return false;
  }
}
