/** The payment systems whose cards the bank issues, and the numbers that it may give. */
import { z } from 'zod';
import { paymentSystemById, paymentSystems } from '../../../db/queries/cards/payment-systems.ts';
import { CardPaymentSystemId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import {
  createPaymentSystem,
  paymentSystemFourEyes,
  updatePaymentSystem,
} from '../../../services/cards/payment-systems.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';
import { paymentSystemView } from './views.ts';

const byId = keysetById('card-payment-systems', CardPaymentSystemId);
const params = z.strictObject({ id: CardPaymentSystemId });

export const listCardPaymentSystems = forAdmins({
  id: 'listCardPaymentSystems',
  area: 'Admin finance',
  title: 'List card payment systems',
  description: 'Lists the payment systems of cards with their ranges of numbers and what is left of each.',
  method: 'GET',
  path: '/v1/admin/card-payment-systems',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({}),
  status: 200,
  answer: wire.CardPaymentSystemList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(query, (after, most) => paymentSystems.all(db, { after, most }), paymentSystemView),
});

export const createCardPaymentSystem = forAdmins({
  id: 'createCardPaymentSystem',
  area: 'Admin finance',
  title: 'Create card payment system',
  description:
    'Adds a payment system. Its code and the length of its numbers cannot be changed later. No card gets a number of it before a second administrator has approved a product of it.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/card-payment-systems',
  effect: 'transaction',
  permission: 'cards:write',
  body: wire.CardPaymentSystem,
  status: 201,
  answer: wire.CardPaymentSystem,
  refuses: ['conflict'],
  async handle(request) {
    const { code, name, pan_length: panLength, iin_ranges: iinRanges } = request.body;
    const id = CardPaymentSystemId.parse(request.newId);
    return paymentSystemView(await createPaymentSystem(request, id, { code, name, panLength, iinRanges }));
  },
});

export const getCardPaymentSystem = forAdmins({
  id: 'getCardPaymentSystem',
  area: 'Admin finance',
  title: 'Get card payment system',
  description: 'Returns one payment system of cards.',
  method: 'GET',
  path: '/v1/admin/card-payment-systems/{id}',
  effect: 'read',
  permission: 'cards:read',
  params,
  status: 200,
  answer: wire.CardPaymentSystem,
  refuses: [],
  async handle({ params, db }) {
    return paymentSystemView(found(await paymentSystemById.first(db, params)));
  },
});

export const updateCardPaymentSystem = forAdmins({
  id: 'updateCardPaymentSystem',
  area: 'Admin finance',
  title: 'Update card payment system',
  description:
    'Changes the name or the ranges of numbers. Numbers that cards could not get before wait for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/card-payment-systems/{id}',
  effect: 'transaction',
  permission: 'cards:write',
  fourEyes: paymentSystemFourEyes,
  params,
  body: wire.CardPaymentSystemUpdate,
  status: 200,
  answer: wire.CardPaymentSystem,
  refuses: ['in_use'],
  async handle(request) {
    return paymentSystemView(await updatePaymentSystem(request, request.params.id, patchOf(request.body)));
  },
});

/** In the order of the documentation. */
export const operations = [
  listCardPaymentSystems,
  createCardPaymentSystem,
  getCardPaymentSystem,
  updateCardPaymentSystem,
];
