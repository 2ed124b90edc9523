/** Addresses of Stellar (SEP-23): accounts (G) and accounts that are shared by their ids (M). Test networks write the same. */
import { base32nopad } from '@scure/base';
import { plain, type ReadForm } from './address.ts';

const FORM = /^[A-Z2-7]{56,165}$/;
/** The first byte of each kind. */
const ACCOUNT = 6 << 3;
const MUXED = 12 << 3;
const KEY_BYTES = 32;
const ID_BYTES = 8;
const CHECKSUM_BYTES = 2;

export const readStellar: ReadForm = (text) => {
  if (!FORM.test(text)) return 'not_an_address';
  const bytes = decoded(text);
  if (bytes === undefined) return 'not_an_address';
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  const checksum = new DataView(bytes.buffer, payload.length).getUint16(0, true);
  if (crc16(payload) !== checksum) return 'bad_checksum';
  const key = payload.subarray(1, 1 + KEY_BYTES);
  if (payload[0] === ACCOUNT && payload.length === 1 + KEY_BYTES) return plain(text);
  // contracts, claimable balances, pools, and keys of other uses
  if (payload[0] !== MUXED || payload.length !== 1 + KEY_BYTES + ID_BYTES) return 'unsupported_type';
  const id = new DataView(bytes.buffer, 1 + KEY_BYTES).getBigUint64(0);
  return { address: accountOf(key), memo: { type: 'id', value: id.toString() } };
};

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    // unused bits at the end must be zero
    return Uint8Array.from(base32nopad.decode(text));
  } catch {
    return undefined;
  }
}

/** The address of an account by its key. */
function accountOf(key: Uint8Array): string {
  const bytes = new Uint8Array(1 + KEY_BYTES + CHECKSUM_BYTES);
  bytes.set([ACCOUNT, ...key]);
  new DataView(bytes.buffer).setUint16(1 + KEY_BYTES, crc16(bytes.subarray(0, 1 + KEY_BYTES)), true);
  return base32nopad.encode(bytes);
}

/** CRC-16/XMODEM, as SEP-23 asks for. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc;
}
