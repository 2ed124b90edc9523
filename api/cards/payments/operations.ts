/** A holder's card payments: those that were made, and those that were declined with the reason. */
import { z } from 'zod';
import { cardOf } from '../../../db/queries/cards/cards.ts';
import { cardPaymentOf, cardPaymentsPage } from '../../../db/queries/cards/payments.ts';
import { CARD_PAYMENT_STATUSES } from '../../../domain/cards/payments.ts';
import { CardId, CardPaymentId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardPaymentView } from './views.ts';

const byId = keysetById('card-payments', CardPaymentId);

export const listCardPayments = forUsers({
  id: 'listCardPayments',
  area: 'Finance',
  title: 'List card payments',
  description:
    'Lists the payments of one of the caller’s cards, newest first, with those that were declined and why.',
  method: 'GET',
  path: '/v1/cards/{id}/payments',
  effect: 'read',
  params: z.strictObject({ id: CardId }),
  query: byId.query({ status: z.enum(CARD_PAYMENT_STATUSES).optional() }),
  status: 200,
  answer: wire.CardPaymentList,
  refuses: [],
  beyond: true,
  async handle({ caller, db, params, query: { status, ...page } }) {
    const { id: card } = found(await cardOf.first(db, { ...params, owner: caller.id }));
    return byId.page(
      page,
      (before, most) => cardPaymentsPage.all(db, { card, status, before, most }),
      cardPaymentView,
    );
  },
});

export const getCardPayment = forUsers({
  id: 'getCardPayment',
  area: 'Finance',
  title: 'Get card payment',
  description: 'Returns one of the caller’s card payments.',
  method: 'GET',
  path: '/v1/card-payments/{id}',
  effect: 'read',
  params: z.strictObject({ id: CardPaymentId }),
  status: 200,
  answer: wire.CardPayment,
  refuses: [],
  beyond: true,
  async handle({ caller, db, params }) {
    return cardPaymentView(found(await cardPaymentOf.first(db, { ...params, owner: caller.id })));
  },
});

/** In the order of the documentation. */
export const operations = [listCardPayments, getCardPayment];
