/** The bank's doors for the card network, as the network simulator knocks at them. */
import { networkSignature } from '../../adapters/card-network.ts';

export interface NetworkDoor {
  /** Address of the bank's door. */
  readonly door: string;
  readonly kid: string;
  readonly key: Buffer;
}

/** Posts JSON with the network's signature; answers whatever the bank answers. */
export function postSigned(
  { door, kid, key }: NetworkDoor,
  content: object,
  signal?: AbortSignal,
): Promise<Response> {
  const body = JSON.stringify(content);
  const headers = {
    'Content-Type': 'application/json',
    'Network-Signature': networkSignature(kid, key, body),
  };
  return fetch(door, { method: 'POST', body, headers, ...(signal && { signal }) });
}

/** The text of an answer. Throws what the bank says if it refuses. */
export async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`the bank answered ${String(response.status)}: ${text}`);
  return text;
}
