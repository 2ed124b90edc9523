/** Authentications of online payments put straight into the books, and payments that bring their proofs. */
import { randomBytes, randomUUID } from 'node:crypto';
import { decideChallenge, takeCardAuthentication } from '../../../db/queries/cards/authentications.ts';
import { UserId, type CardAuthenticationId } from '../../../domain/ids.ts';
import {
  bookedCard,
  merchant,
  newMessage,
  newPaymentId,
  takeMessage,
  type BookedCard,
} from './card-books.ts';
import type { Books } from './books.ts';

/** A card whose payments without a proof are limited, and its holder. */
export interface OnlineCard extends BookedCard {
  readonly owner: UserId;
}

/** Without a proof a payment may be 30.00 online, 100.00 together or so many. */
export async function onlineCard(books: Books, funds: bigint, count = 5): Promise<OnlineCard> {
  const card = await bookedCard(books, funds);
  const [row] = await books.asOwner(
    `with version as (
       insert into card_product_versions (product_id, version, name, enabled, account_type_ids, validity_months, hold_rules,
           controls, limits, sca, sca_remote, pin_tries, stand_in_limit)
         select v.product_id, 2, v.name, v.enabled, v.account_type_ids, v.validity_months, v.hold_rules, v.controls, v.limits,
                '{"mode": "count", "amount": "15000", "count": "5"}', jsonb_build_object('amount', '10000', 'count', $2::text),
                v.pin_tries, v.stand_in_limit
           from card_product_versions v join cards c on c.product_id = v.product_id where c.account_id = $1 returning product_id
     )
     update cards c set product_version = 2 from version v where v.product_id = c.product_id returning c.owner_id`,
    [card.account, String(count)],
  );
  return { ...card, owner: UserId.parse(row?.['owner_id']) };
}

/** The card that follows, with a number of its own; both work. */
export async function nextCard(books: Books, { index, ...card }: OnlineCard): Promise<OnlineCard> {
  const next = randomBytes(32).toString('hex');
  await books.asOwner(
    `with card as (
       insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, last_four, expires_on, issued_by,
           activated_at, replaces)
         select gen_random_uuid(), c.owner_id, c.account_id, c.product_id, c.product_version, c.kind, 'active', '0001', c.expires_on,
                c.issued_by, now(), c.id
           from card_secrets s join cards c on c.id = s.card_id where s.number_index = decode($1, 'hex') returning id
     )
     insert into card_secrets (card_id, key_id, number_index, sealed_number) select id, 'books', decode($2, 'hex'), '\\x00' from card`,
    [index, next],
  );
  return { ...card, index: next };
}

interface Wish {
  readonly amount?: number;
  readonly asset?: string;
  readonly expiry?: string;
  readonly minutes?: number;
  readonly authentication?: string;
}

/** Asks who pays at the shop: 50.00 EUR, ten minutes to answer, unless it is said. */
export function authenticate(
  books: Books,
  { index }: BookedCard,
  { amount = 5_000, asset = 'EUR', expiry, minutes = 10, authentication = randomUUID() }: Wish = {},
) {
  return takeCardAuthentication.one(books.em(), {
    message: {
      ...{ authentication_id: authentication, numbers: [index], merchant, amount: String(amount), asset },
      ...{ expiry: expiry ?? null, content: [Buffer.from(`${authentication} ${amount}`).toString('hex')] },
    },
    settings: { cvv_tries: 5, cvv_lock_minutes: 30, challenge_minutes: minutes, proof_minutes: 60 },
  });
}

/** The holder answers; returns why not, or null. */
export async function answer(
  books: Books,
  { owner }: OnlineCard,
  id: CardAuthenticationId,
  wanted: 'authenticated' | 'declined' = 'authenticated',
  proofMinutes = 60,
): Promise<string | null> {
  return (await decideChallenge.one(books.em(), { id, owner, wanted, proofMinutes })).refusal;
}

/** An authentication of 50.00 that its holder has approved. */
export async function approved(
  books: Books,
  card: OnlineCard,
  proofMinutes = 60,
): Promise<CardAuthenticationId> {
  const { id } = await authenticate(books, card);
  await answer(books, card, id, 'authenticated', proofMinutes);
  return id;
}

/** Asks for money online with the proof of an authentication, or with one that is not the bank's; returns the reason of the answer. */
export async function payWith(
  books: Books,
  card: BookedCard,
  authentication: CardAuthenticationId | null,
  { amount = 5_000, shop = merchant.id, payment = newPaymentId(), asset = 'EUR' } = {},
): Promise<string> {
  const proof = { proof: true, ...(authentication === null ? {} : { authentication }) };
  const { reason } = await takeMessage(books, card, {
    ...{ ...newMessage('0100', 'purchase', 'first', amount), payment, asset },
    said: { ...proof, entry_mode: 'ecommerce', merchant: { ...merchant, id: shop } },
  });
  return reason;
}
