/** The part of the tour about a card: a product for it, its issue, a PIN that nobody reads, its number, and a freeze. */
import { CompactEncrypt, importJWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { changeBetween } from '../client/changes.ts';
import { call, type Client } from '../client/http.ts';
import { chapter, say } from './say.ts';
import type { Payer } from './tour-payments.ts';
import { disputeCharge } from './tour-dispute.ts';
import { payOnline } from './tour-online.ts';
import { collectInShop, payInShop } from './tour-shop.ts';

const SYSTEM = 'tour_scheme';
const PRODUCT = 'tour_virtual_eur';

const Coded = z.looseObject({
  items: z.array(z.looseObject({ id: z.string(), code: z.string() })),
});
const Made = z.looseObject({ id: z.string() });
const Card = z.looseObject({
  id: z.string(),
  status: z.string(),
  last_four: z.string(),
  expiry: z.string(),
  pin_status: z.string(),
});
const Keys = z.looseObject({
  keys: z.array(
    z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string(), kid: z.string() }),
  ),
});

/** A customer orders a card on their account, sets its PIN, looks at its number, pays in a shop, disputes that, pays online, and freezes it. */
export async function orderCard(
  payer: Payer,
  admins: readonly [maker: string, checker: string],
  ui: string,
): Promise<void> {
  const { client, token, account, proof } = payer;
  chapter('10. A card: issued at once, its number for its holder only, frozen with one call');
  const product = await virtualCard(client, token, admins);
  const card = await call(client, 'POST', `/v1/accounts/${account}/cards`, Card, {
    ...{ token, stepUp: await proof('issueCard'), key: true, body: { card_product_id: product } },
  });
  say(`  ${card.status}, ends in ${card.last_four}, valid until ${card.expiry}`);
  say(`  its life: ${ui}/namespaces/default/workflows/card%2F${card.id}`);
  const set = await call(client, 'PUT', `/v1/cards/${card.id}/pin`, Card, {
    ...{ token, stepUp: await proof('setCardPin') },
    body: { pin: await encrypted(client, token, { pin: '2580', card_id: card.id, nonce: randomUUID() }) },
  });
  say(`  the PIN was encrypted here and is kept as a hash: ${set.pin_status}`);
  const Number = z.looseObject({ number: z.string() });
  const { number } = await call(client, 'GET', `/v1/cards/${card.id}/number`, Number, { token });
  say(`  its number, in the audit log now: ${number.slice(0, 6)}••••••${number.slice(-4)}`);
  const read = { id: card.id, number, expiry: card.expiry };
  const payment = await payInShop(payer, read, 'authorised');
  await collectInShop(payer, read, payment);
  await disputeCharge(payer, payment.id, admins[0], ui);
  await payOnline(payer, read);
  const frozen = await call(client, 'PATCH', `/v1/cards/${card.id}`, Card, {
    ...{ token, body: { status: 'blocked' } },
  });
  say(`  ${frozen.status}`);
  await payInShop(payer, read, 'declined');
}

/** The product of the tour. It is there from the second tour on. */
async function virtualCard(
  client: Client,
  token: string,
  admins: readonly [maker: string, checker: string],
): Promise<string> {
  const find = async (): Promise<string | undefined> =>
    (await call(client, 'GET', '/v1/card-products?limit=200', Coded, { token })).items.find(
      ({ code }) => code === PRODUCT,
    )?.id;
  const known = await find();
  if (known !== undefined) return known;
  const body = {
    ...{ code: PRODUCT, name: 'Tour card', kind: 'virtual', currency: 'EUR' },
    payment_system_id: await paymentSystem(client, admins[0]),
  };
  await changeBetween(client, admins, 'POST', '/v1/admin/card-products', body);
  const made = await find();
  if (made === undefined) throw new Error('the card product is not there');
  return made;
}

async function paymentSystem(client: Client, token: string): Promise<string> {
  const path = '/v1/admin/card-payment-systems';
  const { items } = await call(client, 'GET', `${path}?limit=200`, Coded, { token });
  const known = items.find(({ code }) => code === SYSTEM);
  if (known !== undefined) return known.id;
  const body = {
    ...{ code: SYSTEM, name: 'Scheme of the tour', pan_length: 16 },
    iin_ranges: [{ first: '999000000000000', last: '999000000999999' }],
  };
  return (await call(client, 'POST', path, Made, { token, key: true, body })).id;
}

async function encrypted(client: Client, token: string, words: object): Promise<string> {
  const { keys } = await call(client, 'GET', '/v1/cards/keys', Keys, { token });
  const [key] = keys;
  if (key === undefined) throw new Error('the bank shows no key');
  return new CompactEncrypt(Buffer.from(JSON.stringify(words)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}
