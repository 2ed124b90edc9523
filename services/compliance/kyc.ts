/** A person's own identity check: filled in, submitted, or skipped where nobody asks for it. */
import {
  currentKycApplication,
  keepKycDraft,
  kycApplicationOf,
  kycStandingOf,
  skipKyc,
  submitKyc,
  type KycApplicationRow,
} from '../../db/queries/compliance/kyc.ts';
import { lockApplicationsOf } from '../../db/queries/compliance/applications.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { KYC_DRAFT } from '../../domain/accounts/accounts.ts';
import { levelOf, type KycDraft, type KycForm } from '../../domain/compliance/kyc.ts';
import { ENHANCED_DOCUMENTS, requiredDocuments } from '../../domain/compliance/kyc-documents.ts';
import { ApplicationId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import type { OwnCall } from '../callers.ts';
import {
  recordSubmission,
  requireUnlocked,
  whyNot,
  type SubmissionSettings,
  type Submitting,
} from './applications.ts';
import { requireServed } from './kyc-form.ts';

/**
 * Submits the caller's form: as a new application, or, while changes are requested, as the next round of the one there is. Then only what
 * was asked for may differ.
 */
export async function submitOwnKyc(
  { db, actor, newId, refusal }: Submitting,
  form: KycForm,
  config: SubmissionSettings,
): Promise<KycApplicationRow> {
  requireServed(form, config);
  // a reviewer who asks for changes at the same moment does so before this is read, or after it is submitted
  await lockApplicationsOf.one(db, { user: actor.id });
  const before = await currentKycApplication.first(db, { user: actor.id });
  if (before?.status === 'changes_requested')
    requireUnlocked({ refusal }, before, form, config.BANK_TIME_ZONE);
  const verdict = await submitKyc.one(db, {
    ...{ id: ApplicationId.parse(newId), user: actor.id, form },
    ...{ required: requiredDocuments(form), enhanced: ENHANCED_DOCUMENTS.kyc, grants: levelOf(form) },
    documentDays: config.KYC_DOCUMENT_DAYS,
  });
  const id = ApplicationId.parse(verdict.application);
  if (verdict.refusal !== null)
    throw refusal(
      verdict.refusal,
      whyNot(await kycApplicationOf.one(db, { id, owner: actor.id }), verdict.notBefore),
    );
  if (id === newId) await launch(db, kycProcess, { id, customerId: actor.id });
  const submitted = await kycApplicationOf.one(db, { id, owner: actor.id });
  await recordSubmission({ db, actor }, submitted, before);
  return submitted;
}

/** Keeps what the caller has filled in so far, in the place of what was kept before. */
export async function keepOwnDraft(
  { db, actor, refusal }: OwnCall<'application_open'>,
  draft: KycDraft,
): Promise<void> {
  const verdict = await keepKycDraft.one(db, { user: actor.id, draft });
  if (verdict.refusal === null) return;
  const open = await currentKycApplication.first(db, { user: actor.id });
  throw refusal(verdict.refusal, { members: { application_id: open?.id } });
}

/** Lets the caller do without an identity check. Doing it twice changes nothing. */
export async function skipOwnKyc({
  db,
  actor,
  refusal,
}: OwnCall<'kyc_required' | 'not_skippable'>): Promise<void> {
  const before = found(await kycStandingOf.first(db, { user: actor.id }));
  const verdict = await skipKyc.one(db, { user: actor.id });
  const { kycLevel: level, levelInUse: required } = before;
  if (verdict.refusal === 'kyc_required')
    throw refusal('kyc_required', { members: { level, required, next: KYC_DRAFT } });
  if (verdict.refusal !== null) throw refusal(verdict.refusal, { members: { kyc_status: before.kycStatus } });
  if (before.kycStatus === 'skipped') return;
  await record(db, actor, {
    action: 'kyc.skipped',
    subject: ['user', actor.id],
    before: { kyc_status: before.kycStatus },
    after: { kyc_status: 'skipped' },
  });
}
