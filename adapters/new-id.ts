/** UUIDs of version 7 (RFC 9562 §5.7): ordered by time, so that rows made together lie together in an index. */
import { randomBytes } from 'node:crypto';

const TIMESTAMP_BYTES = 6;

/** A fresh id: 48 bits of milliseconds, 74 bits of randomness. */
export function newUuid(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, TIMESTAMP_BYTES);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
