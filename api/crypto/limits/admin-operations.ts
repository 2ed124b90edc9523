/** How much customers can buy, sell and withdraw in coins. */
import { z } from 'zod';
import { coinLimitsAfter, coinLimitsOf, type CoinLimitsRow } from '../../../db/queries/crypto/limits.ts';
import { moneyIn } from '../../../domain/money.ts';
import { found } from '../../../domain/refusals.ts';
import { limitsFourEyes, setCoinLimits } from '../../../services/crypto/limits.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import * as wire from './schemas.ts';

const Operation = z.string().max(40);
const params = z.strictObject({
  operation: Operation.describe('`buy`, `sell` or `withdrawal`.'),
});

const byOperation = keyset('crypto-limits', Operation, (row: CoinLimitsRow) => row.operation);

export const listCryptoLimits = forAdmins({
  id: 'listCryptoLimits',
  area: 'Admin crypto',
  title: 'List limits of coins',
  description:
    'Lists how much customers can buy, sell and withdraw in coins, by what the coins are worth in the base currency.',
  method: 'GET',
  path: '/v1/admin/crypto/limits',
  effect: 'read',
  permission: 'crypto:read',
  query: byOperation.query({}),
  status: 200,
  answer: wire.AdminCryptoLimitsList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byOperation.page(
      query,
      (after, most) => coinLimitsAfter.all(db, { after: after ?? '', most }),
      limitsView,
    ),
});

export const getCryptoLimits = forAdmins({
  id: 'getCryptoLimits',
  area: 'Admin crypto',
  title: 'Get limits of coins',
  description: 'Returns how much customers can buy, sell or withdraw in coins.',
  method: 'GET',
  path: '/v1/admin/crypto/limits/{operation}',
  effect: 'read',
  permission: 'crypto:read',
  params,
  status: 200,
  answer: wire.AdminCryptoLimits,
  refuses: [],
  beyond: true,
  handle: async ({ db, params: of }) => limitsView(found(await coinLimitsOf.first(db, of))),
});

export const putCryptoLimits = forAdmins({
  id: 'putCryptoLimits',
  area: 'Admin crypto',
  title: 'Set limits of coins',
  description:
    'Replaces all limits of buying, selling or withdrawing coins. A new limit also counts what was done before it was set. Limits that let a customer of any level do more wait for a second administrator.',
  method: 'PUT',
  path: '/v1/admin/crypto/limits/{operation}',
  effect: 'transaction',
  permission: 'crypto:write',
  fourEyes: limitsFourEyes,
  params,
  body: wire.AdminCryptoLimitsUpdate,
  status: 200,
  answer: wire.AdminCryptoLimits,
  refuses: [],
  beyond: true,
  handle: async (request) =>
    limitsView(await setCoinLimits(request, request.params.operation, request.body.limits)),
});

function limitsView({
  operation,
  limits,
  baseAsset,
}: CoinLimitsRow): z.output<typeof wire.AdminCryptoLimits> {
  const worth = moneyIn(baseAsset);
  const most = (minor: bigint | null) => (minor === null ? null : worth(minor));
  return {
    operation,
    limits: limits.map(({ kycLevel, day, month }) => ({
      ...{ kyc_level: kycLevel, last_24_hours: most(day), last_30_days: most(month) },
    })),
  };
}

/** In the order of the documentation. */
export const operations = [listCryptoLimits, getCryptoLimits, putCryptoLimits];
