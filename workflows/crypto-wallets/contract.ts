/** All that others may know of the process that has a customer's wallets opened. Which ones stays in rows. */
import { defineUpdate } from '@temporalio/workflow';
import type { CryptoVaultId, CryptoWalletId, UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';

export interface WalletsOrder {
  /** The vault of the customer, or one of the bank. */
  readonly id: CryptoVaultId;
  readonly customerId: UserId | null;
}

/** How a customer's wallets are after a look at them. */
export interface WalletsStep {
  /** How many the custodian has not opened yet. */
  readonly left: number;
  /** Whether it did not answer; otherwise it refuses those that are left. */
  readonly isAway: boolean;
  /** When it wants to be asked again, if it has said so. */
  readonly retryInSeconds: number | null;
}

/** Answers once the custodian was asked for the wallets that are wanted, or after four seconds; at once while it is away. */
export const open = defineUpdate<object, [Pick<WalletsOrder, 'id'>]>('open');

/** Asks the custodian what a wallet holds and keeps it. Refuses unavailable. */
export const refresh = defineUpdate<{ readonly wallet: CryptoWalletId } | Refused, [WalletRefresh]>(
  'refresh',
);

export interface WalletRefresh {
  readonly wallet: CryptoWalletId;
}
