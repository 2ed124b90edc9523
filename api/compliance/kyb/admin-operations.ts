/** Checks of companies at the back office: found, read and decided. */
import { z } from 'zod';
import { applicationsPage, countApplications } from '../../../db/queries/compliance/applications.ts';
import { currentKybApplication, kybApplicationOf } from '../../../db/queries/compliance/kyb.ts';
import { APPLICATION_STATUSES } from '../../../domain/compliance/applications.ts';
import { ApplicationId, UploadId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { Admin, AdminCall } from '../../../services/callers.ts';
import { caseOf, decideOn, openDocument, reviewDocument } from '../../../services/compliance/review.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { Country } from '../../identity/users/schemas.ts';
import { keysetById } from '../../wire/cursor.ts';
import { CountResponse } from '../../wire/shapes.ts';
import { DocumentLinkResponse, DocumentReviewRequest } from '../kyc/admin-schemas.ts';
import { countedView, linkView, verdictOf } from '../kyc/admin-views.ts';
import * as wire from './schemas.ts';
import { caseView, listedView } from './views.ts';

const area = 'Admin compliance';
const byId = keysetById('kyb-applications', ApplicationId);
const params = z.strictObject({ id: ApplicationId });
const documentParams = params.extend({ document_id: UploadId });
const filters = {
  status: z.enum(APPLICATION_STATUSES).optional(),
  user_id: UserId.optional(),
  country: Country.optional().describe('In which the company is registered.'),
};

const filterOf = ({ status, user_id: user, country }: z.output<z.ZodObject<typeof filters>>) => ({
  ...{ status, user, country },
});

interface Reading extends Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'> {
  readonly caller: Admin;
}
const seen = async (call: Reading, id: ApplicationId) => {
  const application = found(await kybApplicationOf.first(call.db, { id, owner: null }));
  return caseView(await caseOf(call, application), call.caller.locale);
};

export const listKybApplications = forAdmins({
  id: 'listKybApplications',
  area,
  title: 'List KYB applications',
  description: 'The checks of all companies.',
  method: 'GET',
  path: '/v1/admin/kyb/applications',
  effect: 'read',
  permission: 'compliance:read',
  query: byId.query({
    ...filters,
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which come first.'),
  }),
  status: 200,
  answer: wire.KYBApplicationList,
  refuses: [],
  handle: ({ db, query }) =>
    byId.page(
      query,
      (beyond, most) =>
        applicationsPage.all(db, {
          ...{ kind: 'kyb', filter: filterOf(query), order: query.order, beyond, most },
        }),
      listedView,
    ),
});

export const countKyb = forAdmins({
  id: 'countKybApplications',
  area,
  title: 'Count KYB applications',
  description: 'How many checks of companies there are, in all and by status, with the filters of the list.',
  method: 'GET',
  path: '/v1/admin/kyb/applications/count',
  effect: 'read',
  permission: 'compliance:read',
  query: z.strictObject(filters),
  status: 200,
  answer: CountResponse,
  refuses: [],
  handle: async ({ query, db }) =>
    countedView(await countApplications.all(db, { kind: 'kyb', filter: filterOf(query) })),
});

export const getKybApplication = forAdmins({
  id: 'getKybApplication',
  area,
  title: 'Get KYB application details',
  description:
    'The check of a company with its form, its documents, its people, its owners, and all that was decided about it.',
  method: 'GET',
  path: '/v1/admin/kyb/applications/{id}',
  effect: 'read',
  permission: 'compliance:read',
  params,
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: ['same_person'],
  handle: (request) => seen(request, request.params.id),
});

export const getKybApplicationOfUser = forAdmins({
  id: 'getKybApplicationOfUser',
  area,
  title: 'Get KYB application by user',
  description: 'The check of a customer’s company that is open, otherwise the newest.',
  method: 'GET',
  path: '/v1/admin/users/{user_id}/kyb/application',
  effect: 'read',
  permission: 'compliance:read',
  params: z.strictObject({ user_id: UserId }),
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: ['same_person'],
  async handle(request) {
    const { user_id: user } = request.params;
    const application = found(await currentKybApplication.first(request.db, { user }));
    return caseView(await caseOf(request, application), request.caller.locale);
  },
});

export const reviewKybApplication = forAdmins({
  id: 'reviewKybApplication',
  area,
  title: 'Review KYB application',
  description:
    'Approves or rejects the check of a company, or asks for changes. A company is approved once all its people are. For a country with a high risk, or after five rounds, two people approve: the first one gets the case as it is, with `second_review`.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/kyb/applications/{id}/review',
  effect: 'own_transactions',
  process: 'kyb',
  permission: 'compliance:review',
  params,
  body: wire.KYBReviewRequest,
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: [
    ...(['already_decided', 'same_person', 'too_many_rounds', 'user_blocked'] as const),
    ...(['documents_open', 'children_open', 'document_expired', 'match_open'] as const),
  ],
  async handle(request, { config }) {
    const { id } = request.params;
    await decideOn(request, 'kyb', id, verdictOf(request.body), config);
    return seen(request, id);
  },
});

export const reviewKybDocument = forAdmins({
  id: 'reviewKybDocument',
  area,
  title: 'Review KYB document',
  description:
    'Accepts or rejects one document of the company, as long as the application is not decided. Those of its people belong to their own applications.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/kyb/applications/{id}/documents/{document_id}/review',
  effect: 'transaction',
  permission: 'compliance:review',
  params: documentParams,
  body: DocumentReviewRequest,
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: ['already_decided', 'same_person'],
  beyond: true,
  async handle(request) {
    const { id, document_id: document } = request.params;
    await reviewDocument(request, 'kyb', id, document, request.body);
    return seen(request, id);
  },
});

export const openKybDocument = forAdmins({
  id: 'openKybDocument',
  area,
  title: 'Open KYB document',
  description:
    'Returns an address at which one document can be looked at for ten minutes. Each look is recorded in the audit log.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/kyb/applications/{id}/documents/{document_id}/link',
  effect: 'transaction',
  permission: 'compliance:review',
  params: documentParams,
  status: 200,
  answer: DocumentLinkResponse,
  refuses: ['same_person'],
  beyond: true,
  async handle(request, { storage }) {
    const { id, document_id: document } = request.params;
    return linkView(await openDocument(request, 'kyb', id, document), storage);
  },
});

/** In the order of the documentation. */
export const operations = [
  listKybApplications,
  getKybApplicationOfUser,
  countKyb,
  getKybApplication,
  reviewKybApplication,
  reviewKybDocument,
  openKybDocument,
];
