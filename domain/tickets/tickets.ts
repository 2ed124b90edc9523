/** Support tickets: their states, and what a message or a close does to them. */

/** `open`: nobody has answered yet. */
export const TICKET_STATUSES = ['open', 'waiting_for_customer', 'waiting_for_support', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const TICKET_CATEGORIES = ['account', 'transfer', 'card', 'crypto', 'security', 'other'] as const;
export type TicketCategory = (typeof TICKET_CATEGORIES)[number];

/** Which side of the counter writes. */
export const TICKET_SIDES = ['customer', 'support'] as const;
export type TicketSide = (typeof TICKET_SIDES)[number];

/** A ticket that has waited this long for its customer is closed. In days. */
export const CLOSE_IDLE_AFTER_DAYS = 14;

/** A longer conversation goes on in a new ticket. */
export const MAX_TICKET_MESSAGES = 500;

/** Files that one message may carry, those still expected included. */
export const MAX_ATTACHMENTS = 10;

/** The status after a message of one side. A closed ticket takes none. */
export function statusAfterMessage(status: Exclude<TicketStatus, 'closed'>, by: TicketSide): TicketStatus {
  if (by === 'support') return 'waiting_for_customer';
  // until somebody has answered it is still untouched, however often its customer adds to it
  return status === 'open' ? 'open' : 'waiting_for_support';
}
