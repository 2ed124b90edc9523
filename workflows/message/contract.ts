/** All that others may know of the delivery of one message. Recipient and text stay in their sealed row. */
import type { MessageId, UserId } from '../../domain/ids.ts';
import type { Channel, MessageTemplate } from '../../domain/notifications/messages.ts';

export interface MessageOrder {
  readonly id: MessageId;
  readonly userId: UserId | null;
  readonly channel: Channel;
  readonly template: MessageTemplate;
  /** Seconds after which the message is given up, because its delivery would only confuse. */
  readonly deliverWithinSeconds: number;
}

/** How the delivery ended. */
export type MessageOutcome = 'delivered' | 'failed';

/** The effects of its steps. */
export interface MessageActivities {
  /** Sends it, once as far as can be told: a repeat carries the same Message-ID. Throws where the way out is closed for now. */
  deliverMessage(id: MessageId): Promise<MessageOutcome>;
  /** Its time is over: erases what it held. */
  giveUpMessage(id: MessageId): Promise<MessageOutcome>;
}
