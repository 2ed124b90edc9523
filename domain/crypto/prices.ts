/** Exchanges whose prices of coins the bank can ask for. */

export const PRICE_SOURCES = ['coinbase', 'bitstamp', 'okx'] as const;
export type PriceSourceName = (typeof PRICE_SOURCES)[number];
