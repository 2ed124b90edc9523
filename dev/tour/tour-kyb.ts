/** The part of the tour in which a company with two levels of owners is checked. */
import { z } from 'zod';
import { call, type Client } from '../client/http.ts';
import { putIntoStore } from '../client/upload.ts';
import { page } from './page.ts';
import { chapter, say } from './say.ts';

const Any = z.looseObject({});
const Needs = z.array(z.looseObject({ document_type: z.string() }));
const Company = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  required_documents: Needs,
  children: z.array(
    z.looseObject({ application_id: z.uuid(), person_ref: z.string(), required_documents: Needs }),
  ),
  beneficial_owners: z.array(
    z.looseObject({ ref: z.string(), ownership_percent: z.string(), paths: z.array(z.array(z.string())) }),
  ),
  unexplained_percent: z.string(),
});
const Case = z.looseObject({
  status: z.string(),
  documents: z.array(z.looseObject({ document_id: z.uuid(), counts: z.boolean() })),
});

const person = (ref: string, kind: string, first_name: string) => ({
  ...{ ref, kind, first_name, last_name: 'Our', date_of_birth: '1980-03-04', nationalities: ['GB'] },
});
const FORM = {
  ...{ legal_name: 'Tour Trading GmbH', legal_form: 'GmbH', registration_number: 'HRB 12345', country: 'DE' },
  ...{ incorporated_on: '2015-06-01', industry_code: '62.01' },
  address: { line1: 'Platz der Republik 1', postal_code: '11011', city: 'Berlin', country: 'DE' },
  persons: [person('tara', 'owner', 'Tara'), person('tom', 'director', 'Tom')],
  companies: [{ ref: 'holding', legal_name: 'Tour Holding AG', country: 'DE', registration_number: 'HRB 1' }],
  holdings: [
    { owner_ref: 'tara', company_ref: 'holding', percent: '62.5' },
    { owner_ref: 'holding', company_ref: 'self', percent: '40' },
  ],
};

/** Submits a company, hands documents in, and is approved after its people. Throws unless exactly 25 percent makes an owner. */
export async function proveCompany(
  { client, token }: { readonly client: Client; readonly token: string },
  admin: string,
  ui: string,
): Promise<void> {
  chapter('12. A company with two levels of owners: its people first, then the company');
  const mine = () => call(client, 'GET', '/v1/kyb/applications/me', Company, { token });
  await call(client, 'POST', '/v1/kyb/applications', Any, { token, key: true, body: FORM });
  const { id, children, required_documents: needed, beneficial_owners: owners, ...rest } = await mine();
  const [owner] = owners;
  if (owner?.ownership_percent !== '25.000000') throw new Error('exactly 25 percent is not counted');
  say(
    `  ${owner.ref} owns ${owner.ownership_percent} %: ${owner.paths.map((path) => path.join(' → ')).join(', ')}`,
  );
  say(`  ${rest.unexplained_percent} % belong to nobody who is named`);

  const root = `/v1/kyb/applications/${id}/documents`;
  const upload = async (type: string, person_id?: string) => {
    const content = await page(`Specimen: ${type} of ${person_id ?? 'the company'}, ${id}`);
    const file = {
      document_type: type,
      file_name: `${type}.pdf`,
      content_type: 'application/pdf',
      person_id,
    };
    const document = await putIntoStore(client, token, root, file, content);
    await call(client, 'POST', `${root}/${document}/confirm`, Any, { token });
  };
  for (const { document_type: type } of needed) await upload(type);
  for (const child of children)
    for (const { document_type: type } of child.required_documents) await upload(type, child.person_ref);

  const approve = async (kind: 'kyc' | 'kyb', application: string) => {
    const path = `/v1/admin/${kind}/applications/${application}`;
    const { documents } = await call(client, 'GET', path, Case, { token: admin });
    for (const { document_id: document, counts } of documents)
      if (counts)
        await call(client, 'POST', `${path}/documents/${document}/review`, Any, {
          ...{ token: admin, key: true, body: { decision: 'accept' } },
        });
    const body = { decision: 'approve', note: 'Compared with the register' };
    return call(client, 'POST', `${path}/review`, Case, { token: admin, key: true, body });
  };
  for (const child of children) await approve('kyc', child.application_id);
  const { status } = await approve('kyb', id);
  say(`  ${String(children.length)} people are approved, then the company: ${status}`);
  say(`  ${ui}/namespaces/default/workflows/kyb%2F${id}`);
}
