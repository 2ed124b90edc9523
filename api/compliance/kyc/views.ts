/** Identity checks as their person sees them. */
import type { z } from 'zod';
import type { KycDocumentRow } from '../../../db/queries/compliance/kyc-documents.ts';
import type { KycApplicationRow, KycStanding } from '../../../db/queries/compliance/kyc.ts';
import type { RequestedChange } from '../../../domain/compliance/applications.ts';
import { KYC_FIELDS, type KycDraft } from '../../../domain/compliance/kyc.ts';
import { DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import { changeInstruction, instructionOf, shownReason } from '../../../domain/compliance/reasons.ts';
import { ApplicationId, UploadId } from '../../../domain/ids.ts';
import { languageOf, type Language } from '../../../domain/notifications/messages.ts';
import { viewOf } from '../../wire/rows.ts';
import type { ApplicationRow } from '../../../services/compliance/applications.ts';
import * as wire from './schemas.ts';

/** An application as its submission answers it. */
export function submittedView(
  row: KycApplicationRow,
  locale: string,
): z.output<typeof wire.KYCSubmitResponse> {
  return {
    ...{ id: row.id, status: row.status, round: row.round },
    required_documents: requiredView(row, languageOf(locale)),
    ...{ due_at: row.dueAt, submitted_at: row.submittedAt },
  };
}

/** How far a person's identity is known, and what they have to do. What reviewers write for each other is left out. */
export function statusView(
  standing: KycStanding,
  row: KycApplicationRow | undefined,
  locale: string,
): z.output<typeof wire.KYCStatusResponse> {
  const { kycStatus: status, kycLevel: level, levelInUse } = standing;
  const language = languageOf(locale);
  const isAsked = row?.status === 'changes_requested';
  const code = row?.status === 'rejected' ? (row.code ?? 'other') : null;
  return {
    ...{ status, level, application_id: row?.id ?? null, round: row?.round ?? null },
    required_documents: row === undefined ? [] : requiredView(row, language),
    changes: isAsked ? row.items.map((item) => changeView(item, language)) : [],
    message: row?.message ?? null,
    code: code === null ? null : shownReason(code),
    instruction: code === null ? null : instructionOf(code, language),
    ...{ final: row?.final ?? null, retry_at: row?.retryAt ?? null, due_at: row?.dueAt ?? null },
    renewal_reason: row?.renewalReason ?? null,
    ...{ submitted_at: row?.submittedAt ?? null, decided_at: row?.decidedAt ?? null },
    can_skip: levelInUse === 0 && (status === 'none' || status === 'draft'),
  };
}

/** What an application needs. What to do is said once it can be done. */
export function requiredView(
  { documents, status }: Pick<ApplicationRow, 'documents' | 'status'>,
  language: Language,
) {
  const isAsked = status === 'submitted' || status === 'changes_requested';
  return documents.map(({ document_type, document_id, state, code }) => ({
    ...{ document_type, state, document_id: document_id === null ? null : UploadId.parse(document_id) },
    code: state === 'rejected' ? shownReason(code ?? 'other') : null,
    instruction: state === 'rejected' && isAsked ? changeInstruction(code ?? 'other', language) : null,
  }));
}

export function changeView({ field, document_id, document_type, code }: RequestedChange, language: Language) {
  return {
    field: field ?? null,
    document_id: document_id === undefined ? null : UploadId.parse(document_id),
    document_type: DOCUMENT_TYPES.find((type) => type === document_type) ?? null,
    ...{ code: shownReason(code), instruction: changeInstruction(code, language) },
  };
}

/** What an application begins with: what was saved, then the profile, then what the last application said. */
export function draftView(
  { draft, savedAt, firstName, lastName, dateOfBirth, address }: KycStanding,
  last: KycApplicationRow | undefined,
): z.output<typeof wire.KYCDraftResponse> {
  const profile = { first_name: firstName, last_name: lastName, date_of_birth: dateOfBirth, address };
  const known = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== null));
  const filled: KycDraft = { ...last?.form, ...known, ...draft };
  const optional = ['middle_names', 'place_of_birth', 'occupation', 'source_of_funds'];
  const { tax_residencies: taxes, nationalities, document } = filled;
  return {
    first_name: filled.first_name ?? null,
    middle_names: filled.middle_names ?? null,
    last_name: filled.last_name ?? null,
    date_of_birth: filled.date_of_birth ?? null,
    place_of_birth: filled.place_of_birth ?? null,
    nationalities: nationalities === undefined ? null : [...nationalities],
    address: filled.address ?? null,
    tax_residencies: taxes === undefined ? null : taxes.map((each) => ({ ...each })),
    occupation: filled.occupation ?? null,
    source_of_funds: filled.source_of_funds ?? null,
    pep_declared: filled.pep_declared ?? null,
    document: document === undefined ? null : { ...document, mrz: document.mrz && [...document.mrz] },
    missing: KYC_FIELDS.filter((field) => filled[field] === undefined && !optional.includes(field)),
    saved_at: savedAt,
  };
}

const documentView = viewOf(wire.DocumentCreatedResponse);

/** A document that was handed in. */
export function createdView(
  { type, reviewState, sha256, id, ...row }: KycDocumentRow,
  applicationStatus: ApplicationRow['status'],
): z.output<typeof wire.DocumentCreatedResponse> {
  return documentView({
    ...row,
    ...{ documentId: id, documentType: type, state: reviewState, applicationStatus },
    applicationId: ApplicationId.parse(row.applicationId),
    sha256: sha256?.toString('hex') ?? null,
  });
}
