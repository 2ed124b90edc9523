/** What moves on the coin accounts of customers. */

/** `other` is a kind that has no type of its own: it has moved the balance too, so it is listed. */
export const COIN_MOVEMENT_TYPES = ['deposit', 'deposit_reversed', 'buy', 'sell', 'other'] as const;
export type CoinMovementType = (typeof COIN_MOVEMENT_TYPES)[number];

/** The kind of ledger transaction that each type is. */
export const LEDGER_KINDS: Readonly<Record<Exclude<CoinMovementType, 'other'>, string>> = {
  deposit: 'crypto_deposit',
  deposit_reversed: 'crypto_reversal',
  buy: 'crypto_buy',
  sell: 'crypto_sell',
};
