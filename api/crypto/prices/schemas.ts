/** Prices of coins, on the wire. */
import { z } from 'zod';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const AT = '2026-03-01T09:30:00.000Z';
const price = z.string().describe('Units of the currency for one whole coin, a decimal string.');

/** What a source has said of a coin. */
export const PriceOfSource = z.strictObject({
  source: z.string().describe('Name of the exchange.'),
  price,
  at: Timestamp.describe('By the clock of the source.'),
});
export const examplePriceOfSource = { source: 'bitstamp', price: '60012.5', at: AT };

export const exampleCryptoPrice = { price: '60010.25', currency: 'EUR', at: AT, stale: false };

/** The newest price of a coin. */
export const CryptoPrice = named(
  'CryptoPrice',
  z.strictObject({
    price,
    currency: z.string().describe('ISO 4217 code.'),
    at: Timestamp.describe('When the oldest of its sources has said it.'),
    stale: z.boolean().describe('Too old to trade at.'),
  }),
  exampleCryptoPrice,
);

export const AdminCryptoPrice = named(
  'AdminCryptoPrice',
  z.strictObject({
    asset: z.string().describe('Code of the coin.'),
    price: CryptoPrice.nullable().describe('The newest price that was taken; null if there is none yet.'),
    sources: z.array(
      PriceOfSource.extend({
        stale: z.boolean().describe('Too old to count.'),
        used: z.boolean().describe('Whether the price follows from it.'),
      }),
    ),
    breaker: z
      .strictObject({
        opened_at: Timestamp,
        price: price.describe('What was too far from the price, and was not taken.'),
      })
      .nullable()
      .describe('Not null while nobody trades the coin because its price has jumped.'),
  }),
  {
    asset: 'BTC',
    price: exampleCryptoPrice,
    sources: [{ ...examplePriceOfSource, stale: false, used: true }],
    breaker: null,
  },
);
export const AdminCryptoPriceList = listOf('AdminCryptoPriceList', AdminCryptoPrice);
