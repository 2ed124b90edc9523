/** A person's own identity check. */
import { z } from 'zod';
import { currentKycApplication, kycStandingOf } from '../../../db/queries/compliance/kyc.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ApplicationId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import type { User, Admin } from '../../../services/callers.ts';
import { keepOwnDraft, skipOwnKyc, submitOwnKyc } from '../../../services/compliance/kyc.ts';
import { withdrawOwn } from '../../../services/compliance/applications.ts';
import { forUsers } from '../../declaration/operation.ts';
import { KYCDraftRequest, KYCSubmitRequest } from './form-schemas.ts';
import * as wire from './schemas.ts';
import { draftView, statusView, submittedView } from './views.ts';

const area = 'Compliance';
export const APPLICATIONS_AN_HOUR = { points: 60, seconds: 3_600, per: 'user' } as const;

async function statusOf(db: EntityManager, { id: user, locale }: User | Admin) {
  const standing = found(await kycStandingOf.first(db, { user }));
  return statusView(standing, await currentKycApplication.first(db, { user }), locale);
}

async function draftOf(db: EntityManager, { id: user }: User | Admin) {
  const standing = found(await kycStandingOf.first(db, { user }));
  return draftView(standing, await currentKycApplication.first(db, { user }));
}

export const submitKycApplication = forUsers({
  id: 'submitKycApplication',
  area,
  title: 'Submit KYC application',
  description:
    'Submits what the caller says of themselves. The answer lists the documents that are needed: the review begins once all of them are handed in. While changes are requested, this submits the next round of the same application; what nobody has asked for has to be as it was.',
  method: 'POST',
  idempotency: 'accepted',
  // each one is kept for ever and begins a process
  throttle: APPLICATIONS_AN_HOUR,
  path: '/v1/kyc/applications',
  effect: 'transaction',
  process: 'kyc',
  body: KYCSubmitRequest,
  status: 201,
  answer: wire.KYCSubmitResponse,
  refuses: ['application_open', 'application_final', 'retry_later', 'already_decided', 'field_locked'],
  async handle(request, { config }) {
    return submittedView(await submitOwnKyc(request, request.body, config), request.caller.locale);
  },
});

export const getMyKycApplication = forUsers({
  id: 'getMyKycApplication',
  area,
  title: 'Get my KYC application',
  description: 'How far the caller’s identity is known, and what they have to do next.',
  method: 'GET',
  path: '/v1/kyc/applications/me',
  effect: 'read',
  status: 200,
  answer: wire.KYCStatusResponse,
  refuses: [],
  handle: ({ caller, db }) => statusOf(db, caller),
});

export const withdrawKycApplication = forUsers({
  id: 'withdrawKycApplication',
  area,
  title: 'Withdraw KYC application',
  description: 'Ends an application that the caller does not want any more.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/kyc/applications/{id}/withdraw',
  effect: 'transaction',
  params: z.strictObject({ id: ApplicationId }),
  status: 200,
  answer: wire.KYCStatusResponse,
  refuses: ['already_decided'],
  beyond: true,
  async handle(request) {
    await withdrawOwn(request, 'kyc', request.params.id);
    return statusOf(request.db, request.caller);
  },
});

export const getKycDraft = forUsers({
  id: 'getKycDraft',
  area,
  title: 'Get KYC draft prefilled from profile',
  description:
    'The form of an identity check as far as it is known: what the caller has saved, then their profile, then what their last application said. What is not known is null.',
  method: 'GET',
  path: '/v1/kyc/draft',
  effect: 'read',
  status: 200,
  answer: wire.KYCDraftResponse,
  refuses: [],
  handle: ({ caller, db }) => draftOf(db, caller),
});

export const saveKycDraft = forUsers({
  id: 'saveKycDraft',
  area,
  title: 'Save KYC draft',
  description:
    'Keeps what the caller has filled in so far, in the place of what was kept before. A later change of the profile counts more.',
  method: 'PUT',
  path: '/v1/kyc/draft',
  effect: 'transaction',
  body: KYCDraftRequest,
  status: 200,
  answer: wire.KYCDraftResponse,
  refuses: ['application_open'],
  beyond: true,
  async handle(request) {
    await keepOwnDraft(request, request.body);
    return draftOf(request.db, request.caller);
  },
});

export const skipKycCheck = forUsers({
  id: 'skipKyc',
  area,
  title: 'Skip KYC when allowed',
  description:
    'Lets the caller do without an identity check, as long as no account type that they could have asks for one and nothing was submitted.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/kyc/skip',
  effect: 'transaction',
  status: 200,
  answer: wire.KYCStatusResponse,
  refuses: ['kyc_required', 'not_skippable'],
  async handle(request) {
    await skipOwnKyc(request);
    return statusOf(request.db, request.caller);
  },
});

/** In the order of the documentation. */
export const operations = [
  submitKycApplication,
  getMyKycApplication,
  withdrawKycApplication,
  getKycDraft,
  saveKycDraft,
  skipKycCheck,
];
