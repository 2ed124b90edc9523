/** Deposits of all customers and of nobody at the back office, and the release of those under review. */
import { z } from 'zod';
import { knownDeposit, knownDeposits } from '../../../db/queries/crypto/deposits.ts';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { DEPOSIT_FAULTS, DEPOSIT_STATUSES } from '../../../domain/crypto/deposits.ts';
import { CryptoDepositId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { depositFourEyes, releaseToCustomer } from '../../../services/crypto/releasing-deposits.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import { AssetCode } from '../asset-code.ts';
import * as wire from './schemas.ts';
import { knownDepositView } from './views.ts';

const byId = keysetById('all-crypto-deposits', CryptoDepositId);
const params = z.strictObject({ id: CryptoDepositId });
const Exact = z.string().min(1).max(200);

export const listCryptoDepositsAsAdmin = forAdmins({
  id: 'listCryptoDepositsAsAdmin',
  area: 'Admin crypto',
  title: 'List crypto deposits (admin)',
  description:
    'Lists what has arrived for all customers, and for nobody who is known, newest first, with what the custodian has told of it.',
  method: 'GET',
  path: '/v1/admin/crypto/deposits',
  effect: 'read',
  permission: 'crypto:read',
  query: byId.query({
    user_id: UserId.optional(),
    status: z.enum(DEPOSIT_STATUSES).optional(),
    fault: z.enum(DEPOSIT_FAULTS).optional(),
    asset: AssetCode.optional(),
    network: z.enum(NETWORKS).optional(),
    tx_hash: Exact.optional().describe('The transaction on the network.'),
    address: Exact.optional().describe('Where it has arrived, in the form in which the bank shows it.'),
  }),
  status: 200,
  answer: wire.AdminCryptoDepositList,
  refuses: [],
  beyond: true,
  handle({ db, query }) {
    const {
      user_id: user = null,
      status = null,
      fault = null,
      asset = null,
      network = null,
      ...more
    } = query;
    const { tx_hash: txHash = null, address = null, ...page } = more;
    const filter = { user, status, fault, asset, network, txHash, address };
    return byId.page(
      page,
      (before, most) => knownDeposits.all(db, { ...filter, before, most }),
      knownDepositView,
    );
  },
});

export const getCryptoDepositAsAdmin = forAdmins({
  id: 'getCryptoDepositAsAdmin',
  area: 'Admin crypto',
  title: 'Get crypto deposit (admin)',
  description: 'Returns one deposit, with what the custodian has told of it.',
  method: 'GET',
  path: '/v1/admin/crypto/deposits/{id}',
  effect: 'read',
  permission: 'crypto:read',
  params,
  status: 200,
  answer: wire.AdminCryptoDeposit,
  refuses: [],
  beyond: true,
  handle: async ({ db, params: { id } }) => knownDepositView(found(await knownDeposit.first(db, { id }))),
});

export const releaseCryptoDeposit = forAdmins({
  id: 'releaseCryptoDeposit',
  area: 'Admin crypto',
  title: 'Release crypto deposit (admin)',
  description:
    'Credits a deposit that is `under_review` to its owner, or to the customer who is named. A second administrator has to agree. If the money-laundering watch holds it, it stays `under_review` as that customer’s until its flag is cleared. If the network drops it later, it is taken back from that customer.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/crypto/deposits/{id}/release',
  effect: 'transaction',
  permission: 'crypto:write',
  fourEyes: depositFourEyes,
  params,
  body: wire.ReleaseCryptoDepositRequest,
  status: 200,
  answer: wire.AdminCryptoDeposit,
  refuses: [
    ...(['crypto_deposit_not_under_review', 'crypto_deposit_held'] as const),
    ...(['account_closed', 'account_blocked', 'same_person'] as const),
  ],
  beyond: true,
  handle: async (request) =>
    knownDepositView(
      await releaseToCustomer(request, request.params.id, {
        userId: request.body.user_id,
        reason: request.body.reason,
      }),
    ),
});

/** In the order of the documentation. */
export const operations = [listCryptoDepositsAsAdmin, getCryptoDepositAsAdmin, releaseCryptoDeposit];
