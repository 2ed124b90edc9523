/** What the bank asks to be changed: only that may be changed, as long as it is asked for. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  acceptAll,
  caseOf,
  complete,
  document,
  KYC_FORM,
  review,
  reviewer,
  statusOf,
  submit,
  refused,
} from '../../support/bank/kyc.ts';
import { pdf } from '../../support/formats/pdfs.ts';
import { UploadAnswer } from '../stories/tickets.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await reviewer(bank);
});
afterAll(() => bank.close());

test('changes that are requested while the customer submits again open nothing else', async () => {
  const applicant = await complete(bank);
  const items = [{ field: 'occupation', code: 'other' }];
  const [asked, again] = await Promise.all([
    review(office, applicant, { decision: 'request_changes', items }),
    submit(applicant.person, { ...KYC_FORM, last_name: 'Jones' }),
  ]);
  expect(asked.status).toBe(200);
  expect(again).toMatchObject({ status: 409 });
  expect((await caseOf(office, applicant))['form']).toMatchObject({ last_name: 'Smith' });
});

test('a change is asked for by the pointer that errors have, and lets a document be replaced that has expired since', async () => {
  const applicant = await complete(bank, { ...KYC_FORM, tax_residencies: [{ country: 'DE' }] });
  const items = [
    { field: '/tax_residencies/0/tin', code: 'other' },
    { field: '/last_name/x', code: 'name_mismatch' },
  ];
  await review(office, applicant, { decision: 'request_changes', items });
  expect(await statusOf(applicant)).toMatchObject({
    changes: [
      { field: '/tax_residencies/0', instruction: expect.stringContaining('hand it in again') },
      { field: '/last_name' },
    ],
  });
  await bank.asOwner(
    `update kyc_applications set form = jsonb_set(form, '{document,expires_on}', '"2020-01-01"') where id = $1`,
    [applicant.id],
  );
  const form = {
    ...{ ...KYC_FORM, last_name: 'Smythe', tax_residencies: [{ country: 'DE', tin: '1' }] },
    document: { ...KYC_FORM.document, number: 'C02' },
  };
  expect(await submit(applicant.person, form)).toMatchObject({ status: 201, body: { round: 2 } });
});

test('in a later round an accepted document is not replaced, and what comes too late is not taken as handed in', async () => {
  const applicant = await complete(bank);
  const { person, id } = applicant;
  const root = `/v1/kyc/applications/${id}/documents`;
  const [passport] = (await caseOf(office, applicant)).documents;
  await acceptAll(office, applicant);
  const items = [{ document_id: passport?.document_id, code: 'document_cropped' }];
  await review(office, applicant, { decision: 'request_changes', items });
  const asked = { document_type: 'passport', file_name: 'x.pdf', content_type: 'application/pdf' };
  const upload = (await call(person, 'POST', `${root}/upload-url`, asked)).as(UploadAnswer);
  const body = Uint8Array.from(pdf());
  await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body });
  await submit(person);
  expect(await statusOf(applicant)).toMatchObject({ status: 'submitted', round: 2 });
  expect(await call(person, 'POST', root, document('proof_of_address'))).toMatchObject(
    refused('field_locked'),
  );
  await call(person, 'POST', `/v1/kyc/applications/${id}/withdraw`);
  expect(await call(person, 'POST', `${root}/${upload.document_id}/confirm`)).toMatchObject(
    refused('application_closed', { application_status: 'withdrawn' }),
  );
});

test('after five rounds nothing more is asked for, and two people approve', async () => {
  const applicant = await complete(bank);
  const ask = () =>
    review(office, applicant, {
      ...{ decision: 'request_changes', items: [{ field: '/occupation', code: 'other' }] },
    });
  for (const round of [2, 3, 4, 5]) {
    expect((await ask()).status).toBe(200);
    const next = await submit(applicant.person, { ...KYC_FORM, occupation: `Job ${round}` });
    expect(next).toMatchObject({ status: 201, body: { round, status: 'in_review' } });
  }
  expect(await ask()).toMatchObject(refused('too_many_rounds'));
  await acceptAll(office, applicant);
  expect((await review(office, applicant, { decision: 'approve' })).body).toMatchObject({
    second_review: { first_by: office.id },
  });
});
