/** Addresses of our own for uploads whose size nobody has declared: they carry their permission, as those of the store do. */
import type { Cipher } from '../../adapters/cipher.ts';
import type { UploadId } from '../../domain/ids.ts';

export const UPLOAD_DOOR = '/v1/uploads';

/** What an address of an upload says. `expires` in seconds since the epoch. */
interface DoorTicket {
  readonly id: string;
  readonly expires: string;
  readonly signature: string;
}

export function doorAddress(cipher: Cipher, publicUrl: string, id: UploadId, expiresAt: Date): string {
  const expires = String(Math.floor(expiresAt.getTime() / 1_000));
  const signature = cipher.mac('upload-door', id, expires).toString('base64url');
  return `${publicUrl}${UPLOAD_DOOR}/${id}?${new URLSearchParams({ expires, signature }).toString()}`;
}

export function isDoorTicket(cipher: Cipher, { id, expires, signature }: DoorTicket, now: Date): boolean {
  const isOurs = cipher.macMatches(Buffer.from(signature, 'base64url'), 'upload-door', id, expires);
  return isOurs && now.getTime() < Number(expires) * 1_000;
}
