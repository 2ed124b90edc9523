/** Messages to people: queued in the transaction of what they are about, delivered by a process after its commit. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from './cipher.ts';
import type { MessageId } from '../domain/ids.ts';
import { messageTemplates, type OutgoingMessage } from '../domain/messages.ts';
import { messageProcess } from '../workflows/message/contract.ts';
import { launch } from '../db/queries/platform/outbox.ts';
import { row, rows } from '../db/sql.ts';

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
  const reserved = await row<{ id: MessageId }>(db, 'select uuidv7() as id');
  if (reserved === undefined) throw new Error('the database gave no id');
  const { id } = reserved;
  await rows(
    db,
    `insert into messages (id, user_id, channel, template, locale, sealed_content)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      message.userId,
      message.channel,
      message.template,
      message.locale,
      sealContent(cipher, id, { to: message.to, values: message.values }),
    ],
  );
  const { deliverWithinSeconds } = messageTemplates[message.template];
  const { userId, channel, template } = message;
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
