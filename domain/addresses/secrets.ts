/** Keys and seeds that somebody pastes where an address belongs. Whoever has them has the coins, so they are kept nowhere. */

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const FEWEST_WORDS = 12;

/** Forms that no address has. A checksum is not asked for: a misspelt key is a key. */
const SECRETS: readonly RegExp[] = [
  // a key as hexadecimal digits, of 32 bytes or of 64
  /^(0x)?([0-9a-f]{64}|[0-9a-f]{128})$/i,
  // wallet import format of Bitcoin, Litecoin and Dogecoin
  new RegExp(`^[569cKLQT]${BASE58}{50,51}$`),
  // BIP-38: a key that a password protects
  new RegExp(`^6P${BASE58}{56}$`),
  // BIP-32: an extended private key, also of SLIP-132
  new RegExp(`^([xyzYZtuvUV]prv|[LMt]tpv|[dt]gpv)${BASE58}{90,110}$`),
  // a key of Solana with its public half
  new RegExp(`^${BASE58}{86,88}$`),
  // SEP-23: a seed of Stellar
  /^S[A-Z2-7]{55}$/,
  // a seed of the XRP Ledger
  new RegExp(`^s${BASE58}{27,30}$`),
];
/** The numbers that some wallets of the XRP Ledger write instead of a seed. */
const NUMBERS = /^\d{6}([ ,-]+\d{6}){7}$/;
/** A key as the files of Solana's tools hold it. */
const BYTES = /^\[(\s*\d{1,3}\s*,){31,63}\s*\d{1,3}\s*\]$/;
const PEM = /PRIVATE KEY/;

/** Whether a text is, or holds, what looks like a private key or the words of a seed. */
export function looksLikeSecret(text: string): boolean {
  const trimmed = text.trim();
  if (NUMBERS.test(trimmed) || BYTES.test(trimmed) || PEM.test(trimmed)) return true;
  const words = trimmed.split(/[\s,;]+/u).filter((word) => /^\p{L}+$/u.test(word));
  if (words.length >= FEWEST_WORDS) return true;
  return trimmed.split(/[^A-Za-z0-9]+/).some((part) => SECRETS.some((form) => form.test(part)));
}
