/** Identity checks on the wire, as the back office sees them. */
import { z } from 'zod';
import { APPLICATION_STATUSES, REVIEW_DECISIONS } from '../../../domain/compliance/applications.ts';
import { KYC_FIELDS } from '../../../domain/compliance/kyc.ts';
import { DOCUMENT_STATES, DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import { RISK_LEVELS } from '../../../domain/compliance/risk.ts';
import { REVIEW_REASON_CODES } from '../../../domain/compliance/reasons.ts';
import { ApplicationId, UploadId, UserId } from '../../../domain/ids.ts';
import { named, shown } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { Reason, Text } from '../../wire/text.ts';
import { formExample, formShape } from './form-schemas.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, RenewalReason } from './schemas.ts';

const Code = z.enum(REVIEW_REASON_CODES);
const note = z.string().nullable().describe('For the staff only.');

/** What every application has in a list. */
export const application = {
  id: ApplicationId,
  user_id: UserId,
  status: z.enum(APPLICATION_STATUSES),
  round: z.int().describe('How often it was submitted.'),
  needs_second: z.boolean().describe('Two people have to approve it.'),
  status_at: Timestamp.describe('Since when it has its status.'),
  due_at: Timestamp.nullable().describe('When it expires unless the customer acts.'),
  submitted_at: Timestamp,
  decided_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const applicationExample = {
  ...{ id: EXAMPLE_ID, user_id: EXAMPLE_ID, status: 'in_review' as const, round: 1 },
  ...{ needs_second: false, status_at: EXAMPLE_TIME, due_at: null, submitted_at: EXAMPLE_TIME },
  ...{ decided_at: null, ended_at: null, created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME },
};

const person = {
  ...application,
  country: z.string().nullable().describe('Of residence, ISO 3166-1 alpha-2; null if nobody has asked.'),
  kyb_application_id: ApplicationId.nullable().describe(
    'The application of the company that names this person.',
  ),
  person_ref: z.string().nullable().describe('How that application refers to them.'),
};
const personExample = { ...applicationExample, country: 'DE', kyb_application_id: null, person_ref: null };

export const KYCApplication = named('KYCApplication', z.strictObject(person), personExample);
export const KYCApplicationList = listOf('KYCApplicationList', KYCApplication);

const KYCRequired = z.strictObject({
  document_type: z.enum(DOCUMENT_TYPES),
  state: z.enum(DOCUMENT_STATES),
  document_id: UploadId.nullable(),
  code: Code.nullable(),
});

export const KYCDocument = named(
  'KYCDocument',
  z.strictObject({
    document_id: UploadId,
    document_type: z.enum(DOCUMENT_TYPES),
    state: z.enum(DOCUMENT_STATES),
    code: Code.nullable(),
    counts: z.boolean().describe('False once a newer file of its type has come.'),
    file_name: z.string(),
    content_type: z.string(),
    size_bytes: z.int().nullable(),
    sha256: z.string().nullable(),
    created_at: Timestamp,
    reviewed_by: UserId.nullable(),
    reviewed_at: Timestamp.nullable(),
  }),
  {
    ...{
      document_id: EXAMPLE_ID,
      document_type: 'passport' as const,
      state: 'accepted' as const,
      code: null,
    },
    ...{ counts: true, file_name: 'passport.pdf', content_type: 'application/pdf', size_bytes: 4_711 },
    ...{ sha256: null, created_at: EXAMPLE_TIME, reviewed_by: EXAMPLE_ID, reviewed_at: EXAMPLE_TIME },
  },
);

export const MRZCheck = named(
  'MRZCheck',
  z.strictObject({
    valid: z.boolean().describe('Whether the check digits and dates of the zone are right.'),
    fields: z.array(
      z.strictObject({
        field: z.string(),
        document: z.string().nullable().describe('What the zone says.'),
        form: z.string().nullable().describe('What the customer says.'),
        agrees: z.boolean(),
      }),
    ),
  }),
  {
    valid: true,
    fields: [{ field: 'document.number', document: 'C01X00T47', form: 'C01X00T47', agrees: true }],
  },
);

export const MRZRequest = named(
  'MRZRequest',
  z.strictObject({ lines: z.array(z.string().max(60)).min(2).max(3) }),
  {
    lines: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
  },
);

const requestedItem = {
  field: z.string().nullable().describe('JSON pointer into the form.'),
  document_id: UploadId.nullable(),
  document_type: z.enum(DOCUMENT_TYPES).nullable(),
  code: Code,
  note,
};

const KYCReview = named(
  'KYCReview',
  z.strictObject({
    id: z.uuid(),
    round: z.int(),
    decision: z.enum(REVIEW_DECISIONS),
    stands: z.boolean().describe('False for the first of two who approve.'),
    decided_by: UserId,
    decided_at: Timestamp,
    note,
    message: z.string().nullable().describe('What the customer reads.'),
    code: Code.nullable(),
    final: z.boolean().nullable(),
    items: z.array(z.strictObject(requestedItem)),
  }),
  {
    ...{ id: EXAMPLE_ID, round: 1, decision: 'request_changes' as const, stands: true },
    ...{ decided_by: EXAMPLE_ID, decided_at: EXAMPLE_TIME, note: 'The corner is cut off', message: null },
    ...{ code: null, final: null, items: [] },
  },
);

/** What a reviewer sees of every application. */
export const reviewed = {
  risk: z.enum(RISK_LEVELS).describe('Of the customer; GET /v1/admin/users/{user_id}/risk says why.'),
  required_documents: z.array(KYCRequired),
  documents: z.array(KYCDocument).describe('All files, oldest first.'),
  signals: z
    .array(z.strictObject({ code: z.string(), detail: z.string() }))
    .describe('What a reviewer should look at.'),
  decision: z
    .strictObject({
      kind: z.enum(REVIEW_DECISIONS),
      by: UserId,
      at: Timestamp,
      state: z.enum(['accepted', 'done']),
    })
    .nullable()
    .describe('The last decision in force.'),
  second_review: z
    .strictObject({ first_by: UserId, first_at: Timestamp })
    .nullable()
    .describe('Waits for another person who approves it too.'),
  code: Code.nullable().describe('Why it was rejected.'),
  final: z.boolean().nullable(),
  retry_at: Timestamp.nullable(),
  renewal_reason: RenewalReason,
  message: z.string().nullable().describe('What the customer reads.'),
  changes: z.array(z.strictObject(requestedItem)).describe('What is to be changed.'),
  reviews: z.array(KYCReview).describe('What was decided, oldest first.'),
};
export const reviewedExample = {
  risk: 'low' as const,
  ...{ required_documents: [], documents: [shown(KYCDocument)], signals: [], decision: null },
  ...{ second_review: null, code: null, final: null, retry_at: null },
  ...{ renewal_reason: null, message: null, changes: [] },
  reviews: [shown(KYCReview)],
};

const { address, tax_residencies, pep_declared, document, ...identity } = formShape;
const partly = { address, tax_residencies, pep_declared, document };

export const KYCApplicationDetail = named(
  'KYCApplicationDetail',
  z.strictObject({
    ...person,
    ...reviewed,
    form: z
      .strictObject({ ...identity, ...z.strictObject(partly).partial().shape })
      .describe('What the customer says; of a company’s person only what the company says of them.'),
    grants: z.int().describe('The level that approval gives.'),
    mrz_check: MRZCheck.nullable().describe('Null unless the customer has given the machine-readable zone.'),
  }),
  { ...personExample, ...reviewedExample, form: formExample, grants: 1, mrz_check: null },
);

/** `/address/city`, `address.city` and `address/city` are the same field. */
const pointerInto = (fields: readonly string[]) =>
  z
    .string()
    .max(100)
    .transform((text) => (text.startsWith('/') ? text : `/${text}`).replaceAll('.', '/'))
    .refine((pointer) => fields.some((field) => field === pointer.split('/')[1]), {
      message: `must be a field of the form, such as "/${fields[0] ?? ''}"`,
      params: { code: 'unknown_field' },
    })
    .describe('JSON pointer into the form.');

const itemOf = (fields: readonly string[]) =>
  z
    .strictObject({
      field: pointerInto(fields).optional(),
      document_id: UploadId.optional(),
      code: Code,
      note: Reason.optional().describe('For the staff only.'),
    })
    .refine(({ field, document_id }) => (field === undefined) !== (document_id === undefined), {
      message: 'must name either a field or a document',
      params: { code: 'field_or_document' },
    });

/** What belongs to one decision only. */
const OF: Readonly<Record<string, string>> = { items: 'request_changes', code: 'reject', final: 'reject' };

/** The decision about an application whose form has these fields. */
export const reviewRequest = (fields: readonly string[]) =>
  z
    .strictObject({
      decision: z
        .enum(REVIEW_DECISIONS)
        .describe('`approve` needs every required document accepted and no open match on a list.'),
      note: Text(2_000).optional().describe('For the staff only.'),
      reason: Text(2_000).optional().describe('The same as `note`.'),
      message: Text(1_000).optional().describe('What the customer reads.'),
      items: z
        .array(itemOf(fields))
        .max(40)
        .optional()
        .describe('What has to be changed; all else stays locked. At least one with `request_changes`.'),
      code: Code.optional().describe('Why it is rejected; `other` if it is left out.'),
      final: z
        .boolean()
        .optional()
        .describe('Whether no other application is taken; if it is left out, that depends on the code.'),
    })
    .superRefine((body, context) => {
      for (const [field, decision] of Object.entries(OF))
        if (Reflect.get(body, field) !== undefined && body.decision !== decision)
          context.addIssue({
            ...{ code: 'custom', path: [field], message: `belongs to the decision ${decision}` },
            params: { code: 'not_applicable' },
          });
      if (body.decision === 'request_changes' && (body.items ?? []).length === 0)
        context.addIssue({
          ...{ code: 'custom', path: ['items'], message: 'must name at least one change' },
          params: { code: 'required' },
        });
    });

export const KYCReviewRequest = named('KYCReviewRequest', reviewRequest(KYC_FIELDS), {
  ...{ decision: 'approve', note: 'Compared with the passport' },
});

export const DocumentReviewRequest = named(
  'DocumentReviewRequest',
  z
    .strictObject({ decision: z.enum(['accept', 'reject']), code: Code.optional() })
    .refine(({ decision, code }) => decision === 'reject' || code === undefined, {
      ...{ path: ['code'], message: 'belongs to the decision reject' },
      params: { code: 'not_applicable' },
    }),
  { decision: 'accept' },
);

export const DocumentLinkResponse = named(
  'DocumentLinkResponse',
  z.strictObject({
    document_id: UploadId,
    url: z.url().describe('Works until `expires_at`.'),
    expires_at: Timestamp,
  }),
  {
    document_id: EXAMPLE_ID,
    url: 'http://127.0.0.1:7070/teller/uploads/x?X-Amz-Signature=z',
    expires_at: EXAMPLE_TIME,
  },
);
