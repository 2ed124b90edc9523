/** Quotes and orders of coins, on the wire. */
import { z } from 'zod';
import { ORDER_FAILURES, ORDER_SIDES, ORDER_STATUSES } from '../../../domain/crypto/orders.ts';
import { AccountId, CryptoOrderId, CryptoQuoteId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { Holding, listOf, Money, PositiveHolding, Timestamp } from '../../wire/shapes.ts';
import { Coin } from '../asset-code.ts';
import { examplePriceOfSource, PriceOfSource } from '../prices/schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const QUOTE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f';

export const CryptoQuoteRequest = named(
  'CryptoQuoteRequest',
  z
    .strictObject({
      side: z.enum(ORDER_SIDES),
      asset: Coin,
      account_id: AccountId.describe('The bank account of the caller that pays, or is paid.'),
      spend: PositiveHolding.optional().describe(
        'What is spent in all: money for `buy`, coins for `sell`. Or else:',
      ),
      receive: PositiveHolding.optional().describe(
        'What is received in the end: coins for `buy`, money for `sell`.',
      ),
    })
    .refine(({ spend, receive }) => (spend === undefined) !== (receive === undefined), {
      path: ['spend'],
      message: 'give either spend or receive',
    }),
  {
    ...({ side: 'buy', asset: 'BTC', account_id: EXAMPLE_ID } as const),
    spend: { amount: '500.00', currency: 'EUR' },
  },
);

const numbers = {
  side: z.enum(ORDER_SIDES),
  asset: z.string().describe('Code of the coin.'),
  account_id: AccountId.describe('The bank account that pays, or is paid.'),
  spend: Holding.describe('What is spent in all.'),
  receive: Holding.describe('What is received in the end.'),
  subtotal: Money.describe(
    'What is exchanged of the money: what is spent less the fee, or what is received before the fee.',
  ),
  fee: Money,
  spread: Holding.describe(
    'What the bank keeps of the exchange, beside the fee: what would be got at `mid_price`, less what is got. Coins for `buy`, money for `sell`.',
  ),
  mid_price: z.string().describe('Units of the account’s currency for one whole coin, in the middle.'),
  spread_bps: z.number().describe('What the price is away from the middle, in hundredths of a percent.'),
  sources: z.array(PriceOfSource).describe('What the price follows from, in the base currency of the bank.'),
  priced_at: Timestamp.describe('When the oldest of the sources has said it.'),
};
const example = {
  ...({ side: 'buy', asset: 'BTC', account_id: EXAMPLE_ID } as const),
  ...{ spend: { amount: '500.00', currency: 'EUR' }, receive: { amount: '0.00816736', asset: 'BTC' } },
  ...{ subtotal: { amount: '495.00', currency: 'EUR' }, fee: { amount: '5.00', currency: 'EUR' } },
  ...{ spread: { amount: '0.00008250', asset: 'BTC' }, mid_price: '60001', spread_bps: 100 },
  sources: [examplePriceOfSource, { ...examplePriceOfSource, source: 'coinbase', price: '59989.5' }],
  priced_at: '2026-03-01T09:30:00.000Z',
};

export const CryptoQuote = named(
  'CryptoQuote',
  z.strictObject({
    id: CryptoQuoteId,
    ...numbers,
    expires_at: Timestamp.describe('Until then one order can use it.'),
  }),
  { id: QUOTE_ID, ...example, expires_at: '2026-03-01T09:31:00.000Z' },
);

export const CryptoOrderRequest = named('CryptoOrderRequest', z.strictObject({ quote_id: CryptoQuoteId }), {
  quote_id: QUOTE_ID,
});

export const CryptoOrder = named(
  'CryptoOrder',
  z.strictObject({
    id: CryptoOrderId,
    quote_id: CryptoQuoteId,
    status: z
      .enum(ORDER_STATUSES)
      .describe(
        '`open`: what is spent is held. `filled`: both sides are booked. `failed`: nothing is booked, and what was held is free; see `failure_code`.',
      ),
    ...numbers,
    failure_code: z.enum(ORDER_FAILURES).nullable().describe('Why the books have refused it.'),
    transaction_id: z.uuid().nullable().describe('The ledger transaction that has booked it.'),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  }),
  {
    ...({ id: EXAMPLE_ID, quote_id: QUOTE_ID, status: 'filled', ...example, failure_code: null } as const),
    ...{ transaction_id: EXAMPLE_ID, created_at: '2026-03-01T09:30:20.000Z' },
    finished_at: '2026-03-01T09:30:20.100Z',
  },
);
export const CryptoOrderList = listOf('CryptoOrderList', CryptoOrder);
