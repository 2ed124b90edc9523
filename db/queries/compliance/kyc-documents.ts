/** Documents of applications, and the decisions that were made by them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApplicationId, UserId } from '../../../domain/ids.ts';
import { bigCount, id, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type NewRow } from '../../rows/table-columns.ts';
import { KycDecision, KycDocument } from '../../schema/compliance.ts';
import { fileColumns } from '../uploads/uploads.ts';

const place = columnsOf(
  KycDocument,
  'applicationId',
  'type',
  'arrivedAt',
  'state',
  'code',
  'reviewedBy',
  'reviewedAt',
);
const { state: _, ...tied } = place;
const document = { ...fileColumns, ...tied, reviewState: place.state };
export type KycDocumentRow = RowOf<typeof document>;

const FILES = `
  select ${selectList(fileColumns, 'u')}, ${selectList(tied, 'd')}, d.state as review_state
    from kyc_documents d join uploads u on u.id = d.upload_id`;

/** The files of an application that are stored, in their order. */
export const kycDocumentsOf = statement({
  name: 'kycDocumentsOf',
  takes: { application: place.applicationId },
  gives: document,
  sql: `${FILES} where d.application_id = $application and u.status = 'confirmed' order by d.upload_id`,
});

/** One file, if it belongs to this application, or to that of one of its people, perhaps taken over. */
export const kycDocumentOf = statement({
  name: 'kycDocumentOf',
  takes: columnsOf(KycDocument, 'applicationId', 'uploadId'),
  gives: document,
  sql: `
    ${FILES} join kyc_applications a on a.id = d.application_id
     where d.upload_id = $uploadId and ($applicationId in (a.id, a.kyb_application_id)
       or exists (select from kyc_applications k where k.id = $applicationId and a.id = any (k.people_kept)))`,
});

/** How many files an application has, including those that are still expected. */
export const countKycDocuments = statement({
  name: 'countKycDocuments',
  takes: { application: place.applicationId },
  gives: { count: bigCount() },
  sql: `
    select count(*) from kyc_documents d join uploads u on u.id = d.upload_id
     where d.application_id = $application and u.status in ('pending', 'confirmed')`,
});

/** Ties an upload to an application. */
export async function insertKycDocument(
  db: EntityManager,
  document: Pick<NewRow<typeof KycDocument>, 'uploadId' | 'applicationId' | 'type'>,
): Promise<void> {
  await query(db).insertInto('kyc_documents').values(document).execute();
}

/** Accepts or rejects a document, or says why not. */
export const reviewKycDocument = statement({
  name: 'reviewKycDocument',
  takes: {
    ...{ application: id<ApplicationId>(), document: id(), by: id<UserId>() },
    ...{ verdict: oneOf(['accepted', 'rejected']), code: text().nullable() },
  },
  gives: { refusal: oneOf(['not_found', 'already_decided', 'same_person']).nullable() },
  sql: 'select kyc_document_review($application, $document, $by, $verdict, $code) as refusal',
});

/** Files of other customers with the same content as one of this application. */
export const sharedKycDocuments = statement({
  name: 'sharedKycDocuments',
  takes: { application: place.applicationId },
  gives: { document: id() },
  sql: `
    select distinct u.id as document
      from kyc_documents d join uploads u on u.id = d.upload_id and u.status = 'confirmed'
      join uploads o on o.sha256 = u.sha256 and o.status = 'confirmed' and o.uploader_id <> u.uploader_id
      join kyc_documents x on x.upload_id = o.id
     where d.application_id = $application order by u.id`,
});

const decision = columnsOf(
  KycDecision,
  ...(['id', 'round', 'kind', 'stands', 'decidedBy', 'decidedAt', 'note', 'message', 'code'] as const),
  ...(['final', 'items'] as const),
);
export type KycDecisionRow = RowOf<typeof decision>;

/** What was decided about an application, oldest first. */
export const kycDecisionsOf = statement({
  name: 'kycDecisionsOf',
  takes: { application: place.applicationId },
  gives: decision,
  sql: `
    select ${selectList(decision, 'd')} from kyc_decisions d where d.application_id = $application order by d.id`,
});
