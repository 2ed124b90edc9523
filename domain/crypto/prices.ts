/** Prices of coins: who tells them, and what the bank keeps of them. */
import { z } from 'zod';

/** The exchanges whose public tickers the bank can read. */
export const PRICE_SOURCES = ['coinbase', 'bitstamp', 'okx'] as const;
export type PriceSourceName = (typeof PRICE_SOURCES)[number];

/** What a source says of a coin now. */
export interface ToldPrice {
  readonly asset: string;
  /** Units of the currency for one whole coin, a decimal string above zero. */
  readonly price: string;
  /** By the clock of the source. */
  readonly at: Date;
}

/** What one source said of a coin, as the database keeps it beside the price that followed. */
export const SourcePrices = z.array(
  z.object({ source: z.string(), price: z.string(), at: z.coerce.date<string>() }),
);
export type SourcePrices = z.output<typeof SourcePrices>;
