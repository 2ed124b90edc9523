/** All that others may know of the process of a deposit of coins. What has arrived stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { DepositStatus } from '../../domain/crypto/deposits.ts';
import type { CryptoDepositId, UserId } from '../../domain/ids.ts';

export interface DepositOrder {
  readonly id: CryptoDepositId;
  readonly customerId: UserId | null;
}

/** How a deposit is after a look at the custodian. */
export interface DepositStep {
  readonly status: DepositStatus;
  /** Whether something is still to come: blocks, or the chain's last word. */
  readonly isOpen: boolean;
  /** Whether the custodian has no more to say, and only blocks are missing. */
  readonly isNear: boolean;
  /** Whether the custodian did not answer. */
  readonly isAway: boolean;
}

/** Tells it that the custodian has something to say. Answers at once. */
export const look = defineUpdate<object, [Pick<DepositOrder, 'id'>]>('look');
