/** Applications at the back office: documents are accepted one by one, and then the application is decided. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import { askedOfParty } from '../../db/queries/aml/parties.ts';
import {
  kycDecisionsOf,
  kycDocumentOf,
  kycDocumentsOf,
  reviewKycDocument,
  sharedKycDocuments,
  type KycDecisionRow,
  type KycDocumentRow,
} from '../../db/queries/compliance/kyc-documents.ts';
import { decideApplication, type Verdict } from '../../db/queries/compliance/applications.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { transaction } from '../../db/transaction.ts';
import {
  knownPointer,
  MOST_ROUNDS,
  type ApplicationKind,
  type RequestedChange,
  type ReviewDecision,
} from '../../domain/compliance/applications.ts';
import type { ApplicationId, UploadId } from '../../domain/ids.ts';
import { faultIn, found, type RefusalOptions } from '../../domain/refusals.ts';
import { screenParty } from '../aml/screening.ts';
import type { AdminCall } from '../callers.ts';
import { applicationOf, decided, type ApplicationRow } from './applications.ts';

type Code =
  | 'already_decided'
  | 'same_person'
  | 'too_many_rounds'
  | 'user_blocked'
  | 'documents_open'
  | 'children_open'
  | 'document_expired'
  | 'match_open';

interface Reviewing extends Pick<AdminCall<Code>, 'db' | 'actor' | 'refusal'> {
  readonly newId: string;
}

/** An application as reviewers see it. */
export interface Case<Row extends ApplicationRow> {
  readonly application: Row;
  readonly files: readonly KycDocumentRow[];
  readonly decisions: readonly KycDecisionRow[];
  /** Documents that other customers have handed in as well, by id. */
  readonly shared: ReadonlySet<string>;
}

/** An application with its files and decisions. Refuses same_person: staff see nothing of what others think of them. */
export async function caseOf<Row extends ApplicationRow>(
  { db, actor, refusal }: Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'>,
  application: Row,
): Promise<Case<Row>> {
  if (application.userId === actor.id) throw refusal('same_person');
  const of = { application: application.id };
  const files = await kycDocumentsOf.all(db, of);
  const decisions = await kycDecisionsOf.all(db, of);
  const shared = await sharedKycDocuments.all(db, of);
  return { application, files, decisions, shared: new Set(shared.map(({ document }) => document)) };
}

/**
 * Approves or rejects an application, or asks for changes. Where two people have to approve, it stays as it is after the first. Whoever is
 * approved is compared with the lists in force before.
 */
export async function decideOn(
  { db, actor, newId, refusal }: Reviewing,
  kind: ApplicationKind,
  id: ApplicationId,
  { decision, ...verdict }: Verdict & { readonly decision: ReviewDecision },
  config: Pick<Config, 'KYC_RETRY_DAYS' | 'KYC_CHANGES_DAYS' | 'AML_MATCH_THRESHOLD'>,
): Promise<void> {
  const before = await applicationOf(db, kind, id);
  const items = verdict.items && named(verdict.items, before);
  // what is found stands, whatever becomes of the approval
  if (decision === 'approve') await screenApplicants(db, before, config.AML_MATCH_THRESHOLD);
  await transaction(db, async (tx) => {
    const {
      refusal: no,
      about,
      needsSecond,
      isRepeat,
    } = await decideApplication.one(tx, {
      ...{ id, decision: newId, by: actor.id, wanted: decision, said: { ...verdict, items } },
      ...{ retryDays: config.KYC_RETRY_DAYS, changesDays: config.KYC_CHANGES_DAYS, mostRounds: MOST_ROUNDS },
    });
    if (no !== null) throw refusal(no, await membersOf(tx, no, about, before));
    if (isRepeat) return;
    const after = await applicationOf(tx, kind, id);
    await record(tx, actor, {
      action: needsSecond ? `${kind}_application.reviewed` : `${kind}_application.${after.status}`,
      subject: [`${kind}_application`, id],
      before: { status: before.status, round: before.round },
      after: { status: after.status, decision, first_by: after.firstBy },
      reason: verdict.note?.slice(0, 500) ?? null,
    });
  });
}

