/** Coins. */
import type { Entry } from './entry.ts';

export const cryptoRefusals = {
  looks_like_a_secret: {
    status: 400,
    title: 'Looks like a secret',
    cause: 'A text looks like a private key or the words of a seed. The bank has not kept it.',
    cure: 'Send an address. Whoever may have seen the key can take its coins: move them.',
  },
  crypto_wallet_creating: {
    status: 409,
    title: 'Wallet not open yet',
    cause: 'The custodian has not opened the wallet.',
    cure: 'Try again later; GET /v1/admin/crypto/wallets shows its status.',
  },
  crypto_deposit_not_under_review: {
    status: 409,
    title: 'Deposit not under review',
    cause: 'The deposit is credited already, or waits for its network, which may have dropped it.',
    cure: 'Read the deposit. What comes back to its network may be under review again.',
  },
  crypto_deposit_held: {
    status: 409,
    title: 'Deposit held',
    cause: 'The money-laundering watch holds the deposit.',
    cure: 'Have its flag reviewed (GET /v1/admin/aml/flags). Once no flag holds it, it is credited by itself.',
  },
  crypto_asset_unavailable: {
    status: 409,
    title: 'Coin unavailable',
    cause: 'The bank does not offer this coin now.',
    cure: 'GET /v1/crypto/assets lists what it offers.',
  },
  price_unavailable: {
    status: 409,
    title: 'Price unavailable',
    cause: 'The coin has no price that is young enough, or its price has jumped and somebody has to look.',
    cure: 'Ask again later.',
  },
  order_too_small: {
    status: 409,
    title: 'Order too small',
    cause: 'The order is worth less than `min_order`.',
    cure: 'Ask for more.',
  },
  order_too_large: {
    status: 409,
    title: 'Order too large',
    cause: 'The order is worth more than `max_order`.',
    cure: 'Ask for less.',
  },
  quote_expired: {
    status: 409,
    title: 'Quote expired',
    cause: 'The quote is older than 60 seconds.',
    cure: 'Ask for a new quote.',
  },
  quote_used: {
    status: 409,
    title: 'Quote used',
    cause: 'An order has used the quote already.',
    cure: 'Read the orders, and ask for a new quote for another one.',
  },
  debits_stopped: {
    status: 409,
    title: 'Debits stopped',
    cause: 'No coins of this kind go out of any account now.',
    cure: 'Try again once the bank lets them go out.',
  },
  crypto_breaker_closed: {
    status: 409,
    title: 'Breaker not open',
    cause: 'The price of the coin has not jumped, or the breaker was reset already.',
    cure: 'GET /v1/admin/crypto/prices shows which breakers are open.',
  },
} as const satisfies Record<string, Entry>;
