/** Files on disputes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { bigCount, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type NewRow } from '../../rows/table-columns.ts';
import { CardDispute, CardDisputeAttachment } from '../../schema/card-disputes.ts';
import { fileColumns } from '../uploads/uploads.ts';

const place = columnsOf(CardDisputeAttachment, 'disputeId');
const attachment = { ...fileColumns, ...place };
export type DisputeFileRow = RowOf<typeof attachment>;

const FILES = `
  select ${selectList(fileColumns, 'u')}, ${selectList(place, 'a')}
    from card_dispute_attachments a join uploads u on u.id = a.upload_id`;

/** Those files of a dispute that are stored or still expected, in their order. */
export const disputeFiles = statement({
  name: 'disputeFiles',
  takes: place,
  gives: attachment,
  sql: `${FILES}
   where a.dispute_id = $disputeId and u.status in ('pending', 'confirmed') order by a.upload_id`,
});

/** One file, if it belongs to this dispute. */
export const disputeFile = statement({
  name: 'disputeFile',
  takes: columnsOf(CardDisputeAttachment, 'disputeId', 'uploadId'),
  gives: attachment,
  sql: `${FILES} where a.dispute_id = $disputeId and a.upload_id = $uploadId`,
});

/** How many files a dispute has, including those that are still expected. */
export const countDisputeFiles = statement({
  name: 'countDisputeFiles',
  takes: place,
  gives: { count: bigCount() },
  sql: `
    select count(*) from card_dispute_attachments a join uploads u on u.id = a.upload_id
     where a.dispute_id = $disputeId and u.status in ('pending', 'confirmed')`,
});

/** Keeps others from adding files to a dispute until the transaction ends. */
export const lockDisputeForFiles = statement({
  name: 'lockDisputeForFiles',
  takes: place,
  gives: columnsOf(CardDispute, 'id', 'status'),
  sql: 'select x.id, x.status from card_dispute_for_files($disputeId) x',
});

/** Ties an upload to a dispute. */
export async function insertDisputeFile(
  db: EntityManager,
  attachment: NewRow<typeof CardDisputeAttachment>,
): Promise<void> {
  await query(db).insertInto('card_dispute_attachments').values(attachment).execute();
}
