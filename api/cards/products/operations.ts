/** What cards customers can have. */
import { offeredCardProducts } from '../../../db/queries/cards/products.ts';
import { CardProductId } from '../../../domain/ids.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardProductView } from './views.ts';

const byId = keysetById('card-products', CardProductId);

export const listCardProducts = forUsers({
  id: 'listCardProducts',
  area: 'Finance',
  title: 'List issuable card products',
  description: 'Lists the cards that the bank offers, with what they may do.',
  method: 'GET',
  path: '/v1/card-products',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.CardProductList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(query, (after, most) => offeredCardProducts.all(db, { after, most }), cardProductView),
});

/** In the order of the documentation. */
export const operations = [listCardProducts];
