/** Cleared payments and their disputes, put straight into the books. */
import { randomUUID } from 'node:crypto';
import { decideDispute, openDispute } from '../../../db/queries/cards/disputes.ts';
import { DISPUTE_TERMS, type DisputeDecision, type DisputeReason } from '../../../domain/cards/disputes.ts';
import { CardDisputeId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { machineNow } from '../../../domain/time/now.ts';
import type { Books } from './books.ts';
import { bookedCard, clear, newMessage, newPaymentId, takeMessage, type BookedCard } from './card-books.ts';

/** What accounts of these payments have before. */
export const FUNDS = 10_000;
/** Of a payment. */
export const PAID = 4_000;

/** A payment that was cleared. */
export interface Paid {
  readonly card: BookedCard;
  readonly network: string;
  readonly payment: CardPaymentId;
  readonly owner: UserId;
}

/** A payment of a card; not cleared if nothing is billed. */
export async function paid(
  books: Books,
  {
    amount = PAID,
    card,
    billed = 'EUR',
  }: { amount?: number; card?: BookedCard; billed?: string | null } = {},
): Promise<Paid> {
  const of = card ?? (await bookedCard(books, BigInt(FUNDS)));
  const network = newPaymentId();
  await takeMessage(books, of, { ...newMessage('0100', 'purchase', 'first', amount), payment: network });
  if (billed !== null)
    await clear(books, of, { kind: 'purchase', amount, isFinal: true }, { payment: network, paid: billed });
  const [row] = await books.asOwner('select id, owner_id from card_payments where network_id = $1', [
    network,
  ]);
  return {
    ...{ card: of, network, payment: CardPaymentId.parse(row?.['id']) },
    owner: UserId.parse(row?.['owner_id']),
  };
}

/** The merchant gives so much back. */
export const refund = (books: Books, { card, network }: Paid, amount: number): Promise<string> =>
  clear(books, card, { kind: 'refund', amount, isFinal: true }, { payment: network });

export interface DisputeWish {
  readonly reason?: DisputeReason;
  /** All that can be disputed, if there is none. */
  readonly amount?: number;
}

/** Opens a dispute; answers its id with why not. */
export async function openDisputeOf(
  books: Books,
  { payment, owner }: Pick<Paid, 'payment' | 'owner'>,
  { reason = 'not_received', amount }: DisputeWish = {},
) {
  const id = CardDisputeId.parse(randomUUID());
  const wanted = { amount: amount === undefined ? null : BigInt(amount), ...DISPUTE_TERMS[reason] };
  const opened = { id, payment, owner, reason, explanation: 'It never came', ...wanted };
  return { id, ...(await openDispute.one(books.em(), opened)) };
}

/** Lets this person decide; above `aloneUpTo` two have to accept. */
export const decideAs = (
  books: Books,
  by: UserId,
  id: CardDisputeId,
  wanted: DisputeDecision,
  aloneUpTo = 10n ** 9n,
) =>
  decideDispute.one(books.em(), {
    ...{ id, wanted, by, reason: 'Looked at', aloneUpTo, networkDays: 45, clock: machineNow() },
  });
