/** Deposits of coins, on the wire. */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { DEPOSIT_FAULTS, DEPOSIT_STATUSES, TRANSFER_STATUSES } from '../../../domain/crypto/deposits.ts';
import { CryptoDepositId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, listOf, Timestamp } from '../../wire/shapes.ts';
import { Reason } from '../../wire/text.ts';

const fields = {
  id: CryptoDepositId,
  asset: z.string().describe('Code of the coin.'),
  network: z.enum(NETWORKS),
  amount: CoinAmount.describe('What has arrived.'),
  status: z
    .enum(DEPOSIT_STATUSES)
    .describe(
      '`pending`: on its way, see `confirmations`. `credited`: it is in the account. `below_minimum`: smaller than `min_deposit` of its network, and not credited. `under_review`: the bank looks at it. `reversed`: the network has dropped it, and it is not, or no longer, in the account.',
    ),
  confirmations: z.int().describe('How many blocks have confirmed it, as far as they were counted.'),
  required_confirmations: z.int().describe('With so many it is credited.'),
  tx_hash: z.string().describe('The transaction on the network.'),
  address: z.string().describe('Where it has arrived.'),
  memo: z.string().nullable().describe('The memo or tag that came with it.'),
  created_at: Timestamp.describe('When the bank saw it first.'),
  credited_at: Timestamp.nullable(),
};
const example = {
  ...({ id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e', asset: 'BTC', network: 'bitcoin' } as const),
  ...({ amount: { amount: '0.01500000', asset: 'BTC' }, status: 'credited' } as const),
  ...{ confirmations: 3, required_confirmations: 3 },
  tx_hash: '8f907925d2ebe48765103e6845c06f1f2bb77c6adc1cc002865865eb5cfd5c1c',
  ...{ address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', memo: null },
  ...{ created_at: '2026-03-01T09:30:00.000Z', credited_at: '2026-03-01T10:02:00.000Z' },
};

export const CryptoDeposit = named('CryptoDeposit', z.strictObject(fields), example);
export const CryptoDepositList = listOf('CryptoDepositList', CryptoDeposit);

export const AdminCryptoDeposit = named(
  'AdminCryptoDeposit',
  z.strictObject({
    ...fields,
    user_id: UserId.nullable().describe('Whose it is; null if nobody knows.'),
    fault: z
      .enum(DEPOSIT_FAULTS)
      .nullable()
      .describe(
        'Why it is, or will be, `under_review`. `no_memo`, `unknown_memo`, `unknown_address`: it cannot be said whose it is. `told_otherwise`: the custodian tells of it now with another place or amount than at first; what is shown here is the first. `aml_review`: the money-laundering watch holds it.',
      ),
    output_index: z
      .int()
      .nullable()
      .describe('Which output of the transaction, if the custodian numbers them.'),
    source_address: z
      .string()
      .nullable()
      .describe('Where it comes from, if the custodian knows one address.'),
    chain_amount: z.string().describe('What has arrived, with all the digits of the chain.'),
    block_hash: z.string().nullable().describe('The block that it is in.'),
    custody_id: z.string().describe('The custodian’s id of the transaction.'),
    custody_status: z
      .enum(TRANSFER_STATUSES)
      .describe('Where it stands by the custodian. `moving` and `failed` may still change.'),
    custody_told: z.string().describe('What the custodian said last, in its own words.'),
    custody_updated: Timestamp.describe('When that was, by the clock of the custodian.'),
  }),
  {
    ...example,
    ...({ status: 'under_review', credited_at: null, user_id: null, fault: 'unknown_address' } as const),
    ...{ output_index: 0, source_address: 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7' },
    ...{ chain_amount: '0.01500000', custody_id: 'b70701f4-d7b1-4795-a8ee-b09cdb5b850d' },
    block_hash: '0000000000000003a1bd5fbbae1a3e1c5ea9ea2ab7b8a1d37b0b8b6c5b7c9f21',
    ...({ custody_status: 'completed', custody_told: 'COMPLETED CONFIRMED' } as const),
    custody_updated: '2026-03-01T10:02:00.000Z',
  },
);
export const AdminCryptoDepositList = listOf('AdminCryptoDepositList', AdminCryptoDeposit);

export const ReleaseCryptoDepositRequest = named(
  'ReleaseCryptoDepositRequest',
  z.strictObject({
    user_id: UserId.optional().describe('Whose it is, if it has no owner or another one is right.'),
    reason: Reason,
  }),
  {
    user_id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f',
    reason: 'The customer has shown that the payment is theirs',
  },
);
