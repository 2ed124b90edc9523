/** The check of a customer's own company. */
import { z } from 'zod';
import { currentKybApplication, kybApplicationOf } from '../../../db/queries/compliance/kyb.ts';
import { ApplicationId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { withdrawOwn } from '../../../services/compliance/applications.ts';
import { submitOwnKyb } from '../../../services/compliance/kyb.ts';
import { forUsers } from '../../declaration/operation.ts';
import { APPLICATIONS_AN_HOUR } from '../kyc/operations.ts';
import { KYBSubmitRequest } from './form-schemas.ts';
import * as wire from './schemas.ts';
import { ownView, submittedView } from './views.ts';

const area = 'Compliance';

export const submitKybApplication = forUsers({
  id: 'submitKybApplication',
  area,
  title: 'Submit KYB application',
  description:
    'Submits what a company says of itself, of the people who run or own it, and of the companies above it. Each person is checked in an application of their own. While changes are requested, this submits the next round of the same application; what nobody has asked for has to be as it was, and whoever is the same person keeps their check.',
  method: 'POST',
  idempotency: 'accepted',
  // each one is kept for ever and begins processes
  throttle: APPLICATIONS_AN_HOUR,
  path: '/v1/kyb/applications',
  effect: 'transaction',
  process: 'kyb',
  body: KYBSubmitRequest,
  bodyLimit: 2_000_000,
  status: 201,
  answer: wire.KYBApplication,
  refuses: ['application_open', 'application_final', 'retry_later', 'already_decided', 'field_locked'],
  async handle(request, { config }) {
    const { trading_names = [], companies = [], holdings = [], ...body } = request.body;
    const form = { ...body, trading_names, companies, holdings };
    return submittedView(await submitOwnKyb(request, form, config));
  },
});

export const getMyKybApplication = forUsers({
  id: 'getMyKybApplication',
  area,
  title: 'Get my KYB application',
  description:
    'The application of the caller’s company that is open, otherwise the newest: what is missing or has to be changed, how far the check of each person is, and to whom the company belongs.',
  method: 'GET',
  path: '/v1/kyb/applications/me',
  effect: 'read',
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: [],
  handle: async ({ caller, db }) =>
    ownView(found(await currentKybApplication.first(db, { user: caller.id })), caller.locale),
});

export const withdrawKybApplication = forUsers({
  id: 'withdrawKybApplication',
  area,
  title: 'Withdraw KYB application',
  description: 'Ends an application that the caller does not want any more, and the checks of its people.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/kyb/applications/{id}/withdraw',
  effect: 'transaction',
  params: z.strictObject({ id: ApplicationId }),
  status: 200,
  answer: wire.KYBApplicationDetail,
  refuses: ['already_decided'],
  beyond: true,
  async handle(request) {
    const { id } = request.params;
    await withdrawOwn(request, 'kyb', id);
    return ownView(await kybApplicationOf.one(request.db, { id, owner: null }), request.caller.locale);
  },
});

/** In the order of the documentation. */
export const operations = [submitKybApplication, getMyKybApplication, withdrawKybApplication];
