/** Documents of identity checks, handed in by the person whom they are about. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { KycDocumentRow } from '../../../db/queries/compliance/kyc-documents.ts';
import { kycApplicationOf } from '../../../db/queries/compliance/kyc.ts';
import { KycApplicationId, UploadId } from '../../../domain/ids.ts';
import { kycPlace } from '../../../services/compliance/kyc-documents.ts';
import { attachInline, confirmAttachment } from '../../../services/uploads/handing-in.ts';
import { forUsers } from '../../declaration/operation.ts';
import { asking, attaching, confirming, permitted } from '../../uploads/declarations.ts';
import * as wire from './schemas.ts';
import { createdView } from './views.ts';

const params = z.strictObject({ id: KycApplicationId });
const answer = wire.DocumentCreatedResponse;
const refuses = ['application_closed', 'field_locked', 'too_many_attachments'] as const;

async function created(db: EntityManager, id: KycApplicationId, file: KycDocumentRow) {
  // read anew: the document may have been the last one
  const { status } = await kycApplicationOf.one(db, { id, owner: null });
  return createdView(file, status);
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
      kycPlace(id, type),
      { fileName, contentType, content },
      services,
    );
    return created(request.db, id, file);
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
    return permitted(request, kycPlace(request.params.id, type), body, services);
  },
});

export const confirmKycDocument = forUsers({
  id: 'confirmKycDocument',
  area: 'Compliance',
  title: 'KYC document confirm',
  path: '/v1/kyc/applications/{id}/documents/{document_id}/confirm',
  ...confirming({ params: params.extend({ document_id: UploadId }), answer }),
  async handle(request, services) {
    const { id, document_id: document } = request.params;
    const file = await confirmAttachment(request, kycPlace(id, null), document, services);
    return created(request.db, id, file);
  },
});

/** In the order of the documentation. */
export const operations = [recordKycDocument, requestKycDocumentUpload, confirmKycDocument];
