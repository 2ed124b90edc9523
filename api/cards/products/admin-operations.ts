/** What cards the bank offers, as the back office decides it. */
import { z } from 'zod';
import { cardProductById, cardProducts } from '../../../db/queries/cards/products.ts';
import { CardProductId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { createProduct, productFourEyes, updateProduct } from '../../../services/cards/products.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';
import { adminCardProductView } from './views.ts';

const byId = keysetById('all-card-products', CardProductId);
const params = z.strictObject({ id: CardProductId });

export const listCardProductsAsAdmin = forAdmins({
  id: 'listCardProductsAsAdmin',
  area: 'Admin finance',
  title: 'List card products (admin)',
  description: 'Lists all card products, including disabled ones.',
  method: 'GET',
  path: '/v1/admin/card-products',
  effect: 'read',
  permission: 'cards:read',
  query: byId.query({ enabled: z.stringbool().optional() }),
  status: 200,
  answer: wire.AdminCardProductList,
  refuses: [],
  handle: ({ db, query: { enabled = null, ...page } }) =>
    byId.page(page, (after, most) => cardProducts.all(db, { enabled, after, most }), adminCardProductView),
});

export const createCardProduct = forAdmins({
  id: 'createCardProduct',
  area: 'Admin finance',
  title: 'Create card product',
  description:
    'Adds a card product. Its code, kind, payment system and currency cannot be changed later. An enabled product waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/card-products',
  effect: 'transaction',
  permission: 'cards:write',
  fourEyes: productFourEyes,
  body: wire.AdminCardProduct,
  status: 201,
  answer: wire.AdminCardProduct,
  refuses: ['conflict'],
  async handle(request) {
    const { code, kind, payment_system_id: paymentSystemId, currency: asset } = request.body;
    const product = { id: CardProductId.parse(request.newId), code, kind, paymentSystemId, asset };
    return adminCardProductView(await createProduct(request, product, patchOf(wire.termsOf(request.body))));
  },
});

export const getCardProduct = forAdmins({
  id: 'getCardProduct',
  area: 'Admin finance',
  title: 'Get card product',
  description: 'Returns one card product as it is now.',
  method: 'GET',
  path: '/v1/admin/card-products/{id}',
  effect: 'read',
  permission: 'cards:read',
  params,
  status: 200,
  answer: wire.AdminCardProduct,
  refuses: [],
  async handle({ params, db }) {
    return adminCardProductView(found(await cardProductById.first(db, params)));
  },
});

export const updateCardProduct = forAdmins({
  id: 'updateCardProduct',
  area: 'Admin finance',
  title: 'Update card product',
  description:
    'Writes another version, under which cards are issued from now on; cards that are issued keep theirs unless the change says otherwise. A version with which more could be paid, or that more people could get, waits for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/card-products/{id}',
  effect: 'transaction',
  permission: 'cards:write',
  fourEyes: productFourEyes,
  params,
  body: wire.CardProductUpdate,
  status: 200,
  answer: wire.AdminCardProduct,
  refuses: [],
  async handle(request) {
    return adminCardProductView(await updateProduct(request, request.params.id, patchOf(request.body)));
  },
});

/** In the order of the documentation. */
export const operations = [listCardProductsAsAdmin, createCardProduct, getCardProduct, updateCardProduct];
