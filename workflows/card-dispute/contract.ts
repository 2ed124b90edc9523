/** All that others may know of the process of a dispute. What it is about and whose stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { DisputeStatus } from '../../domain/cards/disputes.ts';
import type { CardDisputeId, UserId } from '../../domain/ids.ts';

export interface DisputeOrder {
  readonly id: CardDisputeId;
  readonly customerId: UserId;
}

/** How a dispute is after a step. */
export interface DisputeStep {
  readonly status: DisputeStatus;
  /** The network has to be told of the claim, or that there is none any more. */
  readonly isUntold: boolean;
  /** Nobody has decided, or the network has not answered, in time. */
  readonly isOverdue: boolean;
  readonly lookAgainInSeconds: number;
}

/** Somebody has decided, withdrawn or answered it, or the merchant has given something back: its row says what. */
export const changed = defineUpdate<void, [Pick<DisputeOrder, 'id'>]>('changed');
