/** The value on the back of a card, by the method of the payment systems. It is computed when it is asked for and never stored. */
import { createCipheriv } from 'node:crypto';

export interface VerificationInput {
  /** A key of two parts of 8 bytes, in hex. */
  readonly key: string;
  readonly pan: string;
  /** MM/YY, as on the card. */
  readonly expiry: string;
  /** Three digits; 000 for the value that is printed. */
  readonly serviceCode: string;
}

const DIGITS = 3;

/** Three digits. Throws for a key, number, expiry or service code of another form. */
export function verificationValue({ key, pan, expiry, serviceCode }: VerificationInput): string {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec(expiry) ?? [];
  const isFormed = /^[0-9a-f]{32}$/i.test(key) && /^\d{12,19}$/.test(pan) && /^\d{3}$/.test(serviceCode);
  if (month === undefined || year === undefined || !isFormed)
    throw new TypeError('a verification value needs key, number, expiry and service code');
  const data = Buffer.from(`${pan}${year}${month}${serviceCode}`.padEnd(32, '0'), 'hex');
  const [first, second] = [Buffer.from(key.slice(0, 16), 'hex'), Buffer.from(key.slice(16), 'hex')];
  const once = encrypt([first, first, first], data.subarray(0, 8));
  const mixed = Buffer.from(once.map((byte, index) => byte ^ (data[8 + index] ?? 0)));
  return decimals(encrypt([first, second, first], mixed).toString('hex')).slice(0, DIGITS);
}

/** One block of triple DES; with three equal parts it is DES. */
function encrypt(key: readonly Buffer[], block: Uint8Array): Buffer {
  const cipher = createCipheriv('des-ede3', Buffer.concat(key), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

/** The decimal digits in their order; after them the others, a as 0 to f as 5. */
function decimals(hex: string): string {
  const others = hex.replace(/\d/g, '').replace(/[a-f]/g, (letter) => String(parseInt(letter, 16) - 10));
  return hex.replace(/\D/g, '') + others;
}
