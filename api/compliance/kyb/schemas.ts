/** Checks of companies on the wire. */
import { z } from 'zod';
import { APPLICATION_STATUSES } from '../../../domain/compliance/applications.ts';
import { KYB_FIELDS } from '../../../domain/compliance/kyb.ts';
import { DOCUMENT_TYPES } from '../../../domain/compliance/kyc-documents.ts';
import { ApplicationId } from '../../../domain/ids.ts';
import { AttachRequest, UploadURLRequest } from '../../uploads/schemas.ts';
import { named, shown } from '../../wire/naming.ts';
import { listOf } from '../../wire/shapes.ts';
import { Line } from '../../wire/text.ts';
import { application, applicationExample, reviewed, reviewRequest } from '../kyc/admin-schemas.ts';
import { Change, documents, EXAMPLE_ID, RequiredDocument } from '../kyc/schemas.ts';
import { KYBSubmitRequest } from './form-schemas.ts';

/** Without what only concerns reviewers. */
const { needs_second: needsSecond, ...open } = application;
const { needs_second: _, ...openExample } = applicationExample;

const company = {
  ...open,
  legal_name: z.string(),
  country: z.string().describe('In which the company is registered, ISO 3166-1 alpha-2.'),
  needs_second: needsSecond.optional().describe('Two people have to approve it. Only in the back office.'),
};
const companyExample = { ...openExample, legal_name: 'Smith Trading GmbH', country: 'DE' };

const Child = named(
  'KYBChild',
  z.strictObject({
    application_id: ApplicationId.describe('The KYC application of this person.'),
    person_ref: z.string(),
    status: z.enum(APPLICATION_STATUSES),
    required_documents: documents.describe('What this person needs; handed in with `person_id`.'),
    changes: z.array(Change).describe('What is asked for while changes are requested.'),
  }),
  {
    ...{ application_id: EXAMPLE_ID, person_ref: 'ann', status: 'submitted' as const },
    ...{ required_documents: [shown(RequiredDocument)], changes: [] },
  },
);
const children = z.array(Child).describe('The check of each person whom the application names.');

export const KYBApplication = named('KYBApplication', z.strictObject(company), companyExample);
export const KYBApplicationList = listOf('KYBApplicationList', KYBApplication);

const Owner = named(
  'KYBBeneficialOwner',
  z.strictObject({
    ref: z.string(),
    ownership_percent: z.string().describe('Over all paths, six places, rounded down.'),
    voting_percent: z.string(),
    paths: z.array(z.array(z.string())).describe('From the person to `self`, at most 100 of them.'),
  }),
  {
    ref: 'ann',
    ownership_percent: '60.000000',
    voting_percent: '60.000000',
    paths: [['ann', 'holding', 'self']],
  },
);

const { required_documents: __, changes: ___, ...ofReviewers } = reviewed;

export const KYBApplicationDetail = named(
  'KYBApplicationDetail',
  z.strictObject({
    ...company,
    form: KYBSubmitRequest,
    required_documents: documents,
    children,
    beneficial_owners: z
      .array(Owner)
      .describe(
        'Whoever owns, or votes for, 25.0000 percent or more: Directive (EU) 2015/849, Article 3(6).',
      ),
    unexplained_percent: z.string().describe('How much of the company belongs to nobody who is named.'),
    changes: z
      .array(z.union([Change, reviewed.changes.element]))
      .describe('All that can be changed while changes are requested.'),
    instruction: z
      .string()
      .nullable()
      .optional()
      .describe('What a rejected customer can do, in their language.'),
    ...z.strictObject(ofReviewers).partial().shape,
  }),
  {
    ...companyExample,
    ...{ form: shown(KYBSubmitRequest), required_documents: [shown(RequiredDocument)] },
    ...{ children: [shown(Child)], beneficial_owners: [shown(Owner)], unexplained_percent: '0.000000' },
    ...{ changes: [], message: null, code: null, final: null, retry_at: null, renewal_reason: null },
  },
);

export const KYBReviewRequest = named('KYBReviewRequest', reviewRequest(KYB_FIELDS), {
  ...{ decision: 'approve', note: 'Compared with the register' },
});

const about = {
  document_type: z.enum(DOCUMENT_TYPES),
  person_id: Line(64)
    .optional()
    .describe(
      'The `ref` of a person, or the id of their application; left out for a document of the company.',
    ),
};

export const KYBDocumentRequest = named('KYBDocumentRequest', AttachRequest.extend(about), {
  ...{
    document_type: 'registry_extract' as const,
    file_name: 'extract.pdf',
    content_type: 'application/pdf',
  },
  content_base64: 'JVBERi0xLjcK',
});
export const KYBDocumentUploadRequest = named('KYBDocumentUploadRequest', UploadURLRequest.extend(about), {
  ...{ document_type: 'registry_extract', file_name: 'extract.pdf', content_type: 'application/pdf' },
});
