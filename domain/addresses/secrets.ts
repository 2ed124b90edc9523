/** Keys and seeds that somebody pastes where an address belongs. Whoever has them has the coins, so they are kept nowhere. */

const FEWEST_WORDS = 12;

/**
 * Forms that no address has. Neither a checksum nor the exact letters are asked for, and one digit more or less makes no difference: a
 * misspelt key is a key.
 */
const SECRETS: readonly RegExp[] = [
  // a key as hexadecimal digits, of 32 bytes or more
  /[0-9a-f]{62,}/i,
  // wallet import format of Bitcoin, Litecoin and Dogecoin
  /^[569cKLQT][0-9A-Za-z]{50,51}$/,
  // BIP-38: a key that a password protects
  /^6P[0-9A-Za-z]{56}$/,
  // BIP-32: an extended private key, also of SLIP-132
  /^([xyzYZtuvUV]prv|[LMt]tpv|[dt]gpv)[0-9A-Za-z]{90,110}$/,
  // a key of Solana with its public half
  /^[0-9A-Za-z]{86,88}$/,
  // SEP-23: a seed of Stellar
  /^S[A-Z2-7]{55}$/i,
  // a seed of the XRP Ledger
  /^s[1-9A-HJ-NP-Za-km-z]{27,30}$/,
  // the numbers that some wallets of the XRP Ledger write instead
  /^\d{48}$/,
];
/** The same numbers, each with its letter before it or not. */
const NUMBERS = /(\d{6}\D{1,4}){7}\d{6}/;
/** A key as the files of Solana's tools hold it. */
const BYTES = /(\d{1,3}[\s,]+){31,}\d{1,3}/;
const PEM = /PRIVATE KEY/;

/** Whether a text is, or holds, what looks like a private key or the words of a seed. */
export function looksLikeSecret(written: string): boolean {
  const text = written.normalize('NFKC');
  if (NUMBERS.test(text) || BYTES.test(text) || PEM.test(text)) return true;
  const parts = text.split(/[^\p{L}\p{M}\p{N}]+/u);
  if (parts.filter((part) => /^[\p{L}\p{M}]+$/u.test(part)).length >= FEWEST_WORDS) return true;
  // keys are also written in groups
  return [...parts, parts.join('')].some((part) => SECRETS.some((form) => form.test(part)));
}
