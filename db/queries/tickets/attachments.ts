/** Files on messages. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TicketMessageId } from '../../../domain/ids.ts';
import { bigCount, idArray, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type NewRow } from '../../rows/table-columns.ts';
import { TicketAttachment } from '../../schema/tickets.ts';
import { fileColumns } from '../uploads/uploads.ts';

const place = columnsOf(TicketAttachment, 'messageId');
const attachment = { ...fileColumns, ...place };
export type AttachmentRow = RowOf<typeof attachment>;

const ATTACHMENTS = `
  select ${selectList(fileColumns, 'u')}, ${selectList(place, 'a')}
    from ticket_attachments a join uploads u on u.id = a.upload_id`;

/** Those attachments of these messages that are stored or still expected, in their order. */
export const attachmentsOf = statement({
  name: 'attachmentsOf',
  takes: { messages: idArray<TicketMessageId>() },
  gives: attachment,
  sql: `${ATTACHMENTS}
   where a.message_id = any($messages) and u.status in ('pending', 'confirmed') order by a.upload_id`,
});

/** One attachment, if it belongs to this message. */
export const attachmentOf = statement({
  name: 'attachmentOf',
  takes: columnsOf(TicketAttachment, 'messageId', 'uploadId'),
  gives: attachment,
  sql: `${ATTACHMENTS} where a.message_id = $messageId and a.upload_id = $uploadId`,
});

/** How many files a message has, including those that are still expected. */
export const countAttachments = statement({
  name: 'countAttachments',
  takes: columnsOf(TicketAttachment, 'messageId'),
  gives: { count: bigCount() },
  sql: `
    select count(*) from ticket_attachments a join uploads u on u.id = a.upload_id
     where a.message_id = $messageId and u.status in ('pending', 'confirmed')`,
});

/** Ties an upload to a message. */
export async function insertAttachment(
  db: EntityManager,
  attachment: NewRow<typeof TicketAttachment>,
): Promise<void> {
  await query(db).insertInto('ticket_attachments').values(attachment).execute();
}
