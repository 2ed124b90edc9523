/** What cards customers can have. */
import { accountOf } from '../../../db/queries/accounts/accounts.ts';
import { feesOfCardProducts, offeredCardProducts } from '../../../db/queries/cards/products.ts';
import { AccountId, CardProductId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { cardProductView } from './views.ts';

const byId = keysetById('card-products', CardProductId);

export const listCardProducts = forUsers({
  id: 'listCardProducts',
  area: 'Finance',
  title: 'List issuable card products',
  description:
    'Lists the cards that the bank offers, with what they may do and cost. With `account_id`, those that this account can have, at its prices.',
  method: 'GET',
  path: '/v1/card-products',
  effect: 'read',
  query: byId.query({ account_id: AccountId.optional() }),
  status: 200,
  answer: wire.CardProductList,
  refuses: [],
  async handle({ caller, db, query: { account_id: id, ...page } }) {
    const account = id && found(await accountOf.first(db, { id, owner: caller.id }));
    const accountType = account?.typeId ?? null;
    const priced = async (after: CardProductId | null, most: number) => {
      const rows = await offeredCardProducts.all(db, { accountType, after, most });
      const products = rows.map((product) => product.id);
      const fees = await feesOfCardProducts.all(db, { products, accountType });
      return rows.map((product) => ({
        ...product,
        fees: fees.filter(({ productId }) => productId === product.id),
      }));
    };
    return byId.page(page, priced, cardProductView);
  },
});

/** In the order of the documentation. */
export const operations = [listCardProducts];
