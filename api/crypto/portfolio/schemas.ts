/** What customers have in coins, on the wire. */
import { z } from 'zod';
import { Converted } from '../../accounts/balances/schemas.ts';
import { named } from '../../wire/naming.ts';
import { CoinAmount, Day, listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { examplePriceOfSource, PriceOfSource } from '../prices/schemas.ts';

const AT = '2026-03-01T09:30:00.000Z';
const btc = (amount: string) => ({ amount, asset: 'BTC' });
const eur = (amount: string) => ({ amount, currency: 'EUR' });

const asset = z.string().describe('Code of the coin.');
const sums = {
  total: Money.describe('Sum of what the coins are worth.'),
  without: z.array(z.string()).describe('Coins that the total lacks, because they have no price.'),
};

export const CryptoAccountBalance = named(
  'CryptoAccountBalance',
  z.strictObject({
    as_of: Timestamp,
    currency: z.string().describe('Currency of the total.'),
    assets: z.array(
      z.strictObject({
        asset,
        name: z.string(),
        balance: CoinAmount,
        held: CoinAmount.describe('Reserved for what is under way.'),
        available: CoinAmount,
        pending: CoinAmount.describe('On its way in, and not credited yet.'),
        converted: Converted.describe(
          'What the balance is worth by the newest price; null if the coin has none. `stale`: too old to trade at.',
        ),
      }),
    ),
    ...sums,
  }),
  {
    ...{ as_of: AT, currency: 'EUR' },
    assets: [
      {
        ...{ asset: 'BTC', name: 'Bitcoin', balance: btc('0.01500000'), held: btc('0.00000000') },
        ...{ available: btc('0.01500000'), pending: btc('0.00000000') },
        converted: { amount: eur('900.15'), rate: '60010.25', rate_at: AT, stale: false },
      },
    ],
    ...{ total: eur('900.15'), without: [] },
  },
);

/** The days of a history, both included. */
export const spanOfDays = {
  from: Day.optional().describe('First day.'),
  to: Day.optional().describe('Last day.'),
};

const CryptoBalanceSnapshot = named(
  'CryptoBalanceSnapshot',
  z.strictObject({
    day: z.iso.date(),
    taken_at: Timestamp.describe('The moment of the balances.'),
    currency: z.string().describe('Currency of the total.'),
    assets: z.array(
      z.strictObject({
        asset,
        balance: CoinAmount,
        price: z
          .strictObject({
            price: PriceOfSource.shape.price,
            at: Timestamp,
            sources: z.array(PriceOfSource),
          })
          .nullable()
          .describe('The newest price of that moment; null if there was none.'),
        value: Money.nullable(),
      }),
    ),
    ...sums,
  }),
  {
    ...{ day: '2026-03-01', taken_at: AT, currency: 'EUR' },
    assets: [
      {
        ...{ asset: 'BTC', balance: btc('0.01500000') },
        price: { price: '60012.5', at: AT, sources: [examplePriceOfSource] },
        value: eur('900.19'),
      },
    ],
    ...{ total: eur('900.19'), without: [] },
  },
);
export const CryptoBalanceSnapshots = listOf('CryptoBalanceSnapshots', CryptoBalanceSnapshot);
