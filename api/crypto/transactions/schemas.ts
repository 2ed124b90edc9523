/** What has moved on coin accounts, on the wire. Fields that the transactions of bank accounts have too mean the same. */
import { z } from 'zod';
import { NETWORKS } from '../../../domain/addresses/address.ts';
import { COIN_MOVEMENT_TYPES } from '../../../domain/crypto/transactions.ts';
import { CryptoDepositId, CryptoOrderId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const CryptoTransaction = named(
  'CryptoTransaction',
  z.strictObject({
    id: z
      .uuid()
      .describe('Id of the ledger transaction. Several entries of one transaction show the same id.'),
    asset: z.string().describe('Code of the coin.'),
    sequence: z
      .string()
      .regex(/^\d+$/)
      .describe('Place in the history of this coin, from 1 without gaps. Unique together with `asset`.'),
    type: z
      .enum(COIN_MOVEMENT_TYPES)
      .describe(
        '`deposit`: coins that have arrived. `deposit_reversed`: a deposit that the network has dropped is taken back. `buy`, `sell`: an order. `other`: anything else that was booked. More types will follow.',
      ),
    part: z.string().describe('`principal`, or what else the transaction holds, such as `fee`.'),
    direction: z.enum(['credit', 'debit']),
    amount: CoinAmount,
    balance_after: CoinAmount.describe('What the customer has of this coin after it.'),
    description: z.string(),
    deposit_id: CryptoDepositId.nullable().describe('The deposit that it belongs to; null if it is of none.'),
    order_id: CryptoOrderId.nullable().describe('The order that it belongs to; null if it is of none.'),
    network: z
      .enum(NETWORKS)
      .nullable()
      .describe('On which it has moved; null if it has moved in the books only.'),
    tx_hash: z
      .string()
      .nullable()
      .describe('The transaction on the network; null if it has moved in the books only.'),
    booked_at: Timestamp,
  }),
  {
    ...({ id: EXAMPLE_ID, asset: 'BTC', sequence: '7', type: 'deposit', part: 'principal' } as const),
    ...({ direction: 'credit', amount: { amount: '0.01500000', asset: 'BTC' } } as const),
    ...{ balance_after: { amount: '0.21500000', asset: 'BTC' }, description: 'Deposit on bitcoin' },
    ...({ deposit_id: EXAMPLE_ID, order_id: null, network: 'bitcoin' } as const),
    tx_hash: '8f907925d2ebe48765103e6845c06f1f2bb77c6adc1cc002865865eb5cfd5c1c',
    booked_at: '2026-03-01T10:02:00.000Z',
  },
);
export const CryptoTransactionList = listOf('CryptoTransactionList', CryptoTransaction);
