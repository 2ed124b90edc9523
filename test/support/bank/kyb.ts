/** Checks of companies through the public API. */
import { z } from 'zod';
import type { Answered } from '../client.ts';
import { call } from './accounts.ts';
import type { Bank, Person } from './bank.ts';
import { acceptAll, Case, document, review } from './kyc.ts';

const person = (ref: string, kind: string, name: string, more: object = {}) => ({
  ...{ ref, kind, first_name: name, last_name: 'Smith', date_of_birth: '1980-03-04', nationalities: ['GB'] },
  ...more,
});

/** A company with two levels of owners: Ann has 60 % through a holding, and Ben is a director. */
export const KYB_FORM = {
  ...{ legal_name: 'Smith Trading GmbH', trading_names: ['Smith Shop'], legal_form: 'GmbH', country: 'DE' },
  ...{ registration_number: 'HRB 12345', incorporated_on: '2015-06-01', industry_code: '62.01' },
  address: { line1: 'Platz der Republik 1', postal_code: '11011', city: 'Berlin', country: 'DE' },
  persons: [person('ann', 'owner', 'Ann'), person('ben', 'director', 'Ben')],
  companies: [
    { ref: 'holding', legal_name: 'Smith Holding AG', country: 'DE', registration_number: 'HRB 1' },
  ],
  holdings: [
    { owner_ref: 'ann', company_ref: 'holding', percent: '100' },
    { owner_ref: 'holding', company_ref: 'self', percent: '60' },
  ],
};
/** The documents that the company needs; Ann needs a passport, and Ben nothing. */
export const KYB_DOCUMENTS = ['registry_extract', 'articles', 'shareholder_register', 'proof_of_ownership'];

export const Company = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  round: z.int(),
  required_documents: z.array(z.looseObject({ document_type: z.string(), state: z.string() })),
  children: z.array(
    z.looseObject({
      application_id: z.uuid(),
      person_ref: z.string(),
      status: z.string(),
      required_documents: z.array(z.looseObject({ document_type: z.string(), state: z.string() })),
    }),
  ),
});
const Created = z.looseObject({ document_id: z.uuid(), application_status: z.string() });

export interface CompanyApplicant {
  readonly person: Person;
  readonly id: string;
}

export const submitCompany = (customer: Person, form: object = KYB_FORM): Promise<Answered> =>
  call(customer, 'POST', '/v1/kyb/applications', form);

/** How the customer sees it now. */
export const myCompany = async ({ person: customer }: Pick<CompanyApplicant, 'person'>) =>
  (await call(customer, 'GET', '/v1/kyb/applications/me')).as(Company);

/** The check of one of its people. */
export async function childOf(applicant: CompanyApplicant, ref: string) {
  const { children } = await myCompany(applicant);
  const child = children.find(({ person_ref }) => person_ref === ref);
  if (child === undefined) throw new Error(`nobody is called ${ref}`);
  return { ...child, id: child.application_id };
}

/** Hands in a document of the company, or of one of its people. */
export const handInCompany = async (
  { person: customer, id }: CompanyApplicant,
  type: string,
  ref?: string,
): Promise<Answered> =>
  call(customer, 'POST', `/v1/kyb/applications/${id}/documents`, {
    ...document(type),
    ...(ref === undefined ? {} : { person_id: ref }),
  });

/** A customer whose company has applied, with no document yet. */
export async function companyApplied(bank: Bank, form: object = KYB_FORM): Promise<CompanyApplicant> {
  const customer = await bank.customer();
  const { id } = (await submitCompany(customer, form)).as(z.looseObject({ id: z.uuid() }));
  return { person: customer, id };
}

/** A company whose application has all documents, those of its people too. */
export async function companyComplete(bank: Bank, form: object = KYB_FORM): Promise<CompanyApplicant> {
  const applicant = await companyApplied(bank, form);
  const { required_documents: needed, children } = await myCompany(applicant);
  for (const { document_type: type } of needed) (await handInCompany(applicant, type)).as(Created);
  for (const child of children)
    for (const { document_type: type } of child.required_documents)
      (await handInCompany(applicant, type, child.person_ref)).as(Created);
  return applicant;
}

/** The application as the back office sees it. */
export const companyCase = (office: Person, { id }: Pick<CompanyApplicant, 'id'>): Promise<Answered> =>
  call(office, 'GET', `/v1/admin/kyb/applications/${id}`);

/** Accepts all documents of the company that count. */
export async function acceptCompany(office: Person, { id }: Pick<CompanyApplicant, 'id'>): Promise<void> {
  const { documents } = (await companyCase(office, { id })).as(Case);
  for (const { document_id: file, counts } of documents)
    if (counts)
      await call(office, 'POST', `/v1/admin/kyb/applications/${id}/documents/${file}/review`, {
        decision: 'accept',
      });
}

/** Approves the check of each person. */
export async function approvePeople(office: Person, applicant: CompanyApplicant): Promise<void> {
  for (const { application_id: id, status } of (await myCompany(applicant)).children) {
    if (status !== 'in_review') continue;
    await acceptAll(office, { id });
    await review(office, { id }, { decision: 'approve' });
  }
}

export const reviewCompany = (
  office: Person,
  { id }: Pick<CompanyApplicant, 'id'>,
  verdict: object,
): Promise<Answered> => call(office, 'POST', `/v1/admin/kyb/applications/${id}/review`, verdict);

/** A company that could be approved, and who does so. */
export async function companyReady(bank: Bank, office: Person): Promise<CompanyApplicant> {
  const applicant = await companyComplete(bank);
  await acceptCompany(office, applicant);
  await approvePeople(office, applicant);
  return applicant;
}
