/** The check of a customer's own company. */
import { newUuid } from '../../adapters/new-id.ts';
import { lockApplicationsOf } from '../../db/queries/compliance/applications.ts';
import {
  currentKybApplication,
  kybApplicationOf,
  submitKyb,
  type KybApplicationRow,
  type PersonSubmitted,
} from '../../db/queries/compliance/kyb.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { applicantOf, type KybForm, type KybPerson } from '../../domain/compliance/kyb.ts';
import {
  companyDocuments,
  ENHANCED_DOCUMENTS,
  personDocuments,
} from '../../domain/compliance/kyc-documents.ts';
import { levelOf } from '../../domain/compliance/kyc.ts';
import type { Ownership } from '../../domain/compliance/ownership.ts';
import { ApplicationId } from '../../domain/ids.ts';
import { kybProcess } from '../../workflows/kyb/process.ts';
import { kycProcess } from '../../workflows/kyc/process.ts';
import {
  recordSubmission,
  requireUnlocked,
  whyNot,
  type SubmissionSettings,
  type Submitting,
} from './applications.ts';
import { requireOwned } from './kyb-form.ts';

/**
 * Submits the form of the caller's company: as a new application, or, while changes are requested, as the next round of the one there is.
 * Each person whom it names gets an application of their own, unless they have one and are the same as before.
 */
export async function submitOwnKyb(
  { db, actor, newId, refusal }: Submitting,
  form: KybForm,
  config: SubmissionSettings,
): Promise<KybApplicationRow> {
  const ownership = requireOwned(form, config);
  // a reviewer who asks for changes at the same moment does so before this is read, or after it is submitted
  await lockApplicationsOf.one(db, { user: actor.id });
  const before = await currentKybApplication.first(db, { user: actor.id });
  if (before?.status === 'changes_requested')
    requireUnlocked({ refusal }, before, form, config.BANK_TIME_ZONE);
  const verdict = await submitKyb.one(db, {
    ...{ id: ApplicationId.parse(newId), user: actor.id, form },
    ...{ required: companyDocuments(form.companies.length > 0), enhanced: ENHANCED_DOCUMENTS.kyb },
    ...{ grants: levelOf(form), documentDays: config.KYC_DOCUMENT_DAYS },
    people: form.persons.map((person) => submitted(person, ownership)),
  });
  const id = ApplicationId.parse(verdict.application);
  const submittedNow = await kybApplicationOf.one(db, { id, owner: actor.id });
  if (verdict.refusal !== null) throw refusal(verdict.refusal, whyNot(submittedNow, verdict.notBefore));
  if (id === newId) await launch(db, kybProcess, { id, customerId: actor.id });
  for (const person of verdict.begun) await launch(db, kycProcess, { id: person, customerId: actor.id });
  await recordSubmission({ db, actor }, submittedNow, before);
  return submittedNow;
}

/** A person with the documents that they need: whoever owns, controls or signs for the company identifies themselves. */
function submitted(person: KybPerson, { beneficial_owners: owners }: Ownership): PersonSubmitted {
  const form = applicantOf(person);
  const isIdentified = person.kind !== 'director' || owners.some(({ ref }) => ref === person.ref);
  return {
    ...{ id: ApplicationId.parse(newUuid()), ref: person.ref, form },
    required: isIdentified ? personDocuments(form) : [],
  };
}
