/** Coins that customers have received. */
import { z } from 'zod';
import { depositsOf } from '../../../db/queries/crypto/deposits.ts';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { DEPOSIT_STATUSES } from '../../../domain/crypto/deposits.ts';
import { CryptoDepositId } from '../../../domain/ids.ts';
import { forUsers } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { depositView } from './views.ts';

const byId = keysetById('crypto-deposits', CryptoDepositId);

export const listCryptoDeposits = forUsers({
  id: 'listCryptoDeposits',
  area: 'Crypto',
  title: 'List crypto deposits',
  description:
    'Lists the coins that the caller has received, newest first, from the moment in which the custodian has seen them on their network.',
  method: 'GET',
  path: '/v1/crypto/deposits',
  effect: 'read',
  query: byId.query({
    asset: AssetCode.optional(),
    network: z.enum(NETWORKS).optional(),
    status: z.enum(DEPOSIT_STATUSES).optional(),
  }),
  status: 200,
  answer: wire.CryptoDepositList,
  refuses: [],
  handle({ db, caller, query }) {
    const { asset = null, network = null, status = null, ...page } = query;
    return byId.page(
      page,
      (before, most) => depositsOf.all(db, { customer: caller.id, asset, network, status, before, most }),
      depositView,
    );
  },
});

/** In the order of the documentation. */
export const operations = [listCryptoDeposits];
