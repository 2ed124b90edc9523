/** Prices of coins as administrators watch them. */
import { z } from 'zod';
import { watchedPricesAfter, type WatchedPriceRow } from '../../../db/queries/crypto/prices.ts';
import { closeBreaker } from '../../../services/crypto/prices.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';
import { watchedPriceView } from './views.ts';

const Code = z.string().max(40);
const byCode = keyset('crypto-prices', Code, ({ asset }: WatchedPriceRow) => asset);

export const listCryptoPrices = forAdmins({
  id: 'listCryptoPrices',
  area: 'Admin crypto',
  title: 'List prices of coins',
  description: 'Lists the newest price of each coin, what each source says of it, and its breaker, by code.',
  method: 'GET',
  path: '/v1/admin/crypto/prices',
  effect: 'read',
  permission: 'crypto:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.AdminCryptoPriceList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byCode.page(
      query,
      (after, most) => watchedPricesAfter.all(db, { after: after ?? '', most }),
      watchedPriceView,
    ),
});

export const resetCryptoBreaker = forAdmins({
  id: 'resetCryptoBreaker',
  area: 'Admin crypto',
  title: 'Reset breaker of coin',
  description:
    'Closes the breaker of a coin whose price has jumped. What its sources say now is its price, however far that is from the last.',
  method: 'POST',
  path: '/v1/admin/crypto/breakers/{asset}/reset',
  idempotency: 'accepted',
  effect: 'transaction',
  permission: 'crypto:write',
  params: z.strictObject({ asset: Code }),
  status: 200,
  answer: wire.AdminCryptoPrice,
  refuses: ['crypto_breaker_closed'],
  beyond: true,
  handle: async (request) => watchedPriceView(await closeBreaker(request, request.params.asset)),
});

/** In the order of the documentation. */
export const operations = [listCryptoPrices, resetCryptoBreaker];
