/** A holder's disputes of card payments. */
import { z } from 'zod';
import { disputeOf, disputesPage } from '../../../db/queries/cards/disputes.ts';
import { DISPUTE_STATUSES } from '../../../domain/cards/disputes.ts';
import { CardDisputeId, CardPaymentId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { openOwnDispute, withdrawOwnDispute } from '../../../services/cards/disputes.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { disputeView } from './views.ts';

const byId = keysetById('card-disputes', CardDisputeId);
const params = z.strictObject({ id: CardDisputeId });

export const openCardDispute = forUsers({
  id: 'openCardDispute',
  area: 'Finance',
  title: 'Dispute card payment',
  description:
    'Says what is wrong with a payment that was booked, or with a part of it. The bank reviews it: if it accepts, the money is put into the account for now, and the card network decides.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/card-payments/{id}/disputes',
  effect: 'transaction',
  process: 'card-dispute',
  params: z.strictObject({ id: CardPaymentId }),
  body: wire.OpenCardDisputeRequest,
  status: 201,
  answer: wire.CardDispute,
  refuses: ['nothing_to_dispute', 'dispute_open', 'dispute_too_late', 'dispute_too_large'],
  beyond: true,
  async handle(request) {
    return disputeView(await openOwnDispute(request, request.params.id, request.body));
  },
});

export const listCardDisputes = forUsers({
  id: 'listCardDisputes',
  area: 'Finance',
  title: 'List card disputes',
  description: 'Lists the caller’s disputes, newest first.',
  method: 'GET',
  path: '/v1/card-disputes',
  effect: 'read',
  query: byId.query({
    status: z.enum(DISPUTE_STATUSES).optional(),
    card_payment_id: CardPaymentId.optional(),
  }),
  status: 200,
  answer: wire.CardDisputeList,
  refuses: [],
  beyond: true,
  handle({ caller, db, query }) {
    const { status, card_payment_id: payment, ...page } = query;
    return byId.page(
      page,
      (before, most) => disputesPage.all(db, { owner: caller.id, payment, status, before, most }),
      disputeView,
    );
  },
});

export const getCardDispute = forUsers({
  id: 'getCardDispute',
  area: 'Finance',
  title: 'Get card dispute',
  description: 'Returns one of the caller’s disputes.',
  method: 'GET',
  path: '/v1/card-disputes/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.CardDispute,
  refuses: [],
  beyond: true,
  async handle({ caller, params: { id }, db }) {
    return disputeView(found(await disputeOf.first(db, { id, owner: caller.id })));
  },
});

export const withdrawCardDispute = forUsers({
  id: 'withdrawCardDispute',
  area: 'Finance',
  title: 'Withdraw card dispute',
  description: 'Ends a dispute. What was put into the account for it is taken out again.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/card-disputes/{id}/withdraw',
  effect: 'transaction',
  params,
  status: 200,
  answer: wire.CardDispute,
  refuses: ['already_decided'],
  beyond: true,
  async handle(request) {
    return disputeView(await withdrawOwnDispute(request, request.params.id));
  },
});

/** In the order of the documentation. */
export const operations = [openCardDispute, listCardDisputes, getCardDispute, withdrawCardDispute];
