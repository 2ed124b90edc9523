/** Documents of identity checks, handed in by the person whom they are about. */
import { z } from 'zod';
import { applicationStatusOf } from '../../../db/queries/compliance/applications.ts';
import { kycDocumentOf, type KycDocumentRow } from '../../../db/queries/compliance/kyc-documents.ts';
import { ApplicationId, UploadId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../../services/callers.ts';
import { applicationPlace } from '../../../services/compliance/documents.ts';
import { attachInline, confirmAttachment } from '../../../services/uploads/handing-in.ts';
import { forUsers } from '../../declaration/operation.ts';
import { asking, attaching, confirming, permitted } from '../../uploads/declarations.ts';
import * as wire from './schemas.ts';
import { createdView } from './views.ts';

const params = z.strictObject({ id: ApplicationId });
const answer = wire.DocumentCreatedResponse;
export const LATE = ['application_closed', 'field_locked'] as const;
const refuses = [...LATE, 'too_many_attachments'] as const;

/** A file with how its application is now, which the last document moves on. Refuses what came too late to count. */
export async function created(
  { db, refusal }: Pick<OwnCall<'application_closed' | 'field_locked'>, 'db' | 'refusal'>,
  { id, applicationId }: Pick<KycDocumentRow, 'id' | 'applicationId'>,
) {
  const { status, endedAt } = await applicationStatusOf.one(db, { id: applicationId });
  const file = found(await kycDocumentOf.first(db, { applicationId, uploadId: id }));
  if (file.arrivedAt !== null) return createdView(file, status);
  if (endedAt === null) throw refusal('field_locked', { members: { pointer: '/document_type' } });
  throw refusal('application_closed', { members: { application_status: status } });
}

export const recordKycDocument = forUsers({
  id: 'recordKycDocument',
  area: 'Compliance',
  title: 'KYC document record',
  description:
    'Hands in a small document, sent inside the request: an image or a PDF. It is decoded; what is wrong with it is the `reason` of the refusal. A newer one of the same type takes its place, as long as the review has not begun.',
  path: '/v1/kyc/applications/{id}/documents',
  ...attaching({ params, answer, refuses }),
  body: wire.KYCDocumentRequest,
  async handle(request, services) {
    const { id } = request.params;
    const { document_type: type, file_name: fileName, content_type: contentType, ...body } = request.body;
    const content = Buffer.from(body.content_base64, 'base64');
    const file = await attachInline(
      request,
      applicationPlace('kyc', id, { type }),
      { fileName, contentType, content },
      services,
    );
    return created(request, file);
  },
});

export const requestKycDocumentUpload = forUsers({
  id: 'requestKycDocumentUpload',
  area: 'Compliance',
  title: 'KYC document upload URL',
  path: '/v1/kyc/applications/{id}/documents/upload-url',
  ...asking({ params, refuses }),
  body: wire.KYCDocumentUploadRequest,
  handle(request, services) {
    const { document_type: type, ...body } = request.body;
    return permitted(request, applicationPlace('kyc', request.params.id, { type }), body, services);
  },
});

export const confirmKycDocument = forUsers({
  id: 'confirmKycDocument',
  area: 'Compliance',
  title: 'KYC document confirm',
  path: '/v1/kyc/applications/{id}/documents/{document_id}/confirm',
  ...confirming({ params: params.extend({ document_id: UploadId }), answer, refuses: LATE }),
  async handle(request, services) {
    const { id, document_id: document } = request.params;
    const file = await confirmAttachment(request, applicationPlace('kyc', id, null), document, services);
    return created(request, file);
  },
});

/** In the order of the documentation. */
export const operations = [recordKycDocument, requestKycDocumentUpload, confirmKycDocument];
