/** Signatures of the card network: HMAC-SHA256 of the time and the raw body, by a key that both sides know. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { machineNow } from '../domain/time/now.ts';

/** How far the time of a signature and that of this machine may be apart. */
const TOLERANCE_SECONDS = 300;
const FORM = /^t=(\d{1,12}),kid=([\w.-]{1,64}),v1=([0-9a-f]{64})$/;

/** Keys by their ids. */
type Keys = ReadonlyMap<string, Buffer>;

/** Reads `id:base64` entries. */
export function networkKeys(entries: readonly string[]): Keys {
  return new Map(
    entries.map((entry) => {
      const split = entry.indexOf(':');
      return [entry.slice(0, split), Buffer.from(entry.slice(split + 1), 'base64')];
    }),
  );
}

/** True if one of the keys has signed this body a moment ago, by the machine's clock. */
export function isSigned(keys: Keys, body: Buffer, header: string): boolean {
  const [, time = '', kid = '', claimed = ''] = FORM.exec(header) ?? [];
  const key = keys.get(kid);
  if (key === undefined || Math.abs(Number(time) - secondsOf(machineNow())) > TOLERANCE_SECONDS) return false;
  return timingSafeEqual(macOf(key, time, body), Buffer.from(claimed, 'hex'));
}

/** The header `Network-Signature` of a body. */
export function networkSignature(
  kid: string,
  key: Buffer,
  body: Buffer | string,
  at: Date = machineNow(),
): string {
  const time = String(secondsOf(at));
  return `t=${time},kid=${kid},v1=${macOf(key, time, body).toString('hex')}`;
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1_000);

function macOf(key: Buffer, time: string, body: Buffer | string): Buffer {
  return createHmac('sha256', key).update(`${time}.`).update(body).digest();
}
