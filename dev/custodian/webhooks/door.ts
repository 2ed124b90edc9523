/** The bank's door for webhooks, as the custodian knocks at it. */
import type { Signature, Signer } from './signing.ts';

export interface Door {
  readonly signer: Signer;
  /** Its address. */
  readonly door: string;
}

export interface DoorAnswer {
  readonly status: number;
  readonly body: string;
}

const DOOR_MS = 5_000;

/** Posts a body with that signature. Throws if no answer comes. */
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
