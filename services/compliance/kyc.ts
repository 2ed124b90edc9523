/** A person's own identity check: filled in, submitted, withdrawn, or skipped where nobody asks for it. */
import type { Config } from '../../config.ts';
import {
  currentKycApplication,
  keepKycDraft,
  kycApplicationOf,
  kycStandingOf,
  skipKyc,
  submitKyc,
  withdrawKyc,
  type KycApplicationRow,
} from '../../db/queries/compliance/kyc.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { KYC_DRAFT } from '../../domain/accounts/accounts.ts';
import { levelOf, lockedChange, type KycDraft, type KycForm } from '../../domain/compliance/kyc.ts';
import { requiredDocuments } from '../../domain/compliance/kyc-documents.ts';
import { KycApplicationId } from '../../domain/ids.ts';
import { found, type RefusalOptions } from '../../domain/refusals.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import type { OwnCall } from '../callers.ts';
import { isHighRisk, requireServed } from './kyc-form.ts';

interface Submitting extends OwnCall<
  'application_open' | 'application_final' | 'retry_later' | 'already_decided' | 'field_locked'
> {
  readonly newId: string;
}

type Settings = Pick<
  Config,
  'KYC_REFUSED_COUNTRIES' | 'KYC_HIGH_RISK_COUNTRIES' | 'KYC_DOCUMENT_DAYS' | 'BANK_TIME_ZONE'
>;

/**
 * Submits the caller's form: as a new application, or, while changes are requested, as the next round of the one there is. Then only what
 * was asked for may differ.
 */
export async function submitOwnKyc(
  { db, actor, newId, refusal }: Submitting,
  form: KycForm,
  config: Settings,
): Promise<KycApplicationRow> {
  requireServed(form, config);
  const before = await currentKycApplication.first(db, { user: actor.id });
  if (before?.status === 'changes_requested') {
    const pointer = lockedChange(before.form, form, before.items);
    if (pointer !== undefined) throw refusal('field_locked', { members: { pointer } });
  }
  const risky = isHighRisk(form, config);
  const verdict = await submitKyc.one(db, {
    ...{ id: KycApplicationId.parse(newId), user: actor.id, form },
    ...{ required: requiredDocuments(form, risky), grants: levelOf(form), needsSecond: risky },
    documentDays: config.KYC_DOCUMENT_DAYS,
  });
  if (verdict.refusal !== null) throw refusal(verdict.refusal, whyNot(before, verdict.notBefore));
  const id = KycApplicationId.parse(verdict.application);
  if (id === newId) await launch(db, kycProcess, { id, customerId: actor.id });
  const submitted = await kycApplicationOf.one(db, { id, owner: actor.id });
  const { status, round } = submitted;
  await record(db, actor, {
    action: 'kyc_application.submitted',
    subject: ['kyc_application', id],
    ...(before?.id === id ? { before: { status: before.status, round: before.round } } : {}),
    after: { status, round },
  });
  return submitted;
}

function whyNot(before: KycApplicationRow | undefined, retryAt: Date | null): RefusalOptions {
  const { id = null, status = null, decidedAt = null } = before ?? {};
  return {
    members: {
      ...{ application_id: id, decision: status, decided_at: decidedAt?.toISOString() ?? null },
      ...(retryAt === null ? {} : { retry_at: retryAt.toISOString() }),
    },
  };
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

/** Withdraws the caller's own application. */
export async function withdrawOwnKyc(
  { db, actor, refusal }: OwnCall<'already_decided'>,
  id: KycApplicationId,
): Promise<KycApplicationRow> {
  const before = found(await kycApplicationOf.first(db, { id, owner: actor.id }));
  const verdict = await withdrawKyc.one(db, { id, owner: actor.id });
  if (verdict.refusal !== null) {
    const { status: decision, decidedAt } = await kycApplicationOf.one(db, { id, owner: null });
    throw refusal('already_decided', {
      members: { decision, decided_at: decidedAt?.toISOString() ?? null },
    });
  }
  await record(db, actor, {
    action: 'kyc_application.withdrawn',
    subject: ['kyc_application', id],
    before: { status: before.status },
    after: { status: 'withdrawn' },
  });
  return kycApplicationOf.one(db, { id, owner: null });
}
