/** All that others may know of a support ticket's process. */
import { defineUpdate } from '@temporalio/workflow';
import type { TicketId, UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';

export interface TicketOrder {
  readonly id: TicketId;
  readonly customerId: UserId;
}

export interface TicketClosing {
  readonly by: UserId;
  readonly reason: string | null;
  readonly requestId: string;
}

export interface TicketClosed {
  readonly status: 'closed';
}

/** An administrator closes the ticket. Refuses: ticket_closed. */
export const close = defineUpdate<TicketClosed | Refused, [TicketClosing]>('close');
