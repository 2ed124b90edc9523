/** Identity checks through the public API. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { pdf } from '../formats/pdfs.ts';
import type { Answered } from '../client.ts';
import { call } from './accounts.ts';
import type { Bank, Person } from './bank.ts';

/** What somebody says of themselves whom nothing speaks against. */
export const KYC_FORM = {
  first_name: 'Ann',
  last_name: 'Smith',
  date_of_birth: '1990-04-02',
  nationalities: ['GB'],
  address: { line1: 'Platz der Republik 1', postal_code: '11011', city: 'Berlin', country: 'DE' },
  tax_residencies: [{ country: 'DE', tin: '12345678903' }],
  pep_declared: false,
  document: { type: 'passport', number: 'C01X00T47', issuing_country: 'GB', expires_on: '2044-05-31' },
} as const;

/** The documents that such a form needs. */
export const KYC_DOCUMENTS = ['passport', 'proof_of_address'] as const;

export const Submitted = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  round: z.int(),
  required_documents: z.array(z.looseObject({ document_type: z.string(), state: z.string() })),
});
const Created = z.looseObject({ document_id: z.uuid(), application_status: z.string() });
export const Case = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  documents: z.array(
    z.looseObject({ document_id: z.uuid(), document_type: z.string(), counts: z.boolean() }),
  ),
});

/** Somebody who applies. */
export interface Applicant {
  readonly person: Person;
  readonly id: string;
}

export const submit = (person: Person, form: object = KYC_FORM): Promise<Answered> =>
  call(person, 'POST', '/v1/kyc/applications', form);

/** How the person sees it now. */
export const statusOf = async ({ person }: Pick<Applicant, 'person'>) =>
  (await call(person, 'GET', '/v1/kyc/applications/me')).body;

/** What the books say of the person, whatever the API shows. */
export const levelOf = async (bank: Bank, { id }: Pick<Person, 'id'>) =>
  (await bank.asOwner('select kyc_status, kyc_level from users where id = $1', [id]))[0];

/** A file that nobody else has. */
export const document = (type: string) => ({
  document_type: type,
  ...{ file_name: `${type}.pdf`, content_type: 'application/pdf' },
  content_base64: pdf({ catalog: `/Of(${randomUUID()})` }).toString('base64'),
});

/** Hands a document in; answers its id. */
export async function handIn({ person, id }: Applicant, type: string): Promise<string> {
  const path = `/v1/kyc/applications/${id}/documents`;
  return (await call(person, 'POST', path, document(type))).as(Created).document_id;
}

/** A person who has submitted a form, and handed nothing in. */
export async function applied(bank: Bank, form: object = KYC_FORM): Promise<Applicant> {
  const person = await bank.customer();
  return { person, id: (await submit(person, form)).as(Submitted).id };
}

/** A person whose application has all documents that it needs. */
export async function complete(bank: Bank, form: object = KYC_FORM): Promise<Applicant> {
  const applicant = await applied(bank, form);
  const { required_documents: needed } = Submitted.pick({ required_documents: true }).parse(
    await statusOf(applicant),
  );
  for (const { document_type: type } of needed) await handIn(applicant, type);
  return applicant;
}

export const reviewer = (bank: Bank): Promise<Person> => bank.admin('compliance:read', 'compliance:review');

/** What a refusal looks like. */
export const refused = (code: string, more: object = {}, status = 409) => ({
  status,
  body: { code, ...more },
});

/** The faults of a request that is not valid: `/last_name required`. */
export const faults = (answer: { readonly body: unknown }): readonly string[] =>
  z
    .object({ errors: z.array(z.object({ pointer: z.string(), code: z.string() })) })
    .parse(answer.body)
    .errors.map(({ pointer, code }) => `${pointer} ${code}`);

/** The application as the back office sees it. */
export const caseOf = async (office: Person, { id }: Pick<Applicant, 'id'>) =>
  (await call(office, 'GET', `/v1/admin/kyc/applications/${id}`)).as(Case);

/** Accepts all documents that count. */
export async function acceptAll(office: Person, applicant: Pick<Applicant, 'id'>): Promise<void> {
  const { documents } = await caseOf(office, applicant);
  for (const { document_id: document, counts } of documents)
    if (counts)
      await call(office, 'POST', `/v1/admin/kyc/applications/${applicant.id}/documents/${document}/review`, {
        decision: 'accept',
      });
}

export const review = (office: Person, { id }: Pick<Applicant, 'id'>, verdict: object): Promise<Answered> =>
  call(office, 'POST', `/v1/admin/kyc/applications/${id}/review`, verdict);

/** A person whom the bank has approved. */
export async function approved(bank: Bank, form: object = KYC_FORM): Promise<Applicant> {
  const applicant = await complete(bank, form);
  const office = await reviewer(bank);
  await acceptAll(office, applicant);
  await review(office, applicant, { decision: 'approve' });
  return applicant;
}
