/** Checks of companies put straight into the books. */
import { newUuid } from '../../../adapters/new-id.ts';
import { kybApplicationOf, submitKyb, type KybApplicationRow } from '../../../db/queries/compliance/kyb.ts';
import { applicantOf, type KybForm } from '../../../domain/compliance/kyb.ts';
import { personDocuments, type DocumentType } from '../../../domain/compliance/kyc-documents.ts';
import { ApplicationId, type UserId } from '../../../domain/ids.ts';
import type { Books } from './books.ts';
import { acceptDocuments, DAYS, handInTo } from './kyc-books.ts';
import { KYC_FORM } from './kyc.ts';
import { KYB_FORM } from './kyb.ts';

const { document } = KYC_FORM;
const person = (ref: string, name: string) => ({
  ...{ ref, kind: 'owner' as const, first_name: name, last_name: 'Smith', date_of_birth: '1980-03-04' },
  ...{ nationalities: ['GB'], ownership_percent: '40', document },
});

/** A company that two people own. */
export const COMPANY = {
  ...KYB_FORM,
  persons: [person('ann', 'Ann'), person('ben', 'Ben')] as const,
  ...{ companies: [], holdings: [] },
} satisfies KybForm;

/** Submits a form; answers why not, or the application there is then. */
export const submitCompanyTo = (
  books: Books,
  user: UserId,
  form: KybForm = COMPANY,
  enhanced: readonly DocumentType[] = [],
) =>
  submitKyb.one(books.em(), {
    ...{ id: ApplicationId.parse(newUuid()), user, form, grants: 1, enhanced },
    ...{ required: ['registry_extract'], documentDays: DAYS.document },
    people: form.persons.map((each) => ({
      ...{ id: ApplicationId.parse(newUuid()), ref: each.ref, form: applicantOf(each) },
      required: each.kind === 'director' ? [] : personDocuments(each),
    })),
  });

export const companyOf = (books: Books, id: ApplicationId): Promise<KybApplicationRow> =>
  kybApplicationOf.one(books.em(), { id, owner: null });

/** A company whose people have handed in their documents; the company itself has not. */
export async function companySubmitted(books: Books, user: UserId, form: KybForm = COMPANY) {
  const { application } = await submitCompanyTo(books, user, form);
  const id = ApplicationId.parse(application);
  const children: ApplicationId[] = [];
  for (const { application_id: child, documents } of (await companyOf(books, id)).people) {
    for (const { document_type: type } of documents) await handInTo(books, { id: child, userId: user }, type);
    children.push(child);
  }
  return { id, children };
}

/** Hands in and accepts what the company needs. */
export async function completeCompany(books: Books, office: UserId, id: ApplicationId): Promise<void> {
  const { userId } = await companyOf(books, id);
  await handInTo(books, { id, userId }, 'registry_extract');
  await acceptDocuments(books, office, id);
}
