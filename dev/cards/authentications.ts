/** The 3-D Secure side of the network simulator: it asks the bank who pays, again and again until the holder has answered. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { networkSignature } from '../../adapters/card-network.ts';
import { MERCHANT } from './messages.ts';

/** Fields of the door's body pass as they are; these are made where they are left out. */
export const AuthenticationWish = z.looseObject({
  authentication_id: z.string().default(() => randomUUID()),
  pan: z.string(),
  merchant: z.looseObject({}).default(MERCHANT),
});

const DoorAnswer = z.looseObject({
  id: z.string(),
  authentication_id: z.string(),
  status: z.string(),
  proof: z.string().nullable(),
});
type DoorAnswer = z.output<typeof DoorAnswer>;

interface Needs {
  /** Address of the bank's door. */
  readonly door: string;
  readonly kid: string;
  readonly key: Buffer;
}

export interface Authentications {
  /** Asks the bank; `id` is the bank's id. */
  ask(wish: z.output<typeof AuthenticationWish>): Promise<DoorAnswer>;
  /** Asks again how it is now. */
  now(id: string): Promise<DoorAnswer>;
}

/** It knows what it has asked since it was started. */
export function createAuthentications({ door, kid, key }: Needs): Authentications {
  const asked = new Map<string, string>();

  async function send(body: string): Promise<DoorAnswer> {
    const headers = {
      'Content-Type': 'application/json',
      'Network-Signature': networkSignature(kid, key, body),
    };
    const response = await fetch(door, { method: 'POST', body, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`the bank answered ${String(response.status)}: ${text}`);
    return DoorAnswer.parse(JSON.parse(text));
  }
  return {
    async ask(wish) {
      const body = JSON.stringify(wish);
      const answer = await send(body);
      asked.set(answer.id, body);
      return answer;
    },
    async now(id) {
      const body = asked.get(id);
      if (body === undefined) throw new Error('it has not asked for this authentication since its start');
      return send(body);
    },
  };
}
