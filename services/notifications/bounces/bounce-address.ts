/**
 * Where a mail comes back to: an address of its own for each delivery (variable envelope return path), so that a report needs no guess
 * which mail it is about. The token is signed, so that nobody can let mail to others end.
 */
import type { Cipher } from '../../../adapters/cipher.ts';
import { DeliveryId } from '../../../domain/ids.ts';

const PURPOSE = 'bounce-address';
const PREFIX = 'bounce+';
const ID_BYTES = 16;
/** All of it in hexadecimal is 63 characters, and 64 may stand before the @ (RFC 5321 §4.5.3.1.1); servers may change its case. */
const MAC_BYTES = 12;
const TOKEN = new RegExp(`^[0-9a-f]{${String(2 * (ID_BYTES + MAC_BYTES))}}$`);

/** The envelope's sender of a delivery. */
export function bounceAddress(cipher: Cipher, id: DeliveryId, domain: string): string {
  const mac = cipher.mac(PURPOSE, id).subarray(0, MAC_BYTES);
  return `${PREFIX}${id.replaceAll('-', '')}${mac.toString('hex')}@${domain}`;
}

/** The delivery that an address names; undefined if we did not make it. */
export function bouncedDelivery(cipher: Cipher, localPart: string): DeliveryId | undefined {
  const token = localPart.startsWith(PREFIX) ? localPart.slice(PREFIX.length) : '';
  if (!TOKEN.test(token)) return undefined;
  const hex = token.slice(0, 2 * ID_BYTES);
  const id = DeliveryId.safeParse(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')).data;
  const mac = Buffer.from(token.slice(2 * ID_BYTES), 'hex');
  return id !== undefined && cipher.macBegins(mac, PURPOSE, id) ? id : undefined;
}
