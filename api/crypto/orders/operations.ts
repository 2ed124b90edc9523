/** Buying and selling coins. */
import { z } from 'zod';
import { cryptoOrderOf, cryptoOrdersOf } from '../../../db/queries/crypto/orders.ts';
import { ORDER_SIDES, ORDER_STATUSES } from '../../../domain/crypto/orders.ts';
import { CryptoOrderId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { orderByQuote, quoteTrade } from '../../../services/crypto/orders.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { orderView, quoteView } from './views.ts';

const byId = keysetById('crypto-orders', CryptoOrderId);

export const quoteCryptoOrder = forUsers({
  id: 'quoteCryptoOrder',
  area: 'Crypto',
  title: 'Get buy/sell quote',
  description:
    'Returns what buying or selling a coin costs now, with spread and fee apart. The numbers bind for 60 seconds, for one order, whatever the price does meanwhile.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/crypto/quotes',
  effect: 'own_transactions',
  body: wire.CryptoQuoteRequest,
  status: 200,
  answer: wire.CryptoQuote,
  refuses: [
    ...(['crypto_asset_unavailable', 'price_unavailable', 'rate_unavailable'] as const),
    ...(['amount_not_convertible', 'order_too_small', 'order_too_large'] as const),
  ],
  async handle(request) {
    const { account_id: account, ...wanted } = request.body;
    return quoteView(await quoteTrade(request, { ...wanted, account }));
  },
});

export const createCryptoOrder = forUsers({
  id: 'createCryptoOrder',
  area: 'Crypto',
  title: 'Create crypto order from quote',
  description:
    'Orders what a quote says. What is spent is held at once, and both sides are booked within moments in one ledger transaction.',
  method: 'POST',
  idempotency: 'required',
  path: '/v1/crypto/orders',
  effect: 'transaction',
  process: 'crypto-order',
  body: wire.CryptoOrderRequest,
  status: 201,
  answer: wire.CryptoOrder,
  refuses: [
    ...(['quote_used', 'quote_expired', 'limit_exceeded', 'account_closed'] as const),
    ...(['account_blocked', 'debits_stopped', 'insufficient_funds'] as const),
  ],
  handle: async (request) => orderView(await orderByQuote(request, request.body.quote_id)),
});

export const listCryptoOrders = forUsers({
  id: 'listCryptoOrders',
  area: 'Crypto',
  title: 'List crypto orders',
  description: 'Lists the caller’s orders, newest first.',
  method: 'GET',
  path: '/v1/crypto/orders',
  effect: 'read',
  query: byId.query({
    asset: AssetCode.optional(),
    side: z.enum(ORDER_SIDES).optional(),
    status: z.enum(ORDER_STATUSES).optional(),
  }),
  status: 200,
  answer: wire.CryptoOrderList,
  refuses: [],
  handle({ db, caller, query }) {
    const { asset = null, side = null, status = null, ...page } = query;
    return byId.page(
      page,
      (before, most) => cryptoOrdersOf.all(db, { customer: caller.id, asset, side, status, before, most }),
      orderView,
    );
  },
});

export const getCryptoOrder = forUsers({
  id: 'getCryptoOrder',
  area: 'Crypto',
  title: 'Get crypto order',
  description: 'Returns one of the caller’s orders.',
  method: 'GET',
  path: '/v1/crypto/orders/{id}',
  effect: 'read',
  params: z.strictObject({ id: CryptoOrderId }),
  status: 200,
  answer: wire.CryptoOrder,
  refuses: [],
  handle: async ({ db, caller, params: { id } }) =>
    orderView(found(await cryptoOrderOf.first(db, { id, userId: caller.id }))),
});

/** In the order of the documentation. */
export const operations = [quoteCryptoOrder, createCryptoOrder, listCryptoOrders, getCryptoOrder];
