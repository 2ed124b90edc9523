/** Coins that customers can have, and where they receive them. */
import { z } from 'zod';
import { walletsOf } from '../../../db/queries/crypto/wallets.ts';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { WALLET_STATUSES } from '../../../domain/crypto/wallets.ts';
import { CryptoWalletId } from '../../../domain/ids.ts';
import { offeredWithWallets } from '../../../services/crypto/wallets.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { assetsView, walletView } from './views.ts';

const byId = keysetById('crypto-wallets', CryptoWalletId);

export const listCryptoAssets = forUsers({
  id: 'listCryptoAssets',
  area: 'Crypto',
  title: 'List crypto assets and ensure wallets',
  description:
    'Lists the coins that the bank offers and the networks on which they are received, each with the caller’s wallet. Wallets that are missing are opened first. One that the custodian has not opened yet is `creating`: call again later.',
  method: 'GET',
  path: '/v1/crypto/assets',
  effect: 'own_transactions',
  query: z.strictObject({
    asset: AssetCode.optional().describe('This coin only; no other wallet is opened.'),
  }),
  status: 200,
  answer: wire.CryptoAssetsResponse,
  refuses: [],
  process: 'crypto-wallets',
  handle: async (request, services) =>
    assetsView(await offeredWithWallets(request, request.query.asset ?? null, services)),
});

export const listCryptoWallets = forUsers({
  id: 'listCryptoWallets',
  area: 'Crypto',
  title: 'List user crypto wallets',
  description:
    'Lists the caller’s wallets, newest first. `GET /v1/crypto/assets` opens those that are missing.',
  method: 'GET',
  path: '/v1/crypto/wallets',
  effect: 'read',
  query: byId.query({
    asset: AssetCode.optional(),
    network: z.enum(NETWORKS).optional(),
    status: z.enum(WALLET_STATUSES).optional(),
  }),
  status: 200,
  answer: wire.CryptoWalletList,
  refuses: [],
  handle({ db, caller, query }) {
    const { asset = null, network = null, status = null, ...page } = query;
    return byId.page(
      page,
      (before, most) => walletsOf.all(db, { customer: caller.id, asset, network, status, before, most }),
      walletView,
    );
  },
});

/** In the order of the documentation. */
export const operations = [listCryptoAssets, listCryptoWallets];
