/** The custodian, which keeps the keys of all coins: vaults, their wallets, addresses and balances. */

export interface Custodian {
  /**
   * Id of the vault of this name, which is created unless there is one. `key` (a UUID) makes a repeat find what an unanswered call has
   * created.
   */
  ensureVault(vault: {
    readonly name: string;
    readonly reference: string | null;
    readonly key: string;
  }): Promise<string>;
  /** The address of a vault's wallet of an asset, opened unless there is one. */
  ensureWallet(vault: string, asset: string): Promise<CustodyAddress>;
  /**
   * A further address of a wallet that several customers share: the same address with a tag (XRP, Stellar) of its own. `key` (a UUID)
   * makes a repeat find what an unanswered call has created, so there is one tag for each key.
   */
  ensureTag(
    vault: string,
    asset: string,
    owner: { readonly reference: string; readonly key: string },
  ): Promise<CustodyAddress>;
  /** Has the custodian look at the chain again, and returns what the wallet holds. */
  refreshBalance(vault: string, asset: string): Promise<CustodyBalance>;
}

export interface CustodyAddress {
  readonly address: string;
  readonly tag: string | null;
}

/** Decimals in whole coins, with the digits of the chain. The total is the sum of the others. */
export interface CustodyBalance {
  readonly total: string;
  readonly available: string;
  readonly pending: string;
  readonly frozen: string;
  readonly locked: string;
}

/**
 * - `away`: no answer, or a failure that passes or that an operator ends (an outage, a clock, a key, a permission). Whether the call was
 *   carried out is unknown; each call can be repeated.
 * - `busy`: too many calls; nothing was done.
 * - `refused`: this call will never work.
 */
export type FailureKind = 'away' | 'busy' | 'refused';

/** The message names no customer, vault or address, so it may be logged. */
export class CustodianFailure extends Error {
  override readonly name = 'CustodianFailure';
  readonly kind: FailureKind;
  /** How long to wait before the next call, if the custodian has said so. */
  readonly retryAfterSeconds: number | null;
  constructor(kind: FailureKind, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
