/** Identity checks at the back office: documents are accepted one by one, and then the application is decided. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { askedOfParty } from '../../db/queries/aml/parties.ts';
import {
  kycDecisionsOf,
  kycDocumentsOf,
  reviewKycDocument,
  sharedKycDocuments,
  type KycDecisionRow,
  type KycDocumentRow,
} from '../../db/queries/compliance/kyc-documents.ts';
import {
  decideKyc,
  kycApplicationOf,
  type KycApplicationRow,
  type KycVerdict,
} from '../../db/queries/compliance/kyc.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { MOST_ROUNDS, type RequestedChange, type ReviewDecision } from '../../domain/compliance/kyc.ts';
import type { KycApplicationId, UploadId } from '../../domain/ids.ts';
import { faultIn, found, type RefusalOptions } from '../../domain/refusals.ts';
import { screenParty } from '../aml/screening.ts';
import type { AdminCall } from '../callers.ts';

type Code =
  | 'already_decided'
  | 'same_person'
  | 'too_many_rounds'
  | 'user_blocked'
  | 'documents_open'
  | 'document_expired'
  | 'match_open';

interface Reviewing extends Pick<AdminCall<Code>, 'db' | 'actor' | 'refusal'> {
  readonly newId: string;
}

/** An application as reviewers see it. */
export interface KycCase {
  readonly application: KycApplicationRow;
  readonly files: readonly KycDocumentRow[];
  readonly decisions: readonly KycDecisionRow[];
  /** Documents that other customers have handed in as well, by id. */
  readonly shared: ReadonlySet<string>;
}

/** One application with its files and decisions. Refuses not_found. */
export async function kycCase(db: EntityManager, id: KycApplicationId): Promise<KycCase> {
  const application = found(await kycApplicationOf.first(db, { id, owner: null }));
  const files = await kycDocumentsOf.all(db, { application: id });
  const decisions = await kycDecisionsOf.all(db, { application: id });
  const shared = await sharedKycDocuments.all(db, { application: id });
  return { application, files, decisions, shared: new Set(shared.map(({ document }) => document)) };
}

/**
 * Approves or rejects an application, or asks for changes. Where two people have to approve, it stays as it is after the first. Whoever is
 * approved is compared with the lists in force before.
 */
export async function decideOnKyc(
  { db, actor, newId, refusal }: Reviewing,
  id: KycApplicationId,
  { decision, ...verdict }: KycVerdict & { readonly decision: ReviewDecision },
  config: Pick<Config, 'KYC_RETRY_DAYS' | 'KYC_CHANGES_DAYS' | 'AML_MATCH_THRESHOLD'>,
): Promise<void> {
  const before = found(await kycApplicationOf.first(db, { id, owner: null }));
  const items = verdict.items && named(verdict.items, before);
  // what is found stands, whatever becomes of the approval
  if (decision === 'approve') await screenApplicant(db, before, config.AML_MATCH_THRESHOLD);
  await transaction(db, async (tx) => {
    const {
      refusal: no,
      about,
      needsSecond,
      isRepeat,
    } = await decideKyc.one(tx, {
      ...{ id, decision: newId, by: actor.id, wanted: decision, said: { ...verdict, items } },
      ...{ retryDays: config.KYC_RETRY_DAYS, changesDays: config.KYC_CHANGES_DAYS, mostRounds: MOST_ROUNDS },
    });
    if (no !== null) throw refusal(no, await membersOf(tx, no, about, id));
    if (isRepeat) return;
    const after = await kycApplicationOf.one(tx, { id, owner: null });
    await record(tx, actor, {
      action: needsSecond ? 'kyc_application.reviewed' : `kyc_application.${after.status}`,
      subject: ['kyc_application', id],
      before: { status: before.status, round: before.round },
      after: { status: after.status, decision, first_by: after.firstBy },
      reason: verdict.note?.slice(0, 500) ?? null,
    });
  });
}

/** Compares the person with the lists, also under the name on the application. */
async function screenApplicant(
  db: EntityManager,
  { id, userId }: KycApplicationRow,
  threshold: number,
): Promise<void> {
  for (const party of [
    { partyType: 'customer', partyId: userId },
    { partyType: 'kyc_application', partyId: id },
  ] as const) {
    const { asked } = await askedOfParty.one(db, party);
    if (asked !== null) await screenParty(db, { ...party, asked }, threshold);
  }
}

/** The changes with the types of the documents that they name. */
function named(
  items: readonly RequestedChange[],
  { documents }: KycApplicationRow,
): readonly RequestedChange[] {
  return items.map((item, at) => {
    if (item.document_id === undefined) return item;
    const document = documents.find(({ document_id }) => document_id === item.document_id);
    if (document === undefined)
      throw faultIn(`/items/${at}/document_id`, 'unknown', 'is no document that counts in this application');
    return { ...item, document_type: document.document_type };
  });
}

async function membersOf(
  db: EntityManager,
  code: string,
  about: readonly string[],
  id: KycApplicationId,
): Promise<RefusalOptions> {
  if (code === 'documents_open') return { members: { document_types: about } };
  if (code === 'match_open') return { members: { flags: about } };
  if (code !== 'already_decided') return {};
  const { status: decision, decidedBy, decidedAt } = await kycApplicationOf.one(db, { id, owner: null });
  return {
    members: { decision, decided_by: decidedBy, decided_at: decidedAt?.toISOString() ?? null },
  };
}

/** Accepts or rejects one document; the one that was decided on last counts until the application is decided. */
export async function reviewDocumentOfKyc(
  { db, actor, refusal }: Pick<AdminCall<'already_decided' | 'same_person'>, 'db' | 'actor' | 'refusal'>,
  application: KycApplicationId,
  document: UploadId,
  { decision, code }: { readonly decision: 'accept' | 'reject'; readonly code?: string | undefined },
): Promise<void> {
  const verdict = `${decision}ed` as const;
  const { refusal: no } = await reviewKycDocument.one(db, {
    ...{ application, document, by: actor.id, verdict, code: code ?? null },
  });
  if (no === 'not_found') throw refusal('not_found');
  if (no !== null) throw refusal(no, await membersOf(db, no, [], application));
  await record(db, actor, {
    action: `kyc_application.document_${verdict}`,
    subject: ['kyc_application', application],
    after: { document_id: document, code: code ?? null },
  });
}
