/** Documents of companies and of their people, handed in by the customer. */
import { z } from 'zod';
import {
  KYB_DOCUMENT_TYPES,
  KYC_DOCUMENT_TYPES,
  type DocumentType,
} from '../../../domain/compliance/kyc-documents.ts';
import { ApplicationId, UploadId } from '../../../domain/ids.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { applicationPlace, type AboutDocument } from '../../../services/compliance/documents.ts';
import { attachInline, confirmAttachment } from '../../../services/uploads/handing-in.ts';
import { forUsers } from '../../declaration/operation.ts';
import { asking, attaching, confirming, permitted } from '../../uploads/declarations.ts';
import { created, LATE } from '../kyc/document-operations.ts';
import { DocumentCreatedResponse } from '../kyc/schemas.ts';
import * as wire from './schemas.ts';

const params = z.strictObject({ id: ApplicationId });
const answer = DocumentCreatedResponse;
const refuses = [...LATE, 'too_many_attachments'] as const;

/** Refuses invalid_request unless such a document is asked of a company, or of a person if one is named. */
function aboutOf(body: {
  readonly document_type: DocumentType;
  readonly person_id?: string | undefined;
}): AboutDocument {
  const { document_type: type, person_id: person } = body;
  const types: readonly DocumentType[] = person === undefined ? KYB_DOCUMENT_TYPES : KYC_DOCUMENT_TYPES;
  if (!types.includes(type))
    throw faultIn(
      '/document_type',
      'not_applicable',
      person === undefined
        ? 'is a document of a person: name them with person_id'
        : 'is a document of a company',
    );
  return { type, person };
}

export const recordKybDocument = forUsers({
  id: 'recordKybDocument',
  area: 'Compliance',
  title: 'KYB document record',
  description:
    'Hands in a small document of the company, or, with `person_id`, of one of its people, sent inside the request: an image or a PDF. It is decoded; what is wrong with it is the `reason` of the refusal.',
  path: '/v1/kyb/applications/{id}/documents',
  ...attaching({ params, answer, refuses }),
  body: wire.KYBDocumentRequest,
  async handle(request, services) {
    const { file_name: fileName, content_type: contentType, content_base64: encoded } = request.body;
    const content = Buffer.from(encoded, 'base64');
    const file = await attachInline(
      request,
      applicationPlace('kyb', request.params.id, aboutOf(request.body)),
      { fileName, contentType, content },
      services,
    );
    return created(request, file);
  },
});

export const requestKybDocumentUpload = forUsers({
  id: 'requestKybDocumentUpload',
  area: 'Compliance',
  title: 'KYB document upload URL',
  path: '/v1/kyb/applications/{id}/documents/upload-url',
  ...asking({ params, refuses }),
  body: wire.KYBDocumentUploadRequest,
  handle(request, services) {
    const { document_type: _type, person_id: _person, ...body } = request.body;
    const place = applicationPlace('kyb', request.params.id, aboutOf(request.body));
    return permitted(request, place, body, services);
  },
});

export const confirmKybDocument = forUsers({
  id: 'confirmKybDocument',
  area: 'Compliance',
  title: 'KYB document confirm',
  path: '/v1/kyb/applications/{id}/documents/{document_id}/confirm',
  ...confirming({ params: params.extend({ document_id: UploadId }), answer, refuses: LATE }),
  async handle(request, services) {
    const { id, document_id: document } = request.params;
    const place = applicationPlace('kyb', id, null);
    return created(request, await confirmAttachment(request, place, document, services));
  },
});

/** In the order of the documentation. */
export const operations = [recordKybDocument, requestKybDocumentUpload, confirmKybDocument];
