/** Lets go of what a card payment holds, for a payment of which the bank knows that no clearing will come. */
import { cardPaymentOf, releaseCardPayment, type CardPaymentRow } from '../../db/queries/cards/payments.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { CardPaymentId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/money.ts';
import { found } from '../../domain/refusals.ts';
import type { AdminCall } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';
import { requireOther } from './issuing.ts';

/** Money that was promised to a merchant becomes the customer's again: always two look. */
export const releaseFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: CardPaymentId }>) => ['card_payment', params.id],
  state: async (db, { params }) => (await cardPaymentOf.first(db, { ...params, owner: null })) ?? null,
  loosens: (before, after) => before?.held !== after?.held,
  shown: told,
  concerns: ({ ownerId }) => ownerId,
});

/** Releases what a payment holds. Refuses nothing_held if there is nothing. */
export async function releasePayment(
  call: AdminCall<'nothing_held' | 'same_person'>,
  id: CardPaymentId,
  reason: string,
): Promise<CardPaymentRow> {
  const { db, actor, refusal } = call;
  const before = found(await cardPaymentOf.first(db, { id, owner: null }));
  requireOther(call, before.ownerId);
  const verdict = await releaseCardPayment.one(db, { id, by: actor.id });
  if (verdict.refusal === 'nothing_held') throw refusal('nothing_held');
  const after = await cardPaymentOf.one(db, { id, owner: null });
  await record(db, actor, {
    action: 'card_payment.released',
    subject: ['card_payment', id],
    before: told(before),
    after: told(after),
    reason,
  });
  return after;
}

function told({ status, held, asset }: CardPaymentRow): AuditState {
  return { status, held: formatMoney({ minor: held, asset }) };
}
