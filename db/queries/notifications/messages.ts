/** Messages that go out. */
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Message } from '../../schema/notifications.ts';

/** Adds a message. Its process delivers it. */
export const queueMessage = statement({
  name: 'queueMessage',
  takes: columnsOf(Message, 'id', 'userId', 'channel', 'template', 'locale', 'sealedContent'),
  gives: {},
  sql: `
    insert into messages (id, user_id, channel, template, locale, sealed_content)
    values ($id, $userId, $channel, $template, $locale, $sealedContent)`,
});
