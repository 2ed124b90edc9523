/** Identity checks put straight into the books. */
import { randomBytes, randomUUID } from 'node:crypto';
import { newUuid } from '../../../adapters/new-id.ts';
import { reviewKycDocument } from '../../../db/queries/compliance/kyc-documents.ts';
import { decideApplication, type Verdict } from '../../../db/queries/compliance/applications.ts';
import { kycApplicationOf, submitKyc, type KycApplicationRow } from '../../../db/queries/compliance/kyc.ts';
import { transaction } from '../../../db/transaction.ts';
import type { ReviewDecision } from '../../../domain/compliance/applications.ts';
import type { DocumentType } from '../../../domain/compliance/kyc-documents.ts';
import type { KycForm } from '../../../domain/compliance/kyc.ts';
import { ApplicationId, UploadId, type UserId } from '../../../domain/ids.ts';
import { carryApplicationOn } from '../../../services/compliance/life.ts';
import type { Books } from './books.ts';
import { KYC_DOCUMENTS, KYC_FORM } from './kyc.ts';

export const DAYS = { document: 30, changes: 14, retry: 7 } as const;

export interface KycWish {
  readonly form?: KycForm;
  readonly grants?: 1 | 2;
  /** What a high risk needs besides. */
  readonly enhanced?: readonly DocumentType[];
}

/** Submits a form; answers the application there is then, with why not. */
export async function submitTo(
  books: Books,
  user: UserId,
  { form = KYC_FORM, grants = 1, enhanced = [] }: KycWish = {},
) {
  const id = ApplicationId.parse(newUuid());
  return submitKyc.one(books.em(), {
    ...{ id, user, form, grants, required: KYC_DOCUMENTS, enhanced, documentDays: DAYS.document },
  });
}

/** Hands a document in that is confirmed at once. */
export async function handInTo(
  books: Books,
  { id, userId }: Pick<KycApplicationRow, 'id' | 'userId'>,
  type: string,
): Promise<UploadId> {
  const upload = UploadId.parse(randomUUID());
  await books.asOwner(
    `insert into uploads (id, uploader_id, file_name, content_type, object_key, expires_at)
     values ($1, $2, 'x.pdf', 'application/pdf', $3, now() + interval '1 hour')`,
    [upload, userId, `uploads/${upload}`],
  );
  await books.asOwner('insert into kyc_documents (upload_id, application_id, type) values ($1, $2, $3)', [
    ...[upload, id, type],
  ]);
  await books.asOwner(
    `update uploads set status = 'confirmed', size_bytes = 10, sha256 = $2, finished_at = now() where id = $1`,
    [upload, randomBytes(32)],
  );
  return upload;
}

export const applicationOf = (books: Books, id: ApplicationId): Promise<KycApplicationRow> =>
  kycApplicationOf.one(books.em(), { id, owner: null });

/** What its process does with an application when it is woken. */
export const carryOn = (books: Books, id: ApplicationId) =>
  transaction(books.em(), (tx) => carryApplicationOn(tx, id));

/** How far a person is. */
export const personOf = async (books: Books, id: UserId) =>
  (await books.asOwner('select kyc_status as status, kyc_level as level from users where id = $1', [id]))[0];

/** Somebody whose application has all its documents. */
export async function inReview(
  books: Books,
  wish: KycWish = {},
  person?: UserId,
): Promise<KycApplicationRow> {
  const user = person ?? (await books.user());
  const { application } = await submitTo(books, user, wish);
  const id = ApplicationId.parse(application);
  for (const type of KYC_DOCUMENTS) await handInTo(books, { id, userId: user }, type);
  return applicationOf(books, id);
}

const documentsOf = async (books: Books, id: ApplicationId): Promise<readonly UploadId[]> => {
  const files = await books.asOwner(
    `select s.document_id from kyc_applications a, kyc_document_states(a) s
      where a.id = $1 and s.document_id is not null`,
    [id],
  );
  return files.map((file) => UploadId.parse(file['document_id']));
};

/** Accepts each document that counts. */
export async function acceptDocuments(books: Books, by: UserId, id: ApplicationId): Promise<void> {
  for (const document of await documentsOf(books, id))
    await reviewKycDocument.one(books.em(), {
      ...{ application: id, document, by, verdict: 'accepted' as const, code: null },
    });
}

/** Rejects the first document that counts. */
export async function declineDocument(books: Books, by: UserId, id: ApplicationId): Promise<void> {
  const [document] = await documentsOf(books, id);
  if (document !== undefined)
    await reviewKycDocument.one(books.em(), {
      ...{ application: id, document, by, verdict: 'rejected' as const, code: 'document_cropped' },
    });
}

/** Somebody whose application is approved, by the second of two reviewers as well if that takes two. */
export async function approvedBy(
  books: Books,
  [first, second]: readonly [UserId, UserId],
  wish: KycWish = {},
  person?: UserId,
): Promise<KycApplicationRow> {
  const { id } = await inReview(books, wish, person);
  await acceptDocuments(books, first, id);
  const { needsSecond } = await decideFor(books, first, id, 'approve');
  if (needsSecond) await decideFor(books, second, id, 'approve');
  return applicationOf(books, id);
}

export const decideFor = (
  books: Books,
  by: UserId,
  id: ApplicationId,
  wanted: ReviewDecision,
  said: Verdict = { note: null },
) =>
  decideApplication.one(books.em(), {
    ...{ id, by, wanted, said, decision: randomUUID() },
    ...{ retryDays: DAYS.retry, changesDays: DAYS.changes, mostRounds: 5 },
  });
