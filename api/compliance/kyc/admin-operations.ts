/** Identity checks at the back office: found, read and decided. */
import { currentKycApplication, kycApplicationOf } from '../../../db/queries/compliance/kyc.ts';
import type { ApplicationId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { AdminCall } from '../../../services/callers.ts';
import { caseOf, decideOn, reviewDocument } from '../../../services/compliance/review.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { deciding, decidingDocument, finding, opening, reading, readingOfUser } from '../declarations.ts';
import * as wire from './admin-schemas.ts';
import { caseView, listedView, verdictOf, zoneView } from './admin-views.ts';

type Reading = Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'>;
const seen = async (call: Reading, id: ApplicationId) =>
  caseView(await caseOf(call, found(await kycApplicationOf.first(call.db, { id, owner: null }))));

const applications = finding('kyc', {
  country: 'Of residence.',
  answer: wire.KYCApplicationList,
  view: listedView,
});

export const listKycApplications = forAdmins({
  ...applications.list,
  id: 'listKycApplications',
  title: 'List KYC applications',
  description: 'The identity checks of all customers.',
  path: '/v1/admin/kyc/applications',
});

export const countKyc = forAdmins({
  ...applications.count,
  id: 'countKycApplications',
  title: 'Count KYC applications',
  description: 'How many identity checks there are, in all and by status, with the filters of the list.',
  path: '/v1/admin/kyc/applications/count',
});

export const getKycApplication = forAdmins({
  ...reading,
  id: 'getKycApplication',
  title: 'Get KYC application details',
  description: 'An identity check with its form, its documents, and all that was decided about it.',
  path: '/v1/admin/kyc/applications/{id}',
  answer: wire.KYCApplicationDetail,
  handle: (request) => seen(request, request.params.id),
});

export const getKycApplicationOfUser = forAdmins({
  ...readingOfUser,
  id: 'getKycApplicationOfUser',
  title: 'Get KYC application by user',
  description:
    'The identity check of a customer: the open one, otherwise the approval in force, otherwise the newest.',
  path: '/v1/admin/users/{user_id}/kyc/application',
  answer: wire.KYCApplicationDetail,
  async handle(request) {
    const { user_id: user } = request.params;
    return caseView(await caseOf(request, found(await currentKycApplication.first(request.db, { user }))));
  },
});

export const reviewKycApplication = forAdmins({
  ...deciding,
  id: 'reviewKycApplication',
  title: 'Review KYC application',
  description:
    'Approves or rejects an identity check, or asks for changes. Level and limits of the customer change with it. For a politically exposed person, a country with a high risk, or after five rounds, two people approve: the first one gets the case as it is, with `second_review`.',
  path: '/v1/admin/kyc/applications/{id}/review',
  process: 'kyc',
  body: wire.KYCReviewRequest,
  answer: wire.KYCApplicationDetail,
  async handle(request, { config }) {
    const { id } = request.params;
    await decideOn(request, 'kyc', id, verdictOf(request.body), config);
    return seen(request, id);
  },
});

export const reviewKycDocument = forAdmins({
  ...decidingDocument,
  id: 'reviewKycDocument',
  title: 'Review KYC document',
  description: 'Accepts or rejects one document, as long as the application is not decided.',
  path: '/v1/admin/kyc/applications/{id}/documents/{document_id}/review',
  answer: wire.KYCApplicationDetail,
  async handle(request) {
    const { id, document_id: document } = request.params;
    await reviewDocument(request, 'kyc', id, document, request.body);
    return seen(request, id);
  },
});

export const openKycDocument = forAdmins({
  ...opening('kyc'),
  id: 'openKycDocument',
  title: 'Open KYC document',
  path: '/v1/admin/kyc/applications/{id}/documents/{document_id}/link',
});

export const checkKycMrz = forAdmins({
  ...reading,
  id: 'checkKycMrz',
  title: 'Check machine-readable zone of KYC document',
  description:
    'Compares the lines that a reviewer has read in the document with the form. Nothing of them is kept.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/kyc/applications/{id}/mrz',
  effect: 'own_transactions',
  body: wire.MRZRequest,
  answer: wire.MRZCheck,
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
