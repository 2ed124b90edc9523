/** Files on flags of the money-laundering watch. */
import { z } from 'zod';
import { amlFlagById } from '../../db/queries/aml/flags.ts';
import { attachmentsOfFlag, type AmlAttachmentRow } from '../../db/queries/aml/attachments.ts';
import { AmlAttachmentId, AmlFlagId, UserId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { DOWNLOAD_SECONDS } from '../../domain/uploads.ts';
import { keepWithFlag, lookAtFile } from '../../services/aml/attachments.ts';
import { forAdmins } from '../declaration/operation.ts';
import { INLINE_BODY_BYTES } from '../uploads/declarations.ts';
import { AttachRequest } from '../uploads/schemas.ts';
import { named } from '../wire/naming.ts';
import { viewOf } from '../wire/rows.ts';
import { Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const AMLAttachment = named(
  'AMLAttachment',
  z.strictObject({
    id: AmlAttachmentId,
    flag_id: AmlFlagId,
    file_name: z.string(),
    content_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string().describe('Hexadecimal.'),
    attached_by: UserId,
    created_at: Timestamp,
    download_url: z
      .url()
      .nullable()
      .describe('Works for ten minutes; null unless one file is asked for, which the audit log keeps.'),
  }),
  {
    ...{ id: EXAMPLE_ID, flag_id: EXAMPLE_ID, file_name: 'invoice.pdf', content_type: 'application/pdf' },
    ...{ size_bytes: 1200, sha256: 'ab'.repeat(32), attached_by: EXAMPLE_ID },
    ...{ created_at: '2026-03-01T09:30:00.000Z', download_url: null },
  },
);
const AMLAttachmentList = named('AMLAttachmentList', z.strictObject({ items: z.array(AMLAttachment) }), {
  items: [],
});

const view = viewOf(AMLAttachment);
const attachmentView = (row: AmlAttachmentRow, downloadUrl: string | null) =>
  view({ ...row, sha256: row.sha256.toString('hex'), downloadUrl });

export const attachToAmlFlag = forAdmins({
  id: 'attachToAmlFlag',
  area: 'Admin AML',
  title: 'Attach to AML flag',
  description:
    'Keeps a small file, sent inside the request, with a flag, also after the flag is resolved. A flag takes fifty.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/aml/flags/{id}/attachments',
  effect: 'own_transactions',
  permission: 'aml:review',
  params: z.strictObject({ id: AmlFlagId }),
  body: AttachRequest,
  bodyLimit: INLINE_BODY_BYTES,
  throttle: { points: 60, seconds: 3_600, per: 'user' },
  status: 201,
  answer: AMLAttachment,
  refuses: ['unsupported_file_type', 'upload_rejected', 'too_many_attachments'],
  beyond: true,
  async handle(request, services) {
    const { file_name: fileName, content_type: contentType, content_base64 } = request.body;
    const content = Buffer.from(content_base64, 'base64');
    const file = { id: AmlAttachmentId.parse(request.newId), fileName, contentType, content };
    return attachmentView(await keepWithFlag(request, request.params.id, file, services), null);
  },
});

export const listAmlAttachments = forAdmins({
  id: 'listAmlAttachments',
  area: 'Admin AML',
  title: 'List attachments of AML flag',
  description: 'The files of a flag, oldest first.',
  method: 'GET',
  path: '/v1/admin/aml/flags/{id}/attachments',
  effect: 'read',
  permission: 'aml:review',
  params: z.strictObject({ id: AmlFlagId }),
  status: 200,
  answer: AMLAttachmentList,
  refuses: [],
  beyond: true,
  async handle({ params: { id: flag }, db }) {
    found(await amlFlagById.first(db, { id: flag }));
    const files = await attachmentsOfFlag.all(db, { flag });
    return { items: files.map((file) => attachmentView(file, null)) };
  },
});

export const getAmlAttachment = forAdmins({
  id: 'getAmlAttachment',
  area: 'Admin AML',
  title: 'Get attachment of AML flag',
  description: 'One file of a flag with a link to download it. The audit log keeps who has asked.',
  method: 'GET',
  path: '/v1/admin/aml/flags/{id}/attachments/{attachment_id}',
  effect: 'read',
  permission: 'aml:review',
  params: z.strictObject({ id: AmlFlagId, attachment_id: AmlAttachmentId }),
  status: 200,
  answer: AMLAttachment,
  refuses: [],
  beyond: true,
  async handle(request, { storage }) {
    const { id: flag, attachment_id: id } = request.params;
    const file = await lookAtFile(request, flag, id);
    const { objectKey: key, fileName, contentType } = file;
    const link = { key, fileName, contentType, expiresInSeconds: DOWNLOAD_SECONDS };
    return attachmentView(file, storage.presignGet(link));
  },
});

/** In the order of the documentation. */
export const operations = [attachToAmlFlag, listAmlAttachments, getAmlAttachment];
