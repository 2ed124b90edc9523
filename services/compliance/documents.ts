/** Applications take documents from their customer, as long as those are asked for. */
import { admitsDocument, lockApplication } from '../../db/queries/compliance/applications.ts';
import {
  countKycDocuments,
  insertKycDocument,
  kycDocumentOf,
  type KycDocumentRow,
} from '../../db/queries/compliance/kyc-documents.ts';
import type { ApplicationKind } from '../../domain/compliance/applications.ts';
import { MAX_DOCUMENTS, type DocumentType } from '../../domain/compliance/kyc-documents.ts';
import type { ApplicationId } from '../../domain/ids.ts';
import { faultIn } from '../../domain/refusals.ts';
import type { Place } from '../uploads/place.ts';
import { applicationOf, type ApplicationRow } from './applications.ts';

/** Of what a document is about: its type, and of a company's person the name by which the form refers to them. */
export interface AboutDocument {
  readonly type: DocumentType;
  readonly person?: string | undefined;
}

type Code = 'application_closed' | 'field_locked' | 'too_many_attachments';

/** An application of the caller's own, or that of a person of their company, for a document; null if the file is there already. */
export const applicationPlace = (
  kind: ApplicationKind,
  id: ApplicationId,
  about: AboutDocument | null,
): Place<ApplicationRow, KycDocumentRow, Code> => ({
  kind: 'identity',
  async find({ db, actor }) {
    const application = await applicationOf(db, kind, id, actor.id);
    return about?.person === undefined
      ? application
      : applicationOf(db, 'kyc', personOf(application, about.person));
  },
  async lock(db, thing) {
    await lockApplication.one(db, { id: thing.id });
    return applicationOf(db, thing.kind, thing.id);
  },
  async admit({ db, refusal }, { id: application, status, endedAt }) {
    if (endedAt !== null) throw refusal('application_closed', { members: { application_status: status } });
    if (about === null) throw new Error('a file without a type belongs to no application');
    const { isAdmitted } = await admitsDocument.one(db, { id: application, type: about.type });
    if (!isAdmitted) throw refusal('field_locked', { members: { pointer: '/document_type' } });
    const { count } = await countKycDocuments.one(db, { application });
    if (count >= MAX_DOCUMENTS) throw refusal('too_many_attachments');
  },
  async tie(db, thing, uploadId) {
    if (about === null) throw new Error('a file without a type belongs to no application');
    await insertKycDocument(db, { uploadId, applicationId: thing.id, type: about.type });
  },
  file: (db, thing, uploadId) => kycDocumentOf.first(db, { applicationId: thing.id, uploadId }),
  deed: (thing, uploadId) => ({
    action: `${thing.kind}_application.document_added`,
    subject: [`${thing.kind}_application`, thing.id],
    after: { document_id: uploadId, document_type: about?.type },
  }),
});

/** The application of a person, by the name that the form gives them or by its id. */
function personOf(application: ApplicationRow, person: string): ApplicationId {
  const people = application.kind === 'kyb' ? application.people : [];
  const known =
    people.find(({ ref }) => ref === person) ?? people.find(({ application_id: id }) => id === person);
  if (known === undefined) throw faultIn('/person_id', 'unknown', 'is nobody whom the application names');
  return known.application_id;
}
