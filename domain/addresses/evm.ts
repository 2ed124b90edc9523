/** Addresses of Ethereum and the chains that took its machine over (ERC-55). */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { plain, type ReadForm } from './address.ts';

const FORM = /^0x[0-9a-fA-F]{40}$/;

/** An address in one case carries no checksum and gets one. */
export const readEvm: ReadForm = (text) => {
  if (!FORM.test(text)) return 'not_an_address';
  const digits = text.slice(2);
  const address = withChecksum(digits.toLowerCase());
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return isMixed && text !== address ? 'bad_checksum' : plain(address);
};

/** ERC-55: a letter is a capital where the hash of the address has a digit of eight or more at its place. */
function withChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const cased = Array.from(digits, (digit, at) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}
