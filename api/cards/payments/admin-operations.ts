/** Card payments at the back office: found, looked into with all their messages, and released. */
import { z } from 'zod';
import {
  cardPaymentOf,
  cardPaymentsPage,
  historyOfCardPayment,
  messagesOfCardPayment,
} from '../../../db/queries/cards/payments.ts';
import { clearingsOfCardPayment } from '../../../db/queries/cards/files.ts';
import { CARD_PAYMENT_STATUSES } from '../../../domain/cards/payments.ts';
import { AccountId, CardId, CardPaymentId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { releaseFourEyes, releasePayment } from '../../../services/cards/releasing.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { adminCardPaymentView, cardPaymentView } from './views.ts';

const byId = keysetById('all-card-payments', CardPaymentId);
const params = z.strictObject({ id: CardPaymentId });
const MOST_RECORDS = 100;

export const listCardPaymentsAsAdmin = forAdmins({
  id: 'listCardPaymentsAsAdmin',
  area: 'Admin finance',
  title: 'List card payments (admin)',
  description: 'Lists the card payments of all customers, newest first, declined ones among them.',
  method: 'GET',
  path: '/v1/admin/card-payments',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({
    user_id: UserId.optional(),
    card_id: CardId.optional(),
    account_id: AccountId.optional(),
    status: z.enum(CARD_PAYMENT_STATUSES).optional(),
  }),
  status: 200,
  answer: wire.CardPaymentList,
  refuses: [],
  beyond: true,
  handle({ db, query }) {
    const { user_id: owner, card_id: card, account_id: account, status, ...page } = query;
    return byId.page(
      page,
      (before, most) => cardPaymentsPage.all(db, { owner, card, account, status, before, most }),
      cardPaymentView,
    );
  },
});

export const getCardPaymentAsAdmin = forAdmins({
  id: 'getCardPaymentAsAdmin',
  area: 'Admin finance',
  title: 'Get card payment (admin)',
  description:
    'Returns a card payment with all its messages, what they were answered, and what the payment was after each, oldest first; and with what was cleared.',
  method: 'GET',
  path: '/v1/admin/card-payments/{id}',
  effect: 'read',
  permission: 'cards:read',
  params,
  status: 200,
  answer: wire.AdminCardPayment,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }) {
    const payment = found(await cardPaymentOf.first(db, { id, owner: null }));
    const messages = await messagesOfCardPayment.all(db, { id });
    const history = await historyOfCardPayment.all(db, { id });
    const clearings = await clearingsOfCardPayment.all(db, { payment: id, most: MOST_RECORDS });
    return adminCardPaymentView(payment, messages, history, clearings);
  },
});

export const releaseCardPaymentAsAdmin = forAdmins({
  id: 'releaseCardPaymentAsAdmin',
  area: 'Admin finance',
  title: 'Release card payment (admin)',
  description:
    'Lets go of all that a card payment still holds, because no clearing will come. A second administrator has to agree.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/card-payments/{id}/release',
  effect: 'transaction',
  permission: 'cards:write',
  fourEyes: releaseFourEyes,
  params,
  body: wire.ReleaseCardPaymentRequest,
  status: 200,
  answer: wire.CardPayment,
  refuses: ['nothing_held', 'same_person'],
  beyond: true,
  async handle(request) {
    return cardPaymentView(await releasePayment(request, request.params.id, request.body.reason));
  },
});

/** In the order of the documentation. */
export const operations = [listCardPaymentsAsAdmin, getCardPaymentAsAdmin, releaseCardPaymentAsAdmin];
