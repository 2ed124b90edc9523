/** Files on flags: evidence that reviewers keep, each look at it in the audit log. */
import { createHash } from 'node:crypto';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import { attachmentOfFlag, attachToFlag, type AmlAttachmentRow } from '../../db/queries/aml/attachments.ts';
import { amlFlagById } from '../../db/queries/aml/flags.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { AmlAttachmentId, AmlFlagId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { isContentType, MAX_INLINE_BYTES } from '../../domain/uploads.ts';
import type { AdminCall } from '../callers.ts';
import type { Services } from '../services.ts';

type Attaching = AdminCall<'unsupported_file_type' | 'upload_rejected' | 'too_many_attachments'>;

/** A file as it is handed in. */
export interface HandedIn {
  /** A repeat has the same one, and then writes the same bytes to the same place. */
  readonly id: AmlAttachmentId;
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Keeps a file with a flag. It is stored first: what is noted is there. */
export async function keepWithFlag(
  call: Attaching,
  flag: AmlFlagId,
  { id, fileName, contentType, content }: HandedIn,
  { storage }: Pick<Services, 'storage'>,
): Promise<AmlAttachmentRow> {
  const { db, actor, refusal } = call;
  found(await amlFlagById.first(db, { id: flag }));
  if (!isContentType(contentType)) throw refusal('unsupported_file_type');
  const isRight =
    content.length > 0 &&
    content.length <= MAX_INLINE_BYTES &&
    (await isOfType(content.subarray(0, HEAD_BYTES), contentType));
  if (!isRight) throw refusal('upload_rejected');
  const objectKey = `cases/${id}`;
  await storage.put(objectKey, content, contentType);
  const sha256 = createHash('sha256').update(content).digest();
  return transaction(db, async (tx) => {
    const sizeBytes = content.length;
    const kept = await attachToFlag.one(tx, {
      ...{ id, flag, actor: actor.id, fileName, contentType, sizeBytes, sha256, objectKey },
    });
    if (kept.refusal !== null) throw refusal(kept.refusal);
    await record(tx, actor, {
      action: 'aml_flag.attached',
      subject: ['aml_flag', flag],
      after: { attachment_id: id, sha256: sha256.toString('hex') },
    });
    return attachmentOfFlag.one(tx, { id, flag });
  });
}

/** A file of a flag, for somebody who looks at it, which is written down. */
export async function lookAtFile(
  { db, actor }: Pick<AdminCall, 'db' | 'actor'>,
  flag: AmlFlagId,
  id: AmlAttachmentId,
): Promise<AmlAttachmentRow> {
  const file = found(await attachmentOfFlag.first(db, { id, flag }));
  await record(db, actor, {
    action: 'aml_flag.attachment_read',
    subject: ['aml_flag', flag],
    after: { attachment_id: id },
  });
  return file;
}
