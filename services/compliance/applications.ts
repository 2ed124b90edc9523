/** What customers do with applications of either kind. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { withdrawApplication } from '../../db/queries/compliance/applications.ts';
import { kybApplicationOf, type KybApplicationRow } from '../../db/queries/compliance/kyb.ts';
import { kycApplicationOf, type KycApplicationRow } from '../../db/queries/compliance/kyc.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { lockedChange, type ApplicationKind } from '../../domain/compliance/applications.ts';
import type { ApplicationId, UserId } from '../../domain/ids.ts';
import { found, type RefusalOptions } from '../../domain/refusals.ts';
import { dayAt } from '../../domain/statements.ts';
import { now } from '../../domain/time/now.ts';
import type { OwnCall } from '../callers.ts';

/** A customer's call that submits a form. */
export interface Submitting extends OwnCall<
  'application_open' | 'application_final' | 'retry_later' | 'already_decided' | 'field_locked'
> {
  readonly newId: string;
}

/** What a submission goes by. */
export type SubmissionSettings = Pick<
  Config,
  'KYC_REFUSED_COUNTRIES' | 'KYC_DOCUMENT_DAYS' | 'BANK_TIME_ZONE'
>;

/** An application of a person or of a company. */
export type ApplicationRow = KycApplicationRow | KybApplicationRow;

/** One application; if an owner is given, only their own. Refuses not_found. */
export async function applicationOf(
  db: EntityManager,
  kind: ApplicationKind,
  id: ApplicationId,
  owner: UserId | null = null,
): Promise<ApplicationRow> {
  return found(await (kind === 'kyc' ? kycApplicationOf : kybApplicationOf).first(db, { id, owner }));
}

/** What whoever comes too late learns of how an application was decided, or of how else it ended. */
export function decided({ status, decision, decidedBy, decidedAt, endedAt }: ApplicationRow): RefusalOptions {
  const isDecision = status !== 'expired' && status !== 'withdrawn' && decision !== null;
  return {
    members: {
      decision: status,
      decided_by: isDecision ? decidedBy : null,
      decided_at: (isDecision ? decidedAt : endedAt)?.toISOString() ?? null,
    },
  };
}

/** Why nothing can be submitted beside this application. Which administrator decided is none of the customer's business. */
export function whyNot(application: ApplicationRow, retryAt: Date | null): RefusalOptions {
  const { decided_by: _, ...members } = decided(application).members ?? {};
  return {
    members: {
      ...{ application_id: application.id, ...members },
      ...(retryAt === null ? {} : { retry_at: retryAt.toISOString() }),
    },
  };
}

/** Refuses a form that differs from the one before in what nobody has asked for. A document that has expired since can be replaced. */
export function requireUnlocked(
  { refusal }: Pick<OwnCall<'field_locked'>, 'refusal'>,
  { form, items }: ApplicationRow,
  after: object,
  timeZone: string,
): void {
  const open = items.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const expires = 'document' in form ? form.document?.expires_on : undefined;
  if (expires !== undefined && expires <= dayAt(now(), timeZone)) open.push('/document');
  const pointer = lockedChange(form, after, open);
  if (pointer !== undefined) throw refusal('field_locked', { members: { pointer } });
}

/** Writes a submission into the audit log; `before` is the application that the customer had, perhaps another one. */
export async function recordSubmission(
  { db, actor }: Pick<Submitting, 'db' | 'actor'>,
  { kind, id, status, round }: ApplicationRow,
  before: ApplicationRow | undefined,
): Promise<void> {
  await record(db, actor, {
    action: `${kind}_application.submitted`,
    subject: [`${kind}_application`, id],
    ...(before?.id === id ? { before: { status: before.status, round: before.round } } : {}),
    after: { status, round },
  });
}

/** Withdraws the caller's own application. */
export async function withdrawOwn(
  { db, actor, refusal }: OwnCall<'already_decided'>,
  kind: ApplicationKind,
  id: ApplicationId,
): Promise<void> {
  const before = await applicationOf(db, kind, id, actor.id);
  const verdict = await withdrawApplication.one(db, { id, owner: actor.id });
  if (verdict.refusal !== null) {
    const { decided_by: _, ...members } = decided(await applicationOf(db, kind, id)).members ?? {};
    throw refusal('already_decided', { members });
  }
  await record(db, actor, {
    action: `${kind}_application.withdrawn`,
    subject: [`${kind}_application`, id],
    before: { status: before.status },
    after: { status: 'withdrawn' },
  });
}
