/** Files that reviewers keep with flags. */
import type { AmlFlagId, UserId } from '../../../domain/ids.ts';
import { id, oneOf, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AmlAttachment } from '../../schema/aml.ts';

const file = columnsOf(
  AmlAttachment,
  ...(['id', 'flagId', 'fileName', 'contentType', 'sizeBytes'] as const),
  ...(['sha256', 'objectKey', 'attachedBy', 'createdAt'] as const),
);
/** A file that is kept with a flag. */
export type AmlAttachmentRow = RowOf<typeof file>;

/** Notes a file that is in the store; the same id again changes nothing. */
export const attachToFlag = statement({
  name: 'attachToFlag',
  takes: {
    ...columnsOf(AmlAttachment, 'id', 'fileName', 'contentType', 'sizeBytes', 'sha256', 'objectKey'),
    ...{ flag: id<AmlFlagId>(), actor: id<UserId>() },
  },
  gives: { refusal: oneOf(['not_found', 'too_many_attachments']).nullable() },
  sql: `
    select refusal
      from aml_flag_attach($flag, $actor, $id, $fileName, $contentType, $sizeBytes, $sha256, $objectKey)`,
});

/** The files of a flag, oldest first. */
export const attachmentsOfFlag = statement({
  name: 'attachmentsOfFlag',
  takes: { flag: id<AmlFlagId>() },
  gives: file,
  sql: `select ${selectList(file, 'a')} from aml_attachments a where a.flag_id = $flag order by a.id`,
});

/** One file, if it belongs to this flag. */
export const attachmentOfFlag = statement({
  name: 'attachmentOfFlag',
  takes: { id: file.id, flag: id<AmlFlagId>() },
  gives: file,
  sql: `select ${selectList(file, 'a')} from aml_attachments a where a.id = $id and a.flag_id = $flag`,
});
