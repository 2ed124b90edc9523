/** The part of the tour in which the bank learns who its customer is: documents, one correction, approval, and higher limits. */
import { z } from 'zod';
import { call, type Client } from '../client/http.ts';
import { putIntoStore } from '../client/upload.ts';
import { page } from './page.ts';
import { chapter, say } from './say.ts';

const Any = z.looseObject({});
const Submitted = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  required_documents: z.array(z.looseObject({ document_type: z.string(), state: z.string() })),
});
const Status = z.looseObject({
  status: z.string(),
  level: z.int(),
  changes: z.array(z.looseObject({ instruction: z.string() })),
});
const Case = z.looseObject({
  status: z.string(),
  documents: z.array(
    z.looseObject({ document_id: z.uuid(), document_type: z.string(), counts: z.boolean() }),
  ),
});
const Types = z.looseObject({
  items: z.array(
    z.looseObject({
      code: z.string(),
      limits: z.array(z.looseObject({ single: z.looseObject({ amount: z.string() }).nullable() })),
    }),
  ),
});

const FORM = {
  ...{ first_name: 'Tara', last_name: 'Our', date_of_birth: '1990-04-02', nationalities: ['GB'] },
  address: { line1: 'Platz der Republik 1', postal_code: '11011', city: 'Berlin', country: 'DE' },
  tax_residencies: [{ country: 'DE' }],
  pep_declared: false,
  document: { type: 'passport', number: 'C01X00T47', issuing_country: 'GB', expires_on: '2044-05-31' },
};

/** Submits, hands documents in, corrects one, and is approved. Throws unless the limits rise. */
export async function proveIdentity(
  { client, token }: { readonly client: Client; readonly token: string },
  admin: string,
  ui: string,
): Promise<void> {
  chapter('11. An identity check: documents, one correction, and higher limits');
  const limit = async (): Promise<string> => {
    const { items } = await call(client, 'GET', '/v1/transfer-types', Types, { token });
    return items.find(({ code }) => code === 'sepa')?.limits[0]?.single?.amount ?? '';
  };
  const before = await limit();
  const submit = () =>
    call(client, 'POST', '/v1/kyc/applications', Submitted, { token, key: true, body: FORM });
  const { id, required_documents: needed } = await submit();
  const root = `/v1/kyc/applications/${id}/documents`;
  const upload = async (type: string) => {
    const content = await page(`Specimen: ${type} of Tara Our, ${id}`);
    const file = { document_type: type, file_name: `${type}.pdf`, content_type: 'application/pdf' };
    const document = await putIntoStore(client, token, root, file, content);
    await call(client, 'POST', `${root}/${document}/confirm`, Any, { token });
  };
  for (const { document_type: type } of needed) await upload(type);
  say(`  submitted with ${needed.length} documents: ${ui}/namespaces/default/workflows/kyc%2F${id}`);

  const office = `/v1/admin/kyc/applications/${id}`;
  const seen = () => call(client, 'GET', office, Case, { token: admin });
  const review = (body: object) =>
    call(client, 'POST', `${office}/review`, Case, { token: admin, key: true, body });
  const passport = (await seen()).documents.find(({ document_type: type }) => type === 'passport');
  const items = [{ document_id: passport?.document_id, code: 'document_cropped' }];
  await review({ decision: 'request_changes', items });
  const mine = () => call(client, 'GET', '/v1/kyc/applications/me', Status, { token });
  const { changes } = await mine();
  say(`  the bank asks for a change: ${changes[0]?.instruction ?? ''}`);
  await upload('passport');
  await submit();

  const accept = { decision: 'accept' };
  for (const { document_id: document, counts } of (await seen()).documents)
    if (counts)
      await call(client, 'POST', `${office}/documents/${document}/review`, Any, {
        ...{ token: admin, key: true, body: accept },
      });
  await review({ decision: 'approve', note: 'Compared with the passport' });
  const { status, level } = await mine();
  const after = await limit();
  say(`  ${status}, level ${level}: one SEPA credit transfer may be ${before} € → ${after} €`);
  if (Number(after) <= Number(before)) throw new Error('the limits did not rise');
}
