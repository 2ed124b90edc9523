/** Deposits of coins, on the wire. */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { DEPOSIT_STATUSES } from '../../../domain/crypto/deposits.ts';
import { CryptoDepositId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, listOf, Timestamp } from '../../wire/shapes.ts';

export const CryptoDeposit = named(
  'CryptoDeposit',
  z.strictObject({
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
  }),
  {
    ...({ id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e', asset: 'BTC', network: 'bitcoin' } as const),
    ...({ amount: { amount: '0.01500000', asset: 'BTC' }, status: 'credited' } as const),
    ...{ confirmations: 3, required_confirmations: 3 },
    tx_hash: '8f907925d2ebe48765103e6845c06f1f2bb77c6adc1cc002865865eb5cfd5c1c',
    ...{ address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', memo: null },
    ...{ created_at: '2026-03-01T09:30:00.000Z', credited_at: '2026-03-01T10:02:00.000Z' },
  },
);
export const CryptoDepositList = listOf('CryptoDepositList', CryptoDeposit);