/** Compares the customer with the lists, each name that the application gives, and the people of a company. */
async function screenApplicants(
  db: EntityManager,
  { id, kind, userId, ...application }: ApplicationRow,
  threshold: number,
): Promise<void> {
  const people = 'people' in application ? application.people : [];
  for (const party of [
    { partyType: 'customer', partyId: userId },
    { partyType: `${kind}_application`, partyId: id },
    ...people.map((person) => ({ partyType: 'kyc_application', partyId: person.application_id }) as const),
  ] as const) {
    const { asked } = await askedOfParty.one(db, party);
    if (asked !== null) await screenParty(db, { ...party, asked }, threshold);
  }
}

/** The changes with the types of the documents that they name, each field as far as the form has it. */
function named(items: readonly RequestedChange[], application: ApplicationRow): readonly RequestedChange[] {
  const isOfPerson = application.kind === 'kyc' && application.kybApplicationId !== null;
  return items.map((item, at) => {
    if (item.field !== undefined && isOfPerson)
      throw faultIn(
        `/items/${at}/field`,
        'not_applicable',
        'stands in the form of the company: ask for it there',
      );
    if (item.field !== undefined) return { ...item, field: knownPointer(application.form, item.field) };
    const document = application.documents.find(({ document_id }) => document_id === item.document_id);
    if (document === undefined)
      throw faultIn(`/items/${at}/document_id`, 'unknown', 'is no document that counts in this application');
    return { ...item, document_type: document.document_type };
  });
}

async function membersOf(
  db: EntityManager,
  code: string,
  about: readonly string[],
  { kind, id }: ApplicationRow,
): Promise<RefusalOptions> {
  if (code === 'documents_open') return { members: { document_types: about } };
  if (code === 'children_open') return { members: { application_ids: about } };
  if (code === 'match_open') return { members: { flags: about } };
  return code === 'already_decided' ? decided(await applicationOf(db, kind, id)) : {};
}

/** A document that somebody is about to look at, which the audit log keeps. Refuses same_person. */
export async function openDocument(
  { db, actor, refusal }: Pick<AdminCall<'same_person'>, 'db' | 'actor' | 'refusal'>,
  kind: ApplicationKind,
  id: ApplicationId,
  document: UploadId,
): Promise<KycDocumentRow> {
  const { userId } = await applicationOf(db, kind, id);
  if (userId === actor.id) throw refusal('same_person');
  const known = await kycDocumentOf.first(db, { applicationId: id, uploadId: document });
  const file = found(known?.status === 'confirmed' ? known : undefined);
  await record(db, actor, {
    action: `${kind}_application.document_opened`,
    subject: [`${kind}_application`, id],
    after: { document_id: document, document_type: file.type },
  });
  return file;
}

/** Accepts or rejects one document; the one that was decided on last counts until the application is decided. */
export async function reviewDocument(
  { db, actor, refusal }: Pick<AdminCall<'already_decided' | 'same_person'>, 'db' | 'actor' | 'refusal'>,
  kind: ApplicationKind,
  id: ApplicationId,
  document: UploadId,
  { decision, code }: { readonly decision: 'accept' | 'reject'; readonly code?: string | undefined },
): Promise<void> {
  const application = await applicationOf(db, kind, id);
  const verdict = `${decision}ed` as const;
  const { refusal: no } = await reviewKycDocument.one(db, {
    ...{ application: id, document, by: actor.id, verdict, code: code ?? null },
  });
  if (no === 'not_found') throw refusal('not_found');
  if (no !== null) throw refusal(no, await membersOf(db, no, [], application));
  await record(db, actor, {
    action: `${kind}_application.document_${verdict}`,
    subject: [`${kind}_application`, id],
    after: { document_id: document, code: code ?? null },
  });
}
