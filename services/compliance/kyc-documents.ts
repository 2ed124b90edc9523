/** Identity checks take documents from the person whom they are about, as long as those are asked for. */
import {
  countKycDocuments,
  insertKycDocument,
  kycDocumentOf,
  type KycDocumentRow,
} from '../../db/queries/compliance/kyc-documents.ts';
import {
  kycApplicationOf,
  lockKycApplication,
  type KycApplicationRow,
} from '../../db/queries/compliance/kyc.ts';
import type { ApplicationStatus } from '../../domain/compliance/kyc.ts';
import { MAX_DOCUMENTS, type KycDocumentType } from '../../domain/compliance/kyc-documents.ts';
import type { KycApplicationId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { Place } from '../uploads/place.ts';

/** An application of the caller's own, for a document of this type; null if the file is there already. */
export const kycPlace = (
  id: KycApplicationId,
  type: KycDocumentType | null,
): Place<
  KycApplicationRow,
  KycDocumentRow,
  'application_closed' | 'field_locked' | 'too_many_attachments'
> => ({
  kind: 'identity',
  find: async ({ db, actor }) => found(await kycApplicationOf.first(db, { id, owner: actor.id })),
  async lock(db) {
    await lockKycApplication.one(db, { id });
    return kycApplicationOf.one(db, { id, owner: null });
  },
  async admit({ db, refusal }, { status, items, documents }) {
    if (!isOpen(status)) throw refusal('application_closed', { members: { application_status: status } });
    const isAsked =
      items.some((item) => item.document_type === type) ||
      documents.some((document) => document.document_type === type && document.state === 'rejected');
    // a change of the identity document may bring another type of document with it
    const isOther = items.some((item) => item.field?.startsWith('/document') === true);
    if (status === 'in_review' || (status === 'changes_requested' && !isAsked && !isOther))
      throw refusal('field_locked', { members: { pointer: '/document_type' } });
    const { count } = await countKycDocuments.one(db, { application: id });
    if (count >= MAX_DOCUMENTS) throw refusal('too_many_attachments');
  },
  async tie(db, _thing, uploadId) {
    if (type === null) throw new Error('a file without a type belongs to no identity check');
    await insertKycDocument(db, { uploadId, applicationId: id, type });
  },
  file: (db, _thing, uploadId) => kycDocumentOf.first(db, { applicationId: id, uploadId }),
  deed: (_thing, uploadId) => ({
    action: 'kyc_application.document_added',
    subject: ['kyc_application', id],
    after: { document_id: uploadId, document_type: type },
  }),
});

function isOpen(status: ApplicationStatus): boolean {
  return status === 'submitted' || status === 'in_review' || status === 'changes_requested';
}
