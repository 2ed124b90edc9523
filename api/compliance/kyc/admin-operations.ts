/** Identity checks at the back office: found, read and decided. */
import { z } from 'zod';
import { applicationsPage, countApplications } from '../../../db/queries/compliance/applications.ts';
import { currentKycApplication, kycApplicationOf } from '../../../db/queries/compliance/kyc.ts';
import { APPLICATION_STATUSES } from '../../../domain/compliance/applications.ts';
import { ApplicationId, UploadId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { AdminCall } from '../../../services/callers.ts';
import { caseOf, decideOn, openDocument, reviewDocument } from '../../../services/compliance/review.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { Country } from '../../identity/users/schemas.ts';
import { keysetById } from '../../wire/cursor.ts';
import { CountResponse } from '../../wire/shapes.ts';
import * as wire from './admin-schemas.ts';
import { caseView, countedView, linkView, listedView, verdictOf, zoneView } from './admin-views.ts';

const area = 'Admin compliance';
const byId = keysetById('kyc-applications', ApplicationId);
const params = z.strictObject({ id: ApplicationId });
const documentParams = params.extend({ document_id: UploadId });
const filters = {
  status: z.enum(APPLICATION_STATUSES).optional(),
  user_id: UserId.optional(),
  country: Country.optional().describe('Of residence.'),
};

const filterOf = ({ status, user_id: user, country }: z.output<z.ZodObject<typeof filters>>) => ({
  ...{ status, user, country },
});

type Reading = Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'>;
const seen = async (call: Reading, id: ApplicationId) =>
  caseView(await caseOf(call, found(await kycApplicationOf.first(call.db, { id, owner: null }))));

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
        applicationsPage.all(db, { kind: 'kyc', filter: filterOf(query), order: query.order, beyond, most }),
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
    return countedView(await countApplications.all(db, { kind: 'kyc', filter: filterOf(query) }));
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
  refuses: ['same_person'],
  handle: (request) => seen(request, request.params.id),
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
  refuses: ['same_person'],
  async handle(request) {
    const { user_id: user } = request.params;
    return caseView(await caseOf(request, found(await currentKycApplication.first(request.db, { user }))));
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
    ...(['documents_open', 'children_open', 'document_expired', 'match_open'] as const),
  ],
  async handle(request, { config }) {
    const { id } = request.params;
    await decideOn(request, 'kyc', id, verdictOf(request.body), config);
    return seen(request, id);
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
  params: documentParams,
  body: wire.DocumentReviewRequest,
  status: 200,
  answer: wire.KYCApplicationDetail,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
  async handle(request) {
    const { id, document_id: document } = request.params;
    await reviewDocument(request, 'kyc', id, document, request.body);
    return seen(request, id);
  },
});

export const openKycDocument = forAdmins({
  id: 'openKycDocument',
  area,
  title: 'Open KYC document',
  description:
    'Returns an address at which one document can be looked at for ten minutes. Each look is recorded in the audit log.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/kyc/applications/{id}/documents/{document_id}/link',
  effect: 'transaction',
  permission: 'compliance:review',
  params: documentParams,
  status: 200,
  answer: wire.DocumentLinkResponse,
  refuses: ['same_person'],
  beyond: true,
  async handle(request, { storage }) {
    const { id, document_id: document } = request.params;
    return linkView(await openDocument(request, 'kyc', id, document), storage);
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
  refuses: ['same_person'],
  beyond: true,
  async handle({ params: { id }, db, actor, refusal, body: { lines } }) {
    const { userId, form } = found(await kycApplicationOf.first(db, { id, owner: null }));
    if (userId === actor.id) throw refusal('same_person');
    return found(zoneView(lines, form) ?? undefined);
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
