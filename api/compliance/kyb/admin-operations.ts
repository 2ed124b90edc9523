/** Checks of companies at the back office: found, read and decided. */
import { currentKybApplication, kybApplicationOf } from '../../../db/queries/compliance/kyb.ts';
import type { ApplicationId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { Admin, AdminCall } from '../../../services/callers.ts';
import { caseOf, decideOn, reviewDocument } from '../../../services/compliance/review.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { deciding, decidingDocument, finding, opening, reading, readingOfUser } from '../declarations.ts';
import { verdictOf } from '../kyc/admin-views.ts';
import * as wire from './schemas.ts';
import { caseView, listedView } from './views.ts';

interface Reading extends Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'> {
  readonly caller: Admin;
}
const seen = async (call: Reading, id: ApplicationId) => {
  const application = found(await kybApplicationOf.first(call.db, { id, owner: null }));
  return caseView(await caseOf(call, application), call.caller.locale);
};

const applications = finding('kyb', {
  country: 'In which the company is registered.',
  answer: wire.KYBApplicationList,
  view: listedView,
});

export const listKybApplications = forAdmins({
  ...applications.list,
  id: 'listKybApplications',
  title: 'List KYB applications',
  description: 'The checks of all companies.',
  path: '/v1/admin/kyb/applications',
});

export const countKyb = forAdmins({
  ...applications.count,
  id: 'countKybApplications',
  title: 'Count KYB applications',
  description: 'How many checks of companies there are, in all and by status, with the filters of the list.',
  path: '/v1/admin/kyb/applications/count',
});

export const getKybApplication = forAdmins({
  ...reading,
  id: 'getKybApplication',
  title: 'Get KYB application details',
  description:
    'The check of a company with its form, its documents, its people, its owners, and all that was decided about it.',
  path: '/v1/admin/kyb/applications/{id}',
  answer: wire.KYBApplicationDetail,
  handle: (request) => seen(request, request.params.id),
});

export const getKybApplicationOfUser = forAdmins({
  ...readingOfUser,
  id: 'getKybApplicationOfUser',
  title: 'Get KYB application by user',
  description:
    'The check of a customer’s company: the open one, otherwise the approval in force, otherwise the newest.',
  path: '/v1/admin/users/{user_id}/kyb/application',
  answer: wire.KYBApplicationDetail,
  async handle(request) {
    const { user_id: user } = request.params;
    const application = found(await currentKybApplication.first(request.db, { user }));
    return caseView(await caseOf(request, application), request.caller.locale);
  },
});

export const reviewKybApplication = forAdmins({
  ...deciding,
  id: 'reviewKybApplication',
  title: 'Review KYB application',
  description:
    'Approves or rejects the check of a company, or asks for changes. A company is approved once all its people are. For a country with a high risk, or after five rounds, two people approve: the first one gets the case as it is, with `second_review`.',
  path: '/v1/admin/kyb/applications/{id}/review',
  process: 'kyb',
  body: wire.KYBReviewRequest,
  answer: wire.KYBApplicationDetail,
  async handle(request, { config }) {
    const { id } = request.params;
    await decideOn(request, 'kyb', id, verdictOf(request.body), config);
    return seen(request, id);
  },
});

export const reviewKybDocument = forAdmins({
  ...decidingDocument,
  id: 'reviewKybDocument',
  title: 'Review KYB document',
  description:
    'Accepts or rejects one document of the company, as long as the application is not decided. Those of its people belong to their own applications.',
  path: '/v1/admin/kyb/applications/{id}/documents/{document_id}/review',
  answer: wire.KYBApplicationDetail,
  async handle(request) {
    const { id, document_id: document } = request.params;
    await reviewDocument(request, 'kyb', id, document, request.body);
    return seen(request, id);
  },
});

export const openKybDocument = forAdmins({
  ...opening('kyb'),
  id: 'openKybDocument',
  title: 'Open KYB document',
  path: '/v1/admin/kyb/applications/{id}/documents/{document_id}/link',
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
