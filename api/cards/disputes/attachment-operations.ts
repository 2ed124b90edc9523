/** Files on disputes: evidence of their holders, which the back office reads. */
import { z } from 'zod';
import { disputeFiles, type DisputeFileRow } from '../../../db/queries/cards/dispute-attachments.ts';
import { disputeOf } from '../../../db/queries/cards/disputes.ts';
import type { Storage } from '../../../adapters/storage.ts';
import { CardDisputeId, UploadId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { disputePlace } from '../../../services/cards/dispute-attachments.ts';
import { confirmAttachment } from '../../../services/uploads/handing-in.ts';
import { forAdmins, forUsers } from '../../declaration/operation.ts';
import { asking, attached, attaching, confirming, permitted } from '../../uploads/declarations.ts';
import { withLink } from '../../uploads/views.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const params = z.strictObject({ id: CardDisputeId });
const answer = wire.CardDisputeAttachment;
const refuses = ['dispute_closed', 'too_many_attachments'] as const;

const view = viewOf(answer);
const fileView = (row: DisputeFileRow, storage: Storage) => view(withLink(row, storage));

export const attachToCardDispute = forUsers({
  id: 'attachToCardDispute',
  area: 'Finance',
  title: 'Attach to card dispute',
  description:
    'Attaches a small file, sent inside the request, to a dispute that has not ended. It takes twenty.',
  path: '/v1/card-disputes/{id}/attachments',
  ...attaching({ params, answer, refuses }),
  beyond: true,
  handle: (request, services) =>
    attached(request, disputePlace(request.params.id), request.body, services, fileView),
});

export const requestCardDisputeUpload = forUsers({
  id: 'requestCardDisputeUpload',
  area: 'Finance',
  title: 'Card dispute upload URL',
  path: '/v1/card-disputes/{id}/attachments/upload-url',
  ...asking({ params, refuses }),
  beyond: true,
  handle: (request, services) => permitted(request, disputePlace(request.params.id), request.body, services),
});

export const confirmCardDisputeUpload = forUsers({
  id: 'confirmCardDisputeUpload',
  area: 'Finance',
  title: 'Card dispute attachment confirm',
  path: '/v1/card-disputes/{id}/attachments/{attachment_id}/confirm',
  ...confirming({ params: params.extend({ attachment_id: UploadId }), answer }),
  beyond: true,
  async handle(request, services) {
    const { id, attachment_id } = request.params;
    const file = await confirmAttachment(request, disputePlace(id), attachment_id, services);
    return fileView(file, services.storage);
  },
});

const listing = {
  method: 'GET',
  effect: 'read',
  params,
  status: 200,
  answer: wire.CardDisputeAttachmentList,
  refuses: [],
  beyond: true,
} as const;

export const listCardDisputeAttachments = forUsers({
  id: 'listCardDisputeAttachments',
  area: 'Finance',
  title: 'List attachments of card dispute',
  description: 'The files of one of the caller’s disputes, oldest first.',
  path: '/v1/card-disputes/{id}/attachments',
  ...listing,
  async handle({ caller, params: { id }, db }, { storage }) {
    found(await disputeOf.first(db, { id, owner: caller.id }));
    const files = await disputeFiles.all(db, { disputeId: id });
    return { items: files.map((file) => fileView(file, storage)) };
  },
});

export const listCardDisputeAttachmentsAsAdmin = forAdmins({
  id: 'listCardDisputeAttachmentsAsAdmin',
  area: 'Admin finance',
  title: 'List attachments of card dispute (admin)',
  description: 'The files of a dispute, oldest first.',
  path: '/v1/admin/card-disputes/{id}/attachments',
  permission: 'cards:read',
  ...listing,
  async handle({ params: { id }, db }, { storage }) {
    found(await disputeOf.first(db, { id, owner: null }));
    const files = await disputeFiles.all(db, { disputeId: id });
    return { items: files.map((file) => fileView(file, storage)) };
  },
});

/** In the order of the documentation. */
export const operations = [
  attachToCardDispute,
  listCardDisputeAttachments,
  requestCardDisputeUpload,
  confirmCardDisputeUpload,
];
export const adminOperations = [listCardDisputeAttachmentsAsAdmin];
