/** Which coins the bank offers, on which terms, and how they move on networks. */
import { z } from 'zod';
import {
  coinByCode,
  coinNetwork,
  coinNetworksAfter,
  coinsAfter,
  type CoinNetworkRow,
  type CoinRow,
} from '../../../db/queries/crypto/setup.ts';
import { found } from '../../../domain/refusals.ts';
import {
  changeCoin,
  changeCoinNetwork,
  coinFourEyes,
  networkFourEyes,
} from '../../../services/crypto/setup.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { coinView, networkView } from './views.ts';

const Code = z.string().max(40);
const ofCoin = z.strictObject({ code: Code });
const ofNetwork = z.strictObject({ asset: Code, network: Code });

const byCode = keyset('crypto-assets', Code, (coin: CoinRow) => coin.asset);
const byNetwork = keyset(
  'crypto-networks',
  z.tuple([Code, Code]),
  ({ asset, network }: CoinNetworkRow): [string, string] => [asset, network],
);

export const listCryptoAssetsAsAdmin = forAdmins({
  id: 'listCryptoAssetsAsAdmin',
  area: 'Admin crypto',
  title: 'List coins (admin)',
  description: 'Lists the coins that the bank knows, by their codes, including those it does not offer.',
  method: 'GET',
  path: '/v1/admin/crypto/assets',
  effect: 'read',
  permission: 'crypto:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.AdminCryptoAssetList,
  refuses: [],
  beyond: true,
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => coinsAfter.all(db, { after: after ?? '', most }), coinView),
});

export const getCryptoAssetAsAdmin = forAdmins({
  id: 'getCryptoAssetAsAdmin',
  area: 'Admin crypto',
  title: 'Get coin (admin)',
  description: 'Returns one coin and on which terms the bank offers it.',
  method: 'GET',
  path: '/v1/admin/crypto/assets/{code}',
  effect: 'read',
  permission: 'crypto:read',
  params: ofCoin,
  status: 200,
  answer: wire.AdminCryptoAsset,
  refuses: [],
  beyond: true,
  handle: async ({ db, params }) => coinView(found(await coinByCode.first(db, params))),
});

export const updateCryptoAsset = forAdmins({
  id: 'updateCryptoAsset',
  area: 'Admin crypto',
  title: 'Update coin',
  description:
    'Changes on which terms the bank offers a coin. Offering it, another spread, smaller or larger orders, and prices that deviate more wait for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/crypto/assets/{code}',
  effect: 'transaction',
  permission: 'crypto:write',
  fourEyes: coinFourEyes,
  params: ofCoin,
  body: wire.AdminCryptoAssetUpdate,
  status: 200,
  answer: wire.AdminCryptoAsset,
  refuses: [],
  beyond: true,
  handle: async (request) => coinView(await changeCoin(request, request.params.code, patchOf(request.body))),
});

export const listCryptoNetworks = forAdmins({
  id: 'listCryptoNetworks',
  area: 'Admin crypto',
  title: 'List networks of coins',
  description: 'Lists how coins move on networks, by coin and network.',
  method: 'GET',
  path: '/v1/admin/crypto/networks',
  effect: 'read',
  permission: 'crypto:read',
  query: byNetwork.query({ asset: AssetCode.optional().describe('Of this coin only.') }),
  status: 200,
  answer: wire.AdminCryptoNetworkList,
  refuses: [],
  beyond: true,
  handle: ({ db, query: { asset = null, ...page } }) =>
    byNetwork.page(
      page,
      (after, most) => {
        const [afterAsset, afterNetwork]: [string, string] = after ?? ['', ''];
        return coinNetworksAfter.all(db, { asset, afterAsset, afterNetwork, most });
      },
      networkView,
    ),
});

export const getCryptoNetwork = forAdmins({
  id: 'getCryptoNetwork',
  area: 'Admin crypto',
  title: 'Get network of coin',
  description: 'Returns how a coin moves on one network.',
  method: 'GET',
  path: '/v1/admin/crypto/networks/{asset}/{network}',
  effect: 'read',
  permission: 'crypto:read',
  params: ofNetwork,
  status: 200,
  answer: wire.AdminCryptoNetwork,
  refuses: [],
  beyond: true,
  handle: async ({ db, params }) => networkView(found(await coinNetwork.first(db, params))),
});

export const updateCryptoNetwork = forAdmins({
  id: 'updateCryptoNetwork',
  area: 'Admin crypto',
  title: 'Update network of coin',
  description:
    'Changes how a coin moves on a network. Enabling it, another name, contract or scale, fewer confirmations, smaller amounts, and asking less often for a memo wait for a second administrator.',
  method: 'PATCH',
  path: '/v1/admin/crypto/networks/{asset}/{network}',
  effect: 'transaction',
  permission: 'crypto:write',
  fourEyes: networkFourEyes,
  params: ofNetwork,
  body: wire.AdminCryptoNetworkUpdate,
  status: 200,
  answer: wire.AdminCryptoNetwork,
  refuses: [],
  beyond: true,
  handle: async (request) =>
    networkView(await changeCoinNetwork(request, request.params, patchOf(request.body))),
});

/** In the order of the documentation. */
export const operations = [
  listCryptoAssetsAsAdmin,
  getCryptoAssetAsAdmin,
  updateCryptoAsset,
  listCryptoNetworks,
  getCryptoNetwork,
  updateCryptoNetwork,
];
