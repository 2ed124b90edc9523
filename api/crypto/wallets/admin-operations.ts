/** Wallets of all customers at the back office, and what the custodian says that they hold. */
import { z } from 'zod';
import { knownWallets } from '../../../db/queries/crypto/wallets.ts';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { WALLET_STATUSES } from '../../../domain/crypto/wallets.ts';
import { CryptoWalletId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { refreshWallet } from '../../../services/crypto/wallets.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { balanceView, knownWalletView } from './views.ts';

const byId = keysetById('all-crypto-wallets', CryptoWalletId);

export const listCryptoWalletsAsAdmin = forAdmins({
  id: 'listCryptoWalletsAsAdmin',
  area: 'Admin crypto',
  title: 'List crypto wallets (admin)',
  description:
    'Lists the wallets of all customers and those that they share, newest first, with what the custodian said that they hold.',
  method: 'GET',
  path: '/v1/admin/crypto/wallets',
  effect: 'read',
  permission: 'crypto:read',
  query: byId.query({
    user_id: UserId.optional(),
    asset: AssetCode.optional(),
    network: z.enum(NETWORKS).optional(),
    status: z.enum(WALLET_STATUSES).optional(),
    address: z.string().min(1).max(200).optional().describe('In the form in which the bank shows it.'),
  }),
  status: 200,
  answer: wire.AdminCryptoWalletList,
  refuses: [],
  handle({ db, query }) {
    const {
      user_id: user = null,
      asset = null,
      network = null,
      status = null,
      address = null,
      ...page
    } = query;
    return byId.page(
      page,
      (before, most) => knownWallets.all(db, { user, asset, network, status, address, before, most }),
      knownWalletView,
    );
  },
});

export const refreshCryptoWallet = forAdmins({
  id: 'refreshCryptoWallet',
  area: 'Admin crypto',
  title: 'Refresh wallet balance (admin)',
  description:
    'Has the custodian look at the chain again and say what a wallet holds. For one that shares an address with others that is what all of them hold: `wallet_id` names the shared one. If the custodian does not answer, or wants to be asked less often, the answer is 503 and the figures stay.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/crypto/wallets/{id}/refresh',
  effect: 'own_transactions',
  permission: 'crypto:write',
  params: z.strictObject({ id: CryptoWalletId }),
  status: 200,
  answer: wire.AdminCryptoWalletBalance,
  refuses: ['crypto_wallet_creating'],
  process: 'crypto-wallets',
  handle: async (request, services) =>
    found(balanceView(await refreshWallet(request, request.params.id, services))),
});

/** In the order of the documentation. */
export const operations = [listCryptoWalletsAsAdmin, refreshCryptoWallet];
