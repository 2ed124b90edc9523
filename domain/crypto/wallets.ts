/** Wallets of coins. */

/** `creating`: the custodian has not given it an address yet; `retired`: nobody is told the address any more. */
export const WALLET_STATUSES = ['creating', 'active', 'retired'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];
