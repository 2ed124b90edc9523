/** Identity checks as the back office sees them. */
import type { z } from 'zod';
import type { KycDocumentRow } from '../../../db/queries/compliance/kyc-documents.ts';
import type { KycApplicationRow, ListedKycApplication } from '../../../db/queries/compliance/kyc.ts';
import type { KycForm, RequestedChange } from '../../../domain/compliance/kyc.ts';
import { KYC_DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import { checkMrz } from '../../../domain/compliance/mrz.ts';
import { REVIEW_REASON_CODES } from '../../../domain/compliance/reasons.ts';
import { UploadId } from '../../../domain/ids.ts';
import { now } from '../../../domain/time/now.ts';
import type { KycCase } from '../../../services/compliance/kyc-review.ts';
import { viewOf } from '../../wire/rows.ts';
import type { KYCSubmitRequest } from './form-schemas.ts';
import * as wire from './admin-schemas.ts';

/** An application in the list. */
export const listedView: (row: ListedKycApplication) => z.output<typeof wire.KYCApplication> = viewOf(
  wire.KYCApplication,
);

const codeOf = (code: string | null) => REVIEW_REASON_CODES.find((known) => known === code) ?? null;

/** An application with all that a reviewer goes by. */
export function caseView(seen: KycCase): z.output<typeof wire.KYCApplicationDetail> {
  const { application: row, files, decisions } = seen;
  const { firstBy, firstAt, decision, decidedBy: by, decidedAt: at, form } = row;
  const isDecided = decision !== null && by !== null && at !== null;
  return {
    ...listedView({ ...row, country: form.address.country }),
    form: formView(form),
    grants: row.grants,
    required_documents: row.documents
      .filter((document) => document.is_required)
      .map(({ document_type, state, document_id: id, code }) => ({
        ...{ document_type, state, document_id: id === null ? null : UploadId.parse(id) },
        code: codeOf(code),
      })),
    documents: files.map((file) => fileView(file, row)),
    mrz_check: form.document.mrz === undefined ? null : zoneView(form.document.mrz, form),
    signals: signalsOf(seen),
    decision: isDecided ? { kind: decision, by, at, state: 'done' } : null,
    second_review:
      row.status === 'in_review' && firstBy !== null && firstAt !== null
        ? { first_by: firstBy, first_at: firstAt }
        : null,
    ...{ code: codeOf(row.code), final: row.final, retry_at: row.retryAt, message: row.message },
    changes: row.items.map(itemView),
    reviews: decisions.map(({ kind, items, code, ...made }) => ({
      ...{ id: made.id, round: made.round, decision: kind, stands: made.stands },
      ...{ decided_by: made.decidedBy, decided_at: made.decidedAt, note: made.note },
      ...{ message: made.message, code: codeOf(code), final: made.final, items: items.map(itemView) },
    })),
  };
}

/** What the machine-readable zone says beside what the form says. */
export function zoneView(lines: readonly string[], form: KycForm): z.output<typeof wire.MRZCheck> {
  const { valid, fields } = checkMrz(lines, form, now());
  return { valid, fields: fields.map((field) => ({ ...field })) };
}

function formView({
  nationalities,
  tax_residencies: taxes,
  document,
  ...form
}: KycForm): z.output<typeof KYCSubmitRequest> {
  return {
    ...form,
    nationalities: [...nationalities],
    tax_residencies: taxes.map((each) => ({ ...each })),
    document: { ...document, mrz: document.mrz && [...document.mrz] },
  };
}

function fileView(file: KycDocumentRow, { documents }: KycApplicationRow): z.output<typeof wire.KYCDocument> {
  return {
    ...{ document_id: file.id, document_type: file.type, state: file.reviewState, code: codeOf(file.code) },
    counts: documents.some(({ document_id: id }) => id === file.id),
    ...{ file_name: file.fileName, content_type: file.contentType, size_bytes: file.sizeBytes },
    ...{ sha256: file.sha256?.toString('hex') ?? null, created_at: file.createdAt },
    ...{ reviewed_by: file.reviewedBy, reviewed_at: file.reviewedAt },
  };
}

function itemView({ field, document_id: id, document_type, code, note }: RequestedChange) {
  return {
    field: field ?? null,
    document_id: id === undefined ? null : UploadId.parse(id),
    document_type: KYC_DOCUMENT_TYPES.find((type) => type === document_type) ?? null,
    ...{ code: codeOf(code) ?? 'other', note: note ?? null },
  };
}

function signalsOf({ application, files, shared }: KycCase) {
  const doubles = files.filter(({ id }) => shared.has(id));
  return [
    ...(application.form.pep_declared
      ? [{ code: 'pep_declared', detail: 'The customer says that they are politically exposed.' }]
      : []),
    ...doubles.map(({ type, id }) => ({
      code: 'duplicate_document',
      detail: `Another customer has handed in the same file as ${type} ${id}.`,
    })),
  ];
}
