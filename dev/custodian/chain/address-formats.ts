/** Encoding and validation of addresses, for test networks only. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base32nopad, base58, base58xrp, bech32, bech32m, createBase58check } from '@scure/base';
import type { Network } from '../assets.ts';

export interface AddressFormat {
  /** The address of a private key of 32 bytes. */
  encode(privateKey: Uint8Array): string;
  isValid(address: string): boolean;
}

const base58check = createBase58check(sha256);
const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes));
const publicKey = (privateKey: Uint8Array): Uint8Array => secp256k1.getPublicKey(privateKey, true);

/** The last 20 bytes of the Keccak hash of the uncompressed public key. */
const evmHash = (privateKey: Uint8Array): Uint8Array =>
  keccak_256(secp256k1.getPublicKey(privateKey, false).slice(1)).slice(-20);

/** false if the decoder throws. */
function decodes(read: () => boolean): boolean {
  try {
    return read();
  } catch {
    return false;
  }
}

function isBase58Check(address: string, versions: readonly number[]): boolean {
  return decodes(() => {
    const [version = -1, ...hash] = base58check.decode(address);
    return versions.includes(version) && hash.length === 20;
  });
}

/** BIP-173 for version 0, BIP-350 for Taproot. */
function isSegwit(address: string, prefix: string): boolean {
  const reads = (codec: typeof bech32, version: number, lengths: readonly number[]): boolean =>
    decodes(() => {
      const { prefix: found, words } = codec.decodeUnsafe(address) ?? {};
      const [first, ...rest] = words ?? [];
      return found === prefix && first === version && lengths.includes(codec.fromWords(rest).length);
    });
  return reads(bech32, 0, [20, 32]) || reads(bech32m, 1, [32]);
}

const segwit = (prefix: string, versions: readonly number[]): AddressFormat => ({
  encode: (key) => bech32.encode(prefix, [0, ...bech32.toWords(hash160(publicKey(key)))]),
  isValid: (address) => isSegwit(address, prefix) || isBase58Check(address, versions),
});

const withVersion = (version: number, hash: Uint8Array): string =>
  base58check.encode(Uint8Array.from([version, ...hash]));

/** EIP-55: the case of the letters is the checksum. */
export function checksummed(hex: string): string {
  const lower = hex.toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex');
  const cased = [...lower].map((digit, at) => ((hash[at] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

const evm: AddressFormat = {
  encode: (key) => checksummed(Buffer.from(evmHash(key)).toString('hex')),
  isValid(address) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return false;
    const hex = address.slice(2);
    const isOneCase = hex === hex.toLowerCase() || hex === hex.toUpperCase();
    return isOneCase || checksummed(hex) === address;
  },
};

const STELLAR_ACCOUNT = 6 << 3;

/** CRC-16/XMODEM, the low byte first. */
function crc16(bytes: readonly number[]): readonly number[] {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return [crc & 0xff, crc >> 8];
}

const stellar: AddressFormat = {
  encode(key) {
    const payload = [STELLAR_ACCOUNT, ...ed25519.getPublicKey(key)];
    return base32nopad.encode(Uint8Array.from([...payload, ...crc16(payload)]));
  },
  isValid: (address) =>
    decodes(() => {
      const bytes = [...base32nopad.decode(address)];
      const payload = bytes.slice(0, -2);
      const isWhole = bytes.length === 35 && payload[0] === STELLAR_ACCOUNT;
      return isWhole && String(crc16(payload)) === String(bytes.slice(-2));
    }),
};

const checksum = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).slice(0, 4);

const ripple: AddressFormat = {
  encode(key) {
    const payload = Uint8Array.from([0, ...hash160(publicKey(key))]);
    return base58xrp.encode(Uint8Array.from([...payload, ...checksum(payload)]));
  },
  isValid: (address) =>
    decodes(() => {
      const bytes = base58xrp.decode(address);
      const isWhole = bytes.length === 25 && bytes[0] === 0;
      return isWhole && String(checksum(bytes.slice(0, -4))) === String(bytes.slice(-4));
    }),
};

export const FORMATS: Readonly<Record<Network, AddressFormat>> = {
  bitcoin: segwit('tb', [0x6f, 0xc4]),
  litecoin: segwit('tltc', [0x6f, 0x3a, 0xc4]),
  dogecoin: {
    encode: (key) => withVersion(0x71, hash160(publicKey(key))),
    isValid: (address) => isBase58Check(address, [0x71, 0xc4]),
  },
  ethereum: evm,
  polygon: evm,
  bnb: evm,
  tron: {
    encode: (key) => withVersion(0x41, evmHash(key)),
    isValid: (address) => isBase58Check(address, [0x41]),
  },
  solana: {
    encode: (key) => base58.encode(ed25519.getPublicKey(key)),
    isValid: (address) => decodes(() => base58.decode(address).length === 32),
  },
  ripple,
  stellar,
};
