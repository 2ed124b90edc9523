/** The custodian, which keeps the keys of all coins: vaults, their wallets, addresses, balances and transfers. */

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
  /** The height of the newest block that the custodian knows on the chain of a wallet. */
  chainHeight(vault: string, asset: string): Promise<number>;
  /** What all vaults whose names begin so hold together, of each coin of which one has a wallet. */
  holdings(namePrefix: string): Promise<readonly CustodyHolding[]>;
  /** The transfer of this id as it is now; null if the custodian knows none. */
  getTransfer(id: string): Promise<CustodyTransfer | UnreadableTransfer | null>;
  /**
   * All transfers that changed at `since` (milliseconds since 1970) or later, each once as it is now, the oldest change first. They are
   * read before the first one is given: either all come or the call fails. Go on from the newest `lastUpdated`, and a little before it,
   * because a custodian may list a change late.
   */
  transfersSince(since: number): AsyncIterable<CustodyTransfer | UnreadableTransfer>;
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

/** What many wallets of an asset, by its name at the custodian, hold together. */
export interface CustodyHolding extends CustodyBalance {
  readonly asset: string;
}

/** A movement on a chain as the custodian tells it. At Fireblocks each output of an incoming transaction is a transfer of its own. */
export interface CustodyTransfer {
  /** The custodian’s id. */
  readonly id: string;
  /** The id that the bank has given it; null for what others have sent. */
  readonly externalId: string | null;
  /** The custodian’s name of the coin on its network. */
  readonly asset: string;
  readonly status: CustodyStatus;
  /** The custodian’s own words for operators, such as `FAILED DROPPED_BY_BLOCKCHAIN`: at most 80 characters of `[A-Z0-9_ ]`. */
  readonly told: string;
  readonly from: CustodyPlace;
  readonly to: CustodyPlace;
  /** Addresses are null until the transfer is on the chain; coins like Bitcoin have no address of the sender. */
  readonly fromAddress: string | null;
  readonly address: string | null;
  /** The tag or memo that came with it (XRP, Stellar). */
  readonly memo: string | null;
  readonly txHash: string | null;
  /** Which output of the transaction (Bitcoin) or which event of it (Ethereum) this is; null if the custodian does not say. */
  readonly index: number | null;
  /** What arrives, in whole coins with the digits of the chain. Before it is sent: what is to be sent, of which the fee may still go. */
  readonly amount: string;
  /** In whole coins of the network’s own coin; null while it is unknown. */
  readonly networkFee: string | null;
  /** Blocks on top of it, with its own; 0 while none contains it, also after a reorganisation. The custodian stops counting once it is completed. */
  readonly confirmations: number;
  /** The block that contains it now. */
  readonly block: { readonly hash: string; readonly height: string } | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastUpdated: number;
}

/** A transfer whose form is unknown. The others are not kept back by it, but somebody must look at it. */
export interface UnreadableTransfer {
  /** The fields that could not be read, without what they hold. */
  readonly unreadable: string;
  /** Null if it is not readable either. */
  readonly id: string | null;
}

/**
 * - `moving`: anything may still happen.
 * - `completed`: it has the confirmations that the custodian asks for. A reorganisation may still undo it.
 * - `failed`: nothing moved. A reorganisation, or an operator at the custodian, may still revive it.
 */
export type CustodyStatus = 'moving' | 'completed' | 'failed';

/** `outside` is whatever is neither a vault nor the gas station, which fuels vaults. */
export type CustodyPlace =
  { readonly kind: 'vault'; readonly vault: string } | { readonly kind: 'gas_station' | 'outside' };

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
