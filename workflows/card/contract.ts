/** All that others may know of the process of a card. What it is and whose stays in its row. */
import { defineUpdate } from '@temporalio/workflow';
import type { CardId, UserId } from '../../domain/ids.ts';

export interface CardOrder {
  readonly id: CardId;
  readonly customerId: UserId;
}

/** The card was activated or closed: its row says so. */
export const changed = defineUpdate<void, [Pick<CardOrder, 'id'>]>('changed');
