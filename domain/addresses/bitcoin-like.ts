/** Addresses of Bitcoin and the chains that took its forms over: base58check (BIP-13), segwit (BIP-173) and Taproot (BIP-350). */
import { schnorr } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { bech32, bech32m } from '@scure/base';
import { plain, type FormFault, type ReadAddress, type ReadForm } from './address.ts';
import { readBase58Check } from './base58-check.ts';

/** How a chain writes its addresses. */
interface Rules {
  /** The first byte of addresses of keys. */
  readonly keyHash: number;
  /** The first byte of addresses of scripts. */
  readonly scriptHash: number;
  /** An earlier first byte for scripts, which is also that of another chain. */
  readonly sharedScriptHash?: number;
  /** What segwit addresses start with; none if the chain has no segwit. */
  readonly prefix?: string;
}

const BITCOIN = {
  mainnet: { keyHash: 0x00, scriptHash: 0x05, prefix: 'bc' },
  testnet: { keyHash: 0x6f, scriptHash: 0xc4, prefix: 'tb' },
};
const LITECOIN = {
  mainnet: { keyHash: 0x30, scriptHash: 0x32, sharedScriptHash: 0x05, prefix: 'ltc' },
  testnet: { keyHash: 0x6f, scriptHash: 0x3a, sharedScriptHash: 0xc4, prefix: 'tltc' },
};
const DOGECOIN = {
  mainnet: { keyHash: 0x1e, scriptHash: 0x16 },
  testnet: { keyHash: 0x71, scriptHash: 0xc4 },
};

/** Prefixes of these chains and of others whose addresses are alike. */
export const SEGWIT = /^(bc|tb|bcrt|ltc|tltc|rltc|ltcmweb|tmweb)1/i;
const HASH_BYTES = 20;
const WITNESS_HASHES = [20, 32];
const TAPROOT_BYTES = 32;
const MOST_WITNESS_VERSION = 16;

export const readBitcoin: ReadForm = (text, chains) => read(text, BITCOIN[chains]);
export const readLitecoin: ReadForm = (text, chains) => read(text, LITECOIN[chains]);
export const readDogecoin: ReadForm = (text, chains) => read(text, DOGECOIN[chains]);

function read(text: string, rules: Rules): ReadAddress | FormFault {
  if (SEGWIT.test(text)) return readSegwit(text, rules);
  const payload = readBase58Check(text);
  if (typeof payload === 'string') return payload;
  if (payload.length !== 1 + HASH_BYTES) return 'not_an_address';
  switch (payload[0]) {
    case rules.keyHash:
    case rules.scriptHash:
      return plain(text);
    case rules.sharedScriptHash:
      return 'ambiguous_form';
    default:
      return 'wrong_network';
  }
}

function readSegwit(text: string, rules: Rules): ReadAddress | FormFault {
  const [old, modern] = [bech32.decodeUnsafe(text, false), bech32m.decodeUnsafe(text, false)];
  const decoded = old ?? modern;
  if (!decoded) return 'bad_checksum';
  if (decoded.prefix !== rules.prefix)
    return decoded.prefix.endsWith('mweb') ? 'unsupported_type' : 'wrong_network';
  const [version = Infinity, ...words] = decoded.words;
  const program = bech32.fromWordsUnsafe(words);
  if (version > MOST_WITNESS_VERSION || !program || program.length < 2 || program.length > 40)
    return 'not_an_address';
  // BIP-350: version 0 keeps the first checksum, all others have the second
  if ((version === 0) !== Boolean(old)) return 'bad_checksum';
  if (version > 1) return 'unknown_witness_version';
  if (version === 0) return WITNESS_HASHES.includes(program.length) ? lower(text) : 'not_an_address';
  // also pay-to-anchor, which anybody may spend
  if (program.length !== TAPROOT_BYTES) return 'unsupported_type';
  return isPublicKey(program) ? lower(text) : 'not_on_curve';
}

const lower = (text: string): ReadAddress => plain(text.toLowerCase());

/** BIP-341: the program is the x coordinate of a key. */
function isPublicKey(program: Uint8Array): boolean {
  try {
    schnorr.utils.lift_x(bytesToNumberBE(program));
    return true;
  } catch {
    return false;
  }
}
