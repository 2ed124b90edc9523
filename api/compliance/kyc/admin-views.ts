/** Identity checks as the back office sees them. */
import type { z } from 'zod';
import type { Storage } from '../../../adapters/storage.ts';
import type { ListedApplication } from '../../../db/queries/compliance/applications.ts';
import type { KycDocumentRow } from '../../../db/queries/compliance/kyc-documents.ts';
import type { KycApplicationRow } from '../../../db/queries/compliance/kyc.ts';
import type { RequestedChange } from '../../../domain/compliance/applications.ts';
import type { ApplicantForm } from '../../../domain/compliance/kyc.ts';
import { DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import { checkMrz } from '../../../domain/compliance/mrz.ts';
import { isFinalReason, REVIEW_REASON_CODES } from '../../../domain/compliance/reasons.ts';
import { UploadId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { machineNow, now } from '../../../domain/time/now.ts';
import { DOWNLOAD_SECONDS } from '../../../domain/uploads.ts';
import type { ApplicationRow } from '../../../services/compliance/applications.ts';
import type { Case } from '../../../services/compliance/review.ts';
import { withViewingLink } from '../../uploads/views.ts';
import { viewOf } from '../../wire/rows.ts';
import type { CountResponse } from '../../wire/shapes.ts';
import * as wire from './admin-schemas.ts';

/** An application in the list. */
export const listedView: (row: Omit<ListedApplication, 'legalName'>) => z.output<typeof wire.KYCApplication> =
  viewOf(wire.KYCApplication);

/** How many there are, in all and by status. */
export function countedView(
  counted: readonly { readonly status: string; readonly count: number }[],
): z.output<typeof CountResponse> {
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    by_status: Object.fromEntries(counted.map(({ status, count }) => [status, count])),
  };
}

/** The decision in a request. A rejection without a code is for another reason; whether it is final, the code says. */
export function verdictOf({ reason, note = reason, ...said }: z.output<typeof wire.KYCReviewRequest>) {
  const { code = 'other', final = isFinalReason(code) } = said;
  return { ...said, ...(said.decision === 'reject' ? { code, final } : {}), note: note ?? null };
}

const codeOf = (code: string | null) => REVIEW_REASON_CODES.find((known) => known === code) ?? null;

/** An application of a person with all that a reviewer goes by. */
export function caseView(seen: Case<KycApplicationRow>): z.output<typeof wire.KYCApplicationDetail> {
  const { form, ...row } = seen.application;
  return {
    ...listedView({ ...row, country: form.address?.country ?? null }),
    ...reviewedView(seen),
    signals: [
      ...(form.pep_declared === true
        ? [{ code: 'pep_declared', detail: 'This person says that they are politically exposed.' }]
        : []),
      ...(row.differences.length > 0
        ? [
            {
              code: 'profile_differs',
              detail: `The profile differs from the form in ${row.differences.join(', ')}.`,
            },
          ]
        : []),
      ...doublesIn(seen),
    ],
    form: formView(form),
    grants: row.grants,
    mrz_check: zoneView(form.document?.mrz, form),
  };
}

/** What a reviewer sees of every application. */
export function reviewedView({ application: row, files, decisions }: Case<ApplicationRow>) {
  const { firstBy, firstAt, decision, decidedBy: by, decidedAt: at } = row;
  const isDecided = decision !== null && by !== null && at !== null;
  return {
    risk: row.risk,
    required_documents: row.documents
      .filter((document) => document.is_required)
      .map(({ document_type, state, document_id: id, code }) => ({
        ...{ document_type, state, document_id: id === null ? null : UploadId.parse(id) },
        code: codeOf(code),
      })),
    documents: files.map((file) => fileView(file, row)),
    decision: isDecided ? { kind: decision, by, at, state: 'done' as const } : null,
    second_review:
      row.status === 'in_review' && firstBy !== null && firstAt !== null
        ? { first_by: firstBy, first_at: firstAt }
        : null,
    ...{ code: codeOf(row.code), final: row.final, retry_at: row.retryAt, message: row.message },
    renewal_reason: row.renewalReason,
    changes: row.items.map(itemView),
    reviews: decisions.map(({ kind, items, code, ...made }) => ({
      ...{ id: made.id, round: made.round, decision: kind, stands: made.stands },
      ...{ decided_by: made.decidedBy, decided_at: made.decidedAt, note: made.note },
      ...{ message: made.message, code: codeOf(code), final: made.final, items: items.map(itemView) },
    })),
  };
}

/** A signal for each file that another customer has handed in too. */
export function doublesIn({ files, shared }: Pick<Case<ApplicationRow>, 'files' | 'shared'>) {
  return files
    .filter(({ id }) => shared.has(id))
    .map(({ type, id }) => ({
      code: 'duplicate_document',
      detail: `Another customer has handed in the same file as ${type} ${id}.`,
    }));
}

/** Where a document can be looked at. */
export function linkView(file: KycDocumentRow, storage: Storage): z.output<typeof wire.DocumentLinkResponse> {
  return {
    document_id: file.id,
    // the customer may have named the file after themselves, and addresses stand in logs
    url: found(withViewingLink({ ...file, fileName: `${file.type}.pdf` }, storage).viewUrl),
    expires_at: new Date(machineNow().getTime() + DOWNLOAD_SECONDS * 1_000),
  };
}

/** What the machine-readable zone says beside what the form says; null if one of them says nothing. */
export function zoneView(
  lines: readonly string[] | undefined,
  { document, ...form }: ApplicantForm,
): z.output<typeof wire.MRZCheck> | null {
  if (lines === undefined || document === undefined) return null;
  const { valid, fields } = checkMrz(lines, { ...form, document }, now());
  return { valid, fields: fields.map((field) => ({ ...field })) };
}

/** What is said of a person, in lists of its own. */
export function formView({ nationalities, tax_residencies: taxes, document, ...form }: ApplicantForm) {
  return {
    ...form,
    nationalities: [...nationalities],
    ...(taxes === undefined ? {} : { tax_residencies: taxes.map((each) => ({ ...each })) }),
    ...(document === undefined ? {} : { document: { ...document, mrz: document.mrz && [...document.mrz] } }),
  };
}

function fileView(file: KycDocumentRow, { documents }: ApplicationRow): z.output<typeof wire.KYCDocument> {
  const counted = documents.find(({ document_id: id }) => id === file.id);
  return {
    ...{ document_id: file.id, document_type: file.type, state: counted?.state ?? file.reviewState },
    ...{ code: codeOf(file.code), counts: counted !== undefined },
    ...{ file_name: file.fileName, content_type: file.contentType, size_bytes: file.sizeBytes },
    ...{ sha256: file.sha256?.toString('hex') ?? null, created_at: file.createdAt },
    ...{ reviewed_by: file.reviewedBy, reviewed_at: file.reviewedAt },
  };
}

function itemView({ field, document_id: id, document_type, code, note }: RequestedChange) {
  return {
    field: field ?? null,
    document_id: id === undefined ? null : UploadId.parse(id),
    document_type: DOCUMENT_TYPES.find((type) => type === document_type) ?? null,
    ...{ code: codeOf(code) ?? 'other', note: note ?? null },
  };
}
