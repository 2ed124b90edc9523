/** Posts signed bodies to the bank's address for webhooks. */
import type { Signature, Signer } from './signing.ts';

export interface Door {
  readonly signer: Signer;
  /** Address of the receiver. */
  readonly door: string;
}

export interface DoorAnswer {
  readonly status: number;
  readonly body: string;
}

const DOOR_MS = 5_000;

/** Posts a body with that kind of signature; throws if no answer comes in time. */
export async function postTo(
  { signer, door }: Door,
  body: Buffer,
  as: Signature,
  headers: Readonly<Record<string, string>> = {},
): Promise<DoorAnswer> {
  const signed = signer.sign(body, as);
  const response = await fetch(door, {
    ...{ method: 'POST', redirect: 'manual', body: new Uint8Array(signed.body) },
    headers: { ...signed.headers, ...headers },
    signal: AbortSignal.timeout(DOOR_MS),
  });
  return { status: response.status, body: await response.text() };
}
