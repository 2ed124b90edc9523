/** Identity checks on the wire, as the person sees them whom they are about. */
import { z } from 'zod';
import { APPLICATION_STATUSES, RENEWAL_REASONS } from '../../../domain/compliance/applications.ts';
import { KYC_FIELDS } from '../../../domain/compliance/kyc.ts';
import {
  DOCUMENT_STATES,
  DOCUMENT_TYPES,
  KYC_DOCUMENT_TYPES,
} from '../../../domain/compliance/kyc-documents.ts';
import { REVIEW_REASON_CODES } from '../../../domain/compliance/reasons.ts';
import { KYC_STATUSES } from '../../../domain/identity/people.ts';
import { ApplicationId, UploadId } from '../../../domain/ids.ts';
import { AttachRequest, UploadURLRequest } from '../../uploads/schemas.ts';
import { named, shown } from '../../wire/naming.ts';
import { Timestamp } from '../../wire/shapes.ts';
import { draftShape, formExample } from './form-schemas.ts';

export const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
export const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

export const DocumentType = z.enum(DOCUMENT_TYPES);

export const RenewalReason = z
  .enum(RENEWAL_REASONS)
  .nullable()
  .describe(
    'Why the approval will expire. A new application is accepted from 60 days before `due_at`, and once the profile has changed.',
  );

export const RequiredDocument = named(
  'KYCRequiredDocument',
  z.strictObject({
    document_type: DocumentType,
    state: z
      .enum(DOCUMENT_STATES)
      .describe(
        '`missing`: no file of this type is confirmed; `rejected` and `expired`: another one is needed.',
      ),
    document_id: UploadId.nullable(),
    code: z.enum(REVIEW_REASON_CODES).nullable().describe('Why it was rejected.'),
    instruction: z
      .string()
      .nullable()
      .describe('What to do, in the language of the caller; null while nothing can be handed in.'),
  }),
  {
    ...{ document_type: 'passport' as const, state: 'rejected' as const, document_id: EXAMPLE_ID },
    ...{ code: 'document_unreadable' as const, instruction: 'The document cannot be read.' },
  },
);
export const documents = z
  .array(RequiredDocument)
  .describe('What the application needs. The review begins once nothing is missing or rejected.');

export const Change = named(
  'KYCChange',
  z.strictObject({
    field: z.string().nullable().describe('JSON pointer into the form.'),
    document_id: UploadId.nullable(),
    document_type: DocumentType.nullable(),
    code: z.enum(REVIEW_REASON_CODES),
    instruction: z.string().describe('What to do, in the language of the caller.'),
  }),
  {
    ...{ field: '/last_name', document_id: null, document_type: null, code: 'name_mismatch' as const },
    instruction: 'Your name differs from the one in the document.',
  },
);

export const KYCSubmitResponse = named(
  'KYCSubmitResponse',
  z.strictObject({
    id: ApplicationId,
    status: z.enum(APPLICATION_STATUSES),
    round: z.int().describe('How often it was submitted.'),
    required_documents: documents,
    due_at: Timestamp.nullable().describe('Until when the documents can be handed in; then it expires.'),
    submitted_at: Timestamp,
  }),
  {
    ...{
      id: EXAMPLE_ID,
      status: 'submitted' as const,
      round: 1,
      required_documents: [shown(RequiredDocument)],
    },
    ...{ due_at: EXAMPLE_TIME, submitted_at: EXAMPLE_TIME },
  },
);

export const KYCStatusResponse = named(
  'KYCStatusResponse',
  z.strictObject({
    status: z
      .enum(KYC_STATUSES)
      .describe(
        '`none`, `draft` and `skipped`: nothing was submitted; `submitted`: documents are missing; `in_review`: the bank decides.',
      ),
    level: z.int().describe('0: not identified; 1: identified; 2: with the source of funds.'),
    application_id: ApplicationId.nullable().describe(
      'The open application, otherwise the approval in force, otherwise the newest.',
    ),
    round: z.int().nullable().describe('How often it was submitted.'),
    required_documents: documents,
    changes: z.array(Change).describe('All that can be changed while changes are requested.'),
    message: z.string().nullable().describe('What the reviewer has written to the caller.'),
    code: z.enum(REVIEW_REASON_CODES).nullable().describe('Why it was rejected.'),
    instruction: z.string().nullable().describe('What to do, in the language of the caller.'),
    final: z.boolean().nullable().describe('Whether no other application is taken after the rejection.'),
    retry_at: Timestamp.nullable().describe('When a new application will be accepted.'),
    due_at: Timestamp.nullable().describe(
      'When it expires unless what is missing comes; of an approval, when it expires unless it is renewed.',
    ),
    renewal_reason: RenewalReason,
    submitted_at: Timestamp.nullable(),
    decided_at: Timestamp.nullable(),
    can_skip: z.boolean().describe('Whether POST /v1/kyc/skip is possible.'),
  }),
  {
    ...{ status: 'changes_requested' as const, level: 0, application_id: EXAMPLE_ID, round: 1 },
    ...{ required_documents: [shown(RequiredDocument)], changes: [shown(Change)], message: null },
    ...{ code: null, instruction: null, final: null, retry_at: null, due_at: EXAMPLE_TIME },
    ...{ renewal_reason: null, submitted_at: EXAMPLE_TIME, decided_at: EXAMPLE_TIME, can_skip: false },
  },
);

export const KYCDraftResponse = named(
  'KYCDraftResponse',
  z.strictObject({
    ...draftShape,
    missing: z.array(z.enum(KYC_FIELDS)).describe('Fields that still have to be filled in.'),
    saved_at: Timestamp.nullable().describe('When the caller has last saved something.'),
  }),
  {
    ...formExample,
    ...{ middle_names: null, occupation: null, source_of_funds: null, missing: [], saved_at: null },
  },
);

export const KYCDocumentRequest = named(
  'KYCDocumentRequest',
  AttachRequest.extend({ document_type: z.enum(KYC_DOCUMENT_TYPES) }),
  {
    ...{ document_type: 'passport' as const, file_name: 'passport.pdf', content_type: 'application/pdf' },
    content_base64: 'JVBERi0xLjcK',
  },
);
export const KYCDocumentUploadRequest = named(
  'KYCDocumentUploadRequest',
  UploadURLRequest.extend({ document_type: z.enum(KYC_DOCUMENT_TYPES) }),
  { document_type: 'passport', file_name: 'passport.pdf', content_type: 'application/pdf' },
);

export const DocumentCreatedResponse = named(
  'DocumentCreatedResponse',
  z.strictObject({
    document_id: UploadId,
    application_id: ApplicationId,
    document_type: z.string(),
    state: z.enum(DOCUMENT_STATES),
    file_name: z.string(),
    content_type: z.string(),
    size_bytes: z.int().nullable(),
    sha256: z.string().nullable().describe('Hexadecimal, of what is stored.'),
    created_at: Timestamp,
    application_status: z
      .enum(APPLICATION_STATUSES)
      .describe('With the last required document it becomes `in_review`.'),
  }),
  {
    ...{ document_id: EXAMPLE_ID, application_id: EXAMPLE_ID, document_type: 'passport' },
    ...{ state: 'uploaded' as const, file_name: 'passport.pdf', content_type: 'application/pdf' },
    ...{ size_bytes: 4_711, created_at: EXAMPLE_TIME, application_status: 'in_review' as const },
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  },
);
