/** The 3-D Secure side of the network simulator: it asks the bank who pays, again and again until the holder has answered. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { postSigned, textOf, type NetworkDoor } from './door.ts';
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

export interface Authentications {
  /** Asks the bank; `id` is the bank's id. */
  ask(wish: z.output<typeof AuthenticationWish>): Promise<DoorAnswer>;
  /** Asks again how it is now. */
  now(id: string): Promise<DoorAnswer>;
}

/** It knows what it has asked since it was started. */
export function createAuthentications(door: NetworkDoor): Authentications {
  const asked = new Map<string, object>();

  async function send(wish: object): Promise<DoorAnswer> {
    return DoorAnswer.parse(JSON.parse(await textOf(await postSigned(door, wish))));
  }
  return {
    async ask(wish) {
      const answer = await send(wish);
      asked.set(answer.id, wish);
      return answer;
    },
    async now(id) {
      const wish = asked.get(id);
      if (wish === undefined) throw new Error('it has not asked for this authentication since its start');
      return send(wish);
    },
  };
}
