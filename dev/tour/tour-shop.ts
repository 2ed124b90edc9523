/** The part of the tour in a shop: the card pays over the network simulator, and is declined once it is frozen. */
import { setTimeout as sleep } from 'node:timers/promises';
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
const BILLING = { amount: '12.34', currency: 'EUR' };
const TRIES = 100;
const PAUSE_MS = 200;
const Sent = z.looseObject({
  answers: z
    .array(z.looseObject({ answered_by: z.string(), response_code: z.string(), took_ms: z.number() }))
    .min(1),
});
const Payments = z.looseObject({
  items: z
    .array(
      z.looseObject({
        id: z.uuid(),
        payment_id: z.string(),
        status: z.string(),
        held: z.looseObject({ amount: z.string() }),
        decline: z.looseObject({ reason: z.string() }).nullable(),
      }),
    )
    .min(1),
});

/** A payment of the card, as its holder sees it. */
type Payment = z.output<typeof Payments>['items'][number];

/** Pays in the shop, and says what the holder sees of it. Throws if the payment does not come to the status. */
export async function payInShop(
  { client, token }: Payer,
  { id, number, expiry }: ReadCard,
  expected: 'authorised' | 'declined',
): Promise<Payment> {
  const body = {
    ...{ billing: BILLING, merchant: SHOP, entry_mode: 'chip' },
    ...{ pan: number, expiry },
  };
  const { answers } = await call(client, 'POST', '/v1/sandbox/card-network/messages', Sent, { body });
  for (const { answered_by: by, response_code: code, took_ms: took } of answers)
    say(`  12.34 € at the ${SHOP.name}: the ${by} answers ${code} after ${String(took)} ms`);
  const payment = await newestPayment({ client, token }, id);
  const { status, held, decline } = payment;
  say(`  the holder sees: ${status}, ${held.amount} € held${decline ? `, because ${decline.reason}` : ''}`);
  if (status !== expected) throw new Error(`the payment is ${status}, not ${expected}`);
  return payment;
}

/** The shop collects a payment: the network delivers it in a clearing file, and the bank books it. */
export async function collectInShop(
  { client, token }: Payer,
  { id, number }: ReadCard,
  { payment_id }: Payment,
): Promise<void> {
  const body = { records: [{ pan: number, payment_id, billing: BILLING, merchant: SHOP }] };
  await call(client, 'POST', '/v1/sandbox/card-network/clearings', z.looseObject({}), { body });
  for (let tries = 0; (await newestPayment({ client, token }, id)).status !== 'cleared'; tries += 1) {
    if (tries === TRIES) throw new Error('the payment was not booked');
    await sleep(PAUSE_MS);
  }
  say('  the shop has collected it: the payment is booked');
}

/** What the holder sees of the newest payment of a card. */
export async function newestPayment(
  { client, token }: Pick<Payer, 'client' | 'token'>,
  card: string,
): Promise<Payment> {
  const { items } = await call(client, 'GET', `/v1/cards/${card}/payments?limit=1`, Payments, { token });
  const [newest] = items;
  if (newest === undefined) throw new Error('the holder sees no payment');
  return newest;
}
