/** The PIN in a block as terminals send it: ISO 9564-1 formats 0 (triple DES) and 4 (AES). */
import { createDecipheriv } from 'node:crypto';

export interface SealedPin {
  readonly format: 0 | 4;
  /** In hex: 16 or 24 bytes for format 0; 16, 24 or 32 for format 4. */
  readonly key: string;
  readonly pan: string;
  /** In hex: 8 bytes in format 0, 16 in format 4. */
  readonly block: string;
}

const BLOCK_BYTES = { 0: 8, 4: 16 } as const;
const KEY_BYTES = { 0: [16, 24], 4: [16, 24, 32] } as const;
/** After format and length, in hex: the PIN and what fills it up. What follows the fill is random in format 4. */
const FIELD = { 0: /^0([4-9a-c])(\d{4,12})(f*)$/, 4: /^4([4-9a-c])(\d{4,12})(a*)[0-9a-f]{16}$/ } as const;
const FILLED = 14;

/** The PIN, 4 to 12 digits. Throws for a block, key or number of another form, and where the key or the number is not the block's. */
export function openPinBlock({ format, key, pan, block }: SealedPin): string {
  const [sealed, secret] = [bytesOf(block), bytesOf(key)];
  const keyBytes: readonly number[] = KEY_BYTES[format];
  if (sealed.length !== BLOCK_BYTES[format] || !keyBytes.includes(secret.length) || !/^\d{12,19}$/.test(pan))
    throw malformed();
  const field = format === 0 ? openFormat0(secret, pan, sealed) : openFormat4(secret, pan, sealed);
  const [, length = '', pin = '', fill = ''] = FIELD[format].exec(field.toString('hex')) ?? [];
  if (pin.length !== parseInt(length, 16) || pin.length + fill.length !== FILLED) throw malformed();
  return pin;
}

/** The clear field and the twelve digits before the check digit are mixed before they are sealed. */
function openFormat0(key: Buffer, pan: string, sealed: Buffer): Buffer {
  const whole = key.length === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]);
  return mixed(decrypted('des-ede3', whole, sealed), Buffer.from(`0000${pan.slice(-13, -1)}`, 'hex'));
}

/** Sealed, mixed with the number, and sealed again. */
function openFormat4(key: Buffer, pan: string, sealed: Buffer): Buffer {
  const algorithm = `aes-${key.length * 8}-ecb`;
  const number = Buffer.from(`${pan.length - 12}${pan}`.padEnd(32, '0'), 'hex');
  return decrypted(algorithm, key, mixed(decrypted(algorithm, key, sealed), number));
}

function decrypted(algorithm: string, key: Buffer, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

function mixed(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));
}

function bytesOf(hex: string): Buffer {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) throw malformed();
  return Buffer.from(hex, 'hex');
}

/** Says nothing of what was found: it may be a PIN. */
function malformed(): TypeError {
  return new TypeError('this is no PIN block of that format, key and number');
}
