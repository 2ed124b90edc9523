/** A message as the release before has queued it; it is not in the outbox, so nobody starts its process. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { newUuid } from '../../../adapters/new-id.ts';
import { MessageId, type UserId } from '../../../domain/ids.ts';
import type { MessageChannel, MessageTemplate } from '../../../domain/notifications/messages.ts';
import { rows } from '../stack/sql.ts';

export async function earlierMessage(
  db: EntityManager,
  cipher: Cipher,
  message: {
    readonly userId: UserId | null;
    readonly channel: MessageChannel;
    readonly to: string;
    readonly template: MessageTemplate;
    readonly values: Readonly<Record<string, string>>;
  },
): Promise<MessageId> {
  const id = MessageId.parse(newUuid());
  const { userId, channel, template, to, values } = message;
  const sealed = cipher.seal(Buffer.from(JSON.stringify({ to, values })), `messages/${id}`);
  await rows(
    db,
    `insert into messages (id, user_id, channel, template, locale, sealed_content) values ($1, $2, $3, $4, 'en', $5)`,
    [id, userId, channel, template, sealed],
  );
  return id;
}
