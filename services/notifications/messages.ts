/** Messages to people: queued in the transaction of what they are about, delivered by a process after its commit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { queueMessage } from '../../db/queries/notifications/messages.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { MessageId } from '../../domain/ids.ts';
import { messageTemplates, type OutgoingMessage } from '../../domain/notifications/messages.ts';
import { messageProcess } from '../../workflows/message/process.ts';
import type { Cipher } from '../../adapters/cipher.ts';

/** What a sealed message holds; erased from its row once it is delivered or given up. */
export interface MessageContent {
  readonly to: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Queues one message; it goes out once the caller's transaction has committed, or never. Recipient and values are sealed
 * (they may hold a one-time code), bound to the row they stand in.
 */
export async function sendMessage(
  db: EntityManager,
  cipher: Cipher,
  message: OutgoingMessage,
): Promise<void> {
  const id = MessageId.parse(newUuid());
  const { userId, channel, template, locale, to, values } = message;
  const sealedContent = sealContent(cipher, id, { to, values });
  await queueMessage.run(db, { id, userId, channel, template, locale, sealedContent });
  const { deliverWithinSeconds } = messageTemplates[template];
  await launch(db, messageProcess, { id, userId, channel, template, deliverWithinSeconds });
}

/** Opens what `sendMessage` sealed. Throws where the row was tampered with or its key has left the ring. */
export function openContent(cipher: Cipher, id: MessageId, sealed: Uint8Array): MessageContent {
  // the cast is this file's own word: only sealContent writes the column, and the seal proves it
  return JSON.parse(cipher.open(sealed, contentContext(id)).toString()) as MessageContent;
}

function sealContent(cipher: Cipher, id: MessageId, content: MessageContent): Buffer {
  return cipher.seal(Buffer.from(JSON.stringify(content)), contentContext(id));
}

function contentContext(id: MessageId): string {
  return `messages/${id}`;
}
