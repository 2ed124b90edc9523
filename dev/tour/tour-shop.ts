/** The part of the tour in a shop: the card pays over the network simulator, and is declined once it is frozen. */
import { z } from 'zod';
import { call } from '../client/http.ts';
import { say } from './say.ts';
import type { Payer } from './tour-payments.ts';

/** What a shop reads off a card. */
export interface ReadCard {
  readonly id: string;
  readonly number: string;
  readonly expiry: string;
}

const SHOP = { id: 'TOUR1', name: 'Corner shop', city: 'Berlin', country: 'DE', mcc: '5411' };
const Sent = z.looseObject({
  answers: z
    .array(z.looseObject({ answered_by: z.string(), response_code: z.string(), took_ms: z.number() }))
    .min(1),
});
const Payments = z.looseObject({
  items: z
    .array(
      z.looseObject({
        status: z.string(),
        held: z.looseObject({ amount: z.string() }),
        decline: z.looseObject({ reason: z.string() }).nullable(),
      }),
    )
    .min(1),
});

/** Pays in the shop, and says what the holder sees of it. Throws if the payment does not come to the status. */
export async function payInShop(
  { client, token }: Payer,
  { id, number, expiry }: ReadCard,
  expected: 'authorised' | 'declined',
): Promise<void> {
  const body = {
    ...{ billing: { amount: '12.34', currency: 'EUR' }, merchant: SHOP, entry_mode: 'chip' },
    ...{ pan: number, expiry },
  };
  const { answers } = await call(client, 'POST', '/v1/sandbox/card-network/messages', Sent, { body });
  for (const { answered_by: by, response_code: code, took_ms: took } of answers)
    say(`  12.34 € at the ${SHOP.name}: the ${by} answers ${code} after ${String(took)} ms`);
  const { items } = await call(client, 'GET', `/v1/cards/${id}/payments?limit=1`, Payments, { token });
  for (const { status, held, decline } of items) {
    say(`  the holder sees: ${status}, ${held.amount} € held${decline ? `, because ${decline.reason}` : ''}`);
    if (status !== expected) throw new Error(`the payment is ${status}, not ${expected}`);
  }
}
