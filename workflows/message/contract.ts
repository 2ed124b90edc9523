/** All that others may know of the delivery of one message. Recipient and text stay in their sealed row. */
import type { MessageId, UserId } from '../../domain/ids.ts';
import type { MessageChannel, MessageTemplate } from '../../domain/notifications/messages.ts';

export interface MessageOrder {
  readonly id: MessageId;
  readonly userId: UserId | null;
  readonly channel: MessageChannel;
  readonly template: MessageTemplate;
  /** Seconds after which the message is given up, because its delivery would only confuse. */
  readonly deliverWithinSeconds: number;
}

/** How the delivery ended. */
export type MessageOutcome = 'delivered' | 'failed';
