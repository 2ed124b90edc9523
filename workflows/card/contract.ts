/** All that others may know of the process of a card. What it is and whose stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { CardStatus } from '../../domain/cards/cards.ts';
import type { CardId, UserId } from '../../domain/ids.ts';

export interface CardOrder {
  readonly id: CardId;
  readonly customerId: UserId;
}

/** How a card is after a step, and when to look at it again. */
export interface CardStep {
  readonly status: CardStatus;
  /** The card that follows it, once there is one. */
  readonly renewedBy: CardId | null;
  readonly lookAgainInSeconds: number;
}

/** The card was activated or closed: its row says so. */
export const changed = defineUpdate<void, [Pick<CardOrder, 'id'>]>('changed');
