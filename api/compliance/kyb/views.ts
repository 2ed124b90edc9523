/** Checks of companies on the wire, as customers and as the back office see them. */
import type { z } from 'zod';
import type { ListedApplication } from '../../../db/queries/compliance/applications.ts';
import type { KybApplicationRow } from '../../../db/queries/compliance/kyb.ts';
import type { KybForm } from '../../../domain/compliance/kyb.ts';
import { ownershipOf } from '../../../domain/compliance/ownership.ts';
import { instructionOf, shownReason } from '../../../domain/compliance/reasons.ts';
import { languageOf, type Language } from '../../../domain/notifications/messages.ts';
import type { Case } from '../../../services/compliance/review.ts';
import { viewOf } from '../../wire/rows.ts';
import { doublesIn, formView, reviewedView } from '../kyc/admin-views.ts';
import { changeView, requiredView } from '../kyc/views.ts';
import * as wire from './schemas.ts';

const openView = viewOf(wire.KYBApplication.omit({ needs_second: true }));

/** An application in the list of the back office. */
export const listedView = ({ legalName, country, needsSecond, ...row }: ListedApplication) => ({
  ...openView({ ...row, legalName: legalName ?? '', country: country ?? '' }),
  needs_second: needsSecond,
});

/** An application as its customer sees it in short. */
export const submittedView = ({ form, ...row }: KybApplicationRow): z.output<typeof wire.KYBApplication> =>
  openView({ ...row, legalName: form.legal_name, country: form.country });

type Detail = z.output<typeof wire.KYBApplicationDetail>;

/** An application as its customer sees it. What reviewers write for each other is left out, and who they are. */
export function ownView(row: KybApplicationRow, locale: string): Detail {
  const language = languageOf(locale);
  const code = row.status === 'rejected' ? (row.code ?? 'other') : null;
  return {
    ...companyView(row, language),
    changes: row.status === 'changes_requested' ? row.items.map((item) => changeView(item, language)) : [],
    code: code === null ? null : shownReason(code),
    instruction: code === null ? null : instructionOf(code, language),
    ...{ final: row.final, retry_at: row.retryAt, renewal_reason: row.renewalReason, message: row.message },
  };
}

/** An application with all that a reviewer goes by. */
export function caseView(seen: Case<KybApplicationRow>, locale: string): Detail {
  const { application: row } = seen;
  return {
    ...reviewedView(seen),
    ...companyView(row, languageOf(locale)),
    needs_second: row.needsSecond,
    signals: [
      ...row.people
        .filter(({ status }) => status === 'rejected' || status === 'expired')
        .map(({ ref, status }) => ({
          code: `child_${status}`,
          detail: `The check of ${ref} is ${status}: decide about the company, or ask for changes.`,
        })),
      ...doublesIn(seen),
    ],
  };
}

function companyView(row: KybApplicationRow, language: Language) {
  const ownership = ownershipOf(row.form);
  if ('faults' in ownership) throw new Error('an application was submitted with faults');
  const { beneficial_owners: owners, unexplained_percent } = ownership;
  return {
    ...submittedView(row),
    form: companyForm(row.form),
    required_documents: requiredView(row, language),
    children: row.people.map((person) => ({
      ...{ application_id: person.application_id, person_ref: person.ref, status: person.status },
      required_documents: requiredView(person, language),
      changes:
        person.status === 'changes_requested' ? person.items.map((item) => changeView(item, language)) : [],
    })),
    beneficial_owners: owners.map((owner) => ({ ...owner, paths: owner.paths.map((path) => [...path]) })),
    unexplained_percent,
  };
}

function companyForm({ trading_names, persons, companies, holdings, ...form }: KybForm) {
  return {
    ...form,
    trading_names: [...trading_names],
    persons: persons.map(({ ref, kind, ownership_percent, voting_percent, ...person }) => ({
      ...{ ref, kind, ...formView(person) },
      ...(ownership_percent === undefined ? {} : { ownership_percent }),
      ...(voting_percent === undefined ? {} : { voting_percent }),
    })),
    companies: companies.map((company) => ({ ...company })),
    holdings: holdings.map((holding) => ({ ...holding })),
  };
}
