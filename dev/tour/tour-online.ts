/** The part of the tour in a web shop: the bank asks the holder who pays, and the payment brings the proof of it. */
import { z } from 'zod';
import { call } from '../client/http.ts';
import { say } from './say.ts';
import type { Payer } from './tour-payments.ts';
import { newestPayment, type ReadCard } from './tour-shop.ts';

const SHOP = { id: 'TOUR2', name: 'Web shop', city: 'Hamburg', country: 'DE', mcc: '5942' };
/** More than may be paid online without a proof. */
const BILLING = { amount: '149.00', currency: 'EUR' };
const AUTHENTICATIONS = '/v1/sandbox/card-network/authentications';
const Authentication = z.looseObject({ id: z.uuid(), status: z.string(), proof: z.string().nullable() });
const Challenges = z.looseObject({ items: z.array(z.looseObject({ id: z.uuid() })) });
const Challenge = z.looseObject({ status: z.string() });

/** Pays online after the holder has approved it. Throws if nobody was asked or the payment is not approved. */
export async function payOnline({ client, token, proof }: Payer, card: ReadCard): Promise<void> {
  const shopping = { pan: card.number, expiry: card.expiry, merchant: SHOP, billing: BILLING };
  const { id, status } = await call(client, 'POST', AUTHENTICATIONS, Authentication, { body: shopping });
  say(`  149.00 € at the ${SHOP.name}, with 3-D Secure: ${status}`);
  const pending = '/v1/card-challenges?status=pending';
  const { items } = await call(client, 'GET', pending, Challenges, { token });
  if (items[0]?.id !== id) throw new Error('the holder was not asked');
  const body = { amount: BILLING, merchant: SHOP.name };
  const stepUp = await proof('approveCardChallenge', body);
  const ask = { token, stepUp, key: true, body };
  const approved = await call(client, 'POST', `/v1/card-challenges/${id}/approve`, Challenge, ask);
  const now = await call(client, 'GET', `${AUTHENTICATIONS}/${id}`, Authentication);
  say(`  its holder approves it for this amount and this shop: ${approved.status}`);
  await call(client, 'POST', '/v1/sandbox/card-network/messages', z.looseObject({}), {
    body: { ...shopping, entry_mode: 'ecommerce', proof: now.proof },
  });
  const payment = await newestPayment({ client, token }, card.id);
  say(`  the payment with the proof: ${payment.status}, ${payment.held.amount} € held`);
  if (payment.held.amount !== '149.00') throw new Error(`${payment.held.amount} € are held`);
}
