/** Messages of the release before, which processes deliver. */
import { integer } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Message } from '../../schema/notifications.ts';

const { id } = columnsOf(Message, 'id');

/** One message. */
export const messageById = statement({
  name: 'messageById',
  takes: { id },
  gives: columnsOf(Message, 'channel', 'template', 'locale', 'sealedContent', 'status', 'createdAt'),
  sql: `
    select channel, template, locale, sealed_content, status, created_at from messages where id = $id`,
});

/** A message that is neither delivered nor given up, and its age. */
export const messageToDeliver = statement({
  name: 'messageToDeliver',
  takes: { id },
  gives: { ...columnsOf(Message, 'id', 'userId', 'channel', 'template'), ageSeconds: integer() },
  sql: `
    select id, user_id, channel, template, floor(extract(epoch from bank_now() - created_at))::integer as age_seconds
      from messages where id = $id and status = 'queued'`,
});

/** Counts that somebody tries to deliver it. */
export const countAttempt = statement({
  name: 'countAttempt',
  takes: { id },
  gives: {},
  sql: 'update messages set attempts = attempts + 1 where id = $id',
});

/** Ends a message that is still queued, and erases what it held. */
export const finishMessage = statement({
  name: 'finishMessage',
  takes: columnsOf(Message, 'id', 'status'),
  gives: {},
  sql: `
    update messages set status = $status, sealed_content = null, finished_at = bank_now() where id = $id and status = 'queued'`,
});
