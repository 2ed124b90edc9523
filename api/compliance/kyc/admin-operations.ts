/** Identity checks at the back office: found, read and decided. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { kycDocumentOf } from '../../../db/queries/compliance/kyc-documents.ts';
import {
  countKycApplications,
  currentKycApplication,
  kycApplicationOf,
  kycApplicationsPage,
} from '../../../db/queries/compliance/kyc.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { APPLICATION_STATUSES } from '../../../domain/compliance/kyc.ts';
import { isFinalReason } from '../../../domain/compliance/reasons.ts';
import { KycApplicationId, UploadId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { machineNow } from '../../../domain/time/now.ts';
import { DOWNLOAD_SECONDS } from '../../../domain/uploads.ts';
import { decideOnKyc, kycCase, reviewDocumentOfKyc } from '../../../services/compliance/kyc-review.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { Country } from '../../identity/users/schemas.ts';
import { withViewingLink } from '../../uploads/views.ts';
import { keysetById } from '../../wire/cursor.ts';
import { CountResponse } from '../../wire/shapes.ts';
import * as wire from './admin-schemas.ts';
import { caseView, listedView, zoneView } from './admin-views.ts';

const area = 'Admin compliance';
const byId = keysetById('kyc-applications', KycApplicationId);
const params = z.strictObject({ id: KycApplicationId });
const filters = {
  status: z.enum(APPLICATION_STATUSES).optional(),
  user_id: UserId.optional(),
  country: Country.optional().describe('Of residence.'),
};

const filterOf = ({ status, user_id: user, country }: z.output<z.ZodObject<typeof filters>>) => ({
  ...{ status, user, country },
});

const seen = async (db: EntityManager, id: KycApplicationId) => caseView(await kycCase(db, id));

export const listKycApplications = forAdmins({
  id: 'listKycApplications',
  area,
  title: 'List KYC applications',
  description: 'The identity checks of all customers.',
  method: 'GET',
  path: '/v1/admin/kyc/applications',
  effect: 'read',
  permission: 'compliance:read',
  query: byId.query({
    ...filters,
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which come first.'),
  }),
  status: 200,
  answer: wire.KYCApplicationList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(
      query,
      (beyond, most) =>
        kycApplicationsPage.all(db, { filter: filterOf(query), order: query.order, beyond, most }),
      listedView,
    ),
});

export const countKyc = forAdmins({
  id: 'countKycApplications',
  area,
  title: 'Count KYC applications',
  description: 'How many identity checks there are, in all and by status, with the filters of the list.',
  method: 'GET',
  path: '/v1/admin/kyc/applications/count',
  effect: 'read',
  permission: 'compliance:read',
  query: z.strictObject(filters),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ query, db }) {
    const counted = await countKycApplications.all(db, filterOf(query));
    return {
      count: counted.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(counted.map(({ status, count }) => [status, count])),
    };
  },
});

export const getKycApplication = forAdmins({
  id: 'getKycApplication',
  area,
  title: 'Get KYC application details',
  description: 'An identity check with its form, its documents, and all that was decided about it.',
  method: 'GET',
  path: '/v1/admin/kyc/applications/{id}',
  effect: 'read',
  permission: 'compliance:read',
  params,
  status: 200,
  answer: wire.KYCApplicationDetail,
  refuses: [],
  handle: ({ params: { id }, db }) => seen(db, id),
});

export const getKycApplicationOfUser = forAdmins({
  id: 'getKycApplicationOfUser',
  area,
  title: 'Get KYC application by user',
  description: 'The identity check of a customer that is open, otherwise the newest.',
  method: 'GET',
  path: '/v1/admin/users/{user_id}/kyc/application',
  effect: 'read',
  permission: 'compliance:read',
  params: z.strictObject({ user_id: UserId }),
  status: 200,
  answer: wire.KYCApplicationDetail,
  refuses: [],
  async handle({ params: { user_id: user }, db }) {
    return seen(db, found(await currentKycApplication.first(db, { user })).id);
  },
});

export const reviewKycApplication = forAdmins({
  id: 'reviewKycApplication',
  area,
  title: 'Review KYC application',
  description:
    'Approves or rejects an identity check, or asks for changes. Level and limits of the customer change with it. For a politically exposed person, a country with a high risk, or after five rounds, two people approve: the first one gets the case as it is, with `second_review`.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/kyc/applications/{id}/review',
  effect: 'own_transactions',
  process: 'kyc',
  permission: 'compliance:review',
  params,
  body: wire.KYCReviewRequest,
  status: 200,
  answer: wire.KYCApplicationDetail,
  refuses: [
    ...(['already_decided', 'same_person', 'too_many_rounds', 'user_blocked'] as const),
    ...(['documents_open', 'document_expired', 'match_open'] as const),
  ],
  async handle(request, { config }) {
    const { id } = request.params;
    const { reason, note = reason, decision, ...said } = request.body;
    const { code = 'other', final = isFinalReason(code) } = said;
    const verdict = decision === 'reject' ? { ...said, code, final } : said;
    await decideOnKyc(request, id, { ...verdict, decision, note: note ?? null }, config);
    return seen(request.db, id);
  },
});

export const reviewKycDocument = forAdmins({
  id: 'reviewKycDocument',
  area,
  title: 'Review KYC document',
  description: 'Accepts or rejects one document, as long as the application is not decided.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/kyc/applications/{id}/documents/{document_id}/review',
  effect: 'transaction',
  permission: 'compliance:review',
  params: params.extend({ document_id: UploadId }),
  body: wire.DocumentReviewRequest,
  status: 200,
  answer: wire.KYCApplicationDetail,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
  async handle(request) {
    const { id, document_id: document } = request.params;
    await reviewDocumentOfKyc(request, id, document, request.body);
    return seen(request.db, id);
  },
});

export const openKycDocument = forAdmins({
  id: 'openKycDocument',
  area,
  title: 'Open KYC document',
  description:
    'Returns an address at which one document can be looked at for ten minutes. Who looked is written down.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/kyc/applications/{id}/documents/{document_id}/link',
  effect: 'transaction',
  permission: 'compliance:review',
  params: params.extend({ document_id: UploadId }),
  status: 200,
  answer: wire.DocumentLinkResponse,
  refuses: [],
  beyond: true,
  async handle({ params: { id, document_id: document }, db, actor }, { storage }) {
    const known = await kycDocumentOf.first(db, { applicationId: id, uploadId: document });
    const file = found(known?.status === 'confirmed' ? known : undefined);
    await record(db, actor, {
      action: 'kyc_application.document_opened',
      subject: ['kyc_application', id],
      after: { document_id: document, document_type: file.type },
    });
    return {
      document_id: document,
      url: found(withViewingLink(file, storage).viewUrl),
      expires_at: new Date(machineNow().getTime() + DOWNLOAD_SECONDS * 1_000),
    };
  },
});

export const checkKycMrz = forAdmins({
  id: 'checkKycMrz',
  area,
  title: 'Check machine-readable zone of KYC document',
  description:
    'Compares the lines that a reviewer has read in the document with the form. Nothing of them is kept.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/kyc/applications/{id}/mrz',
  effect: 'own_transactions',
  permission: 'compliance:read',
  params,
  body: wire.MRZRequest,
  status: 200,
  answer: wire.MRZCheck,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db, body: { lines } }) {
    return zoneView(lines, found(await kycApplicationOf.first(db, { id, owner: null })).form);
  },
});

/** In the order of the documentation. */
export const operations = [
  listKycApplications,
  getKycApplicationOfUser,
  countKyc,
  getKycApplication,
  reviewKycApplication,
  reviewKycDocument,
  openKycDocument,
  checkKycMrz,
];
