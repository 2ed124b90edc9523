/** Checks of companies from end to end: the company, its owners, and a check of each of its people. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  acceptCompany,
  approvePeople,
  childOf,
  companyApplied,
  companyCase,
  companyComplete,
  companyReady,
  handInCompany,
  KYB_DOCUMENTS,
  KYB_FORM,
  myCompany,
  reviewCompany,
  submitCompany,
} from '../../support/bank/kyb.ts';
import {
  acceptAll,
  caseOf,
  document,
  review,
  reviewer,
  submit,
  refused,
  faults,
} from '../../support/bank/kyc.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { newKey } from '../../support/client.ts';
import { pdf } from '../../support/formats/pdfs.ts';
import { UploadAnswer } from '../stories/tickets.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await reviewer(bank);
});
afterAll(() => bank.close());

const [ann, ben] = KYB_FORM.persons;

test('a company with two levels of owners is approved once each of its people is', async () => {
  const applicant = await companyApplied(bank);
  const { person } = applicant;
  expect((await call(person, 'GET', '/v1/kyb/applications/me')).body).toMatchObject({
    ...{ id: applicant.id, status: 'submitted', round: 1, legal_name: 'Smith Trading GmbH', country: 'DE' },
    required_documents: KYB_DOCUMENTS.map((type) => ({ document_type: type, state: 'missing' })),
    children: [
      { person_ref: 'ann', status: 'submitted', required_documents: [{ document_type: 'passport' }] },
      { person_ref: 'ben', status: 'in_review', required_documents: [] },
    ],
    beneficial_owners: [
      {
        ref: 'ann',
        ownership_percent: '60.000000',
        voting_percent: '60.000000',
        paths: [['ann', 'holding', 'self']],
      },
    ],
    unexplained_percent: '40.000000',
  });
  for (const type of KYB_DOCUMENTS) await handInCompany(applicant, type);
  expect(await myCompany(applicant)).toMatchObject({ status: 'in_review' });
  await acceptCompany(office, applicant);

  const [first, second] = [await childOf(applicant, 'ann'), await childOf(applicant, 'ben')];
  const approve = () => reviewCompany(office, applicant, { decision: 'approve', note: 'As in the register' });
  expect(await approve()).toMatchObject(refused('children_open', { application_ids: [first.id, second.id] }));
  expect(await handInCompany(applicant, 'passport', 'ann')).toMatchObject({
    status: 201,
    body: { application_id: first.id, application_status: 'in_review' },
  });
  await review(office, second, { decision: 'approve' });
  expect(await approve()).toMatchObject(refused('children_open', { application_ids: [first.id] }));
  await acceptAll(office, first);
  await review(office, first, { decision: 'approve' });
  expect(await approve()).toMatchObject({
    status: 200,
    body: {
      status: 'approved',
      decision: { kind: 'approve', by: office.id },
      reviews: [{ decision: 'approve' }],
    },
  });
  const [level] = await bank.asOwner('select kyc_status, kyc_level from users where id = $1', [person.id]);
  expect(level).toEqual({ kyc_status: 'none', kyc_level: 1 });
  const { items: told } = await feedOf(person, 1, '?type=kyb_update');
  expect(told.map(({ body }) => body)).toEqual(['We have checked your company. Everything is in order.']);
  expect(await submitCompany(person)).toMatchObject(refused('already_decided', { decision: 'approved' }));
});

test('whoever is the same person keeps their check through a resubmission, and nobody else does', async () => {
  const applicant = await companyComplete(bank);
  await approvePeople(office, applicant);
  const [first, second] = [await childOf(applicant, 'ann'), await childOf(applicant, 'ben')];
  const items = [
    { field: 'persons', code: 'owner_missing' },
    { field: 'holdings', code: 'ownership_unclear' },
    { field: '/legal_name', code: 'registry_mismatch' },
  ];
  await reviewCompany(office, applicant, { decision: 'request_changes', items });
  expect((await call(applicant.person, 'GET', '/v1/kyb/applications/me')).body).toMatchObject({
    status: 'changes_requested',
    changes: [{ field: '/persons' }, { field: '/holdings' }, { field: '/legal_name' }],
  });
  const locked = { ...KYB_FORM, registration_number: 'HRB 99' };
  expect(await submitCompany(applicant.person, locked)).toMatchObject(
    refused('field_locked', { pointer: '/registration_number' }),
  );
  const changed = {
    ...KYB_FORM,
    legal_name: 'Smith Trading AG',
    persons: [
      ann,
      { ...ben, last_name: 'Smythe' },
      { ...ben, ref: 'cy', kind: 'signatory', first_name: 'Cy' },
    ],
  };
  expect(await submitCompany(applicant.person, changed)).toMatchObject({
    status: 201,
    body: { id: applicant.id, round: 2, legal_name: 'Smith Trading AG' },
  });
  expect(await myCompany(applicant)).toMatchObject({
    status: 'in_review',
    children: [
      { person_ref: 'ann', application_id: first.id, status: 'approved' },
      { person_ref: 'ben', application_id: expect.not.stringContaining(second.id), status: 'in_review' },
      { person_ref: 'cy', status: 'submitted', required_documents: [{ document_type: 'passport' }] },
    ],
  });
  const { persons } = z
    .object({ form: z.object({ persons: z.array(z.looseObject({ ref: z.string() })) }) })
    .parse((await companyCase(office, applicant)).body).form;
  expect(persons.map(({ ref }) => ref)).toEqual(['ann', 'ben', 'cy']);
});

test('what a person of a company is asked for comes in with their name, and their review goes on by itself', async () => {
  const applicant = await companyComplete(bank);
  const child = await childOf(applicant, 'ann');
  const [passport] = (await caseOf(office, child)).documents;
  const asks = (items: readonly object[]) => review(office, child, { decision: 'request_changes', items });
  expect(faults(await asks([{ field: 'last_name', code: 'name_mismatch' }]))).toEqual([
    '/items/0/field not_applicable',
  ]);
  await asks([{ document_id: passport?.document_id, code: 'document_cropped' }]);
  expect((await call(applicant.person, 'GET', '/v1/kyb/applications/me')).body).toMatchObject({
    children: [
      {
        ...{ person_ref: 'ann', status: 'changes_requested' },
        changes: [{ document_type: 'passport', instruction: expect.stringContaining('corners') }],
      },
      { person_ref: 'ben' },
    ],
  });
  const { items: told } = await feedOf(applicant.person, 1, '?type=kyb_update');
  expect(told[0]?.body).toContain('We need something more from you');
  await handInCompany(applicant, 'passport', 'ann');
  expect((await call(office, 'GET', `/v1/admin/kyc/applications/${child.id}`)).body).toMatchObject({
    ...{ status: 'in_review', round: 2, kyb_application_id: applicant.id, person_ref: 'ann', country: null },
  });
});

test('a person who is rejected is a question about the company, and can be checked anew unless it is final', async () => {
  const applicant = await companyComplete(bank);
  await acceptCompany(office, applicant);
  const child = await childOf(applicant, 'ben');
  await review(office, child, { decision: 'reject', code: 'other' });
  expect((await companyCase(office, applicant)).body).toMatchObject({
    signals: [{ code: 'child_rejected' }],
  });
  const items = [{ field: '/persons/1', code: 'name_mismatch' }];
  await reviewCompany(office, applicant, { decision: 'request_changes', items });
  await submitCompany(applicant.person);
  const next = await childOf(applicant, 'ben');
  expect(next).toMatchObject({ status: 'in_review' });
  expect(next.id).not.toBe(child.id);

  await review(office, next, { decision: 'reject', code: 'suspected_forgery' });
  await reviewCompany(office, applicant, { decision: 'request_changes', items });
  await submitCompany(applicant.person);
  expect(await childOf(applicant, 'ben')).toMatchObject({ id: next.id, status: 'rejected' });
  expect(JSON.stringify(await myCompany(applicant))).not.toContain('forgery');
});

test('the checks of its people end with that of the company', async () => {
  const applicant = await companyApplied(bank);
  const child = await childOf(applicant, 'ben');
  const path = `/v1/kyb/applications/${applicant.id}/withdraw`;
  expect(await call(await bank.customer(), 'POST', path)).toMatchObject({ status: 404 });
  expect(await call(applicant.person, 'POST', path)).toMatchObject({
    status: 200,
    body: { status: 'withdrawn', children: [{ status: 'withdrawn' }, { status: 'withdrawn' }] },
  });
  expect(await call(applicant.person, 'POST', path)).toMatchObject(
    refused('already_decided', { decision: 'withdrawn' }),
  );
  expect(await review(office, child, { decision: 'approve' })).toMatchObject(refused('already_decided'));
  expect(await handInCompany(applicant, 'passport', 'ann')).toMatchObject(refused('application_closed'));
  expect((await submitCompany(applicant.person)).status).toBe(201);
});

test('a rejected company reads why in its own words, and nothing that reviewers wrote for each other', async () => {
  const applicant = await companyComplete(bank);
  const verdict = {
    decision: 'reject',
    code: 'suspected_forgery',
    note: 'Stamp is copied',
    message: 'Sorry',
  };
  await reviewCompany(office, applicant, verdict);
  const { body } = await call(applicant.person, 'GET', '/v1/kyb/applications/me');
  expect(body).toMatchObject({ status: 'rejected', code: 'other', message: 'Sorry', final: true });
  for (const hidden of ['reviews', 'signals', 'decision', 'second_review', 'documents', 'needs_second'])
    expect(body).not.toHaveProperty(hidden);
  expect(JSON.stringify(body)).not.toMatch(/Stamp|forgery/);
  const again = await submitCompany(applicant.person);
  expect(again).toMatchObject(refused('application_final', { application_id: applicant.id }));
  expect(JSON.stringify(again.body)).not.toContain(office.id);
});

describe('a form is refused', () => {
  test.each<[why: string, change: object, faults: readonly string[]]>([
    ['with nobody', { persons: [] }, ['/persons too_small']],
    ['with a day that is not', { incorporated_on: '2015-02-30' }, ['/incorporated_on not_a_date']],
    ['from the future', { incorporated_on: '2099-01-01' }, ['/incorporated_on not_a_date']],
    [
      'with somebody from the future',
      { persons: [{ ...ann, date_of_birth: '2099-01-01' }] },
      ['/persons/0/date_of_birth not_a_date'],
    ],
    [
      'with a document that has expired',
      {
        persons: [
          {
            ...ann,
            document: { type: 'passport', number: 'C1', issuing_country: 'GB', expires_on: '2020-01-01' },
          },
        ],
      },
      ['/persons/0/document/expires_on document_expired'],
    ],
    [
      'whose owners own each other',
      {
        holdings: [
          ...KYB_FORM.holdings.slice(1),
          { owner_ref: 'holding', company_ref: 'holding', percent: '5' },
        ],
      },
      ['/holdings/1 ownership_circular'],
    ],
    [
      'with a percent that is none',
      { persons: [{ ...ann, ownership_percent: '0025' }] },
      ['/persons/0/ownership_percent not_a_percent'],
    ],
    ['whose owner nobody names', { holdings: KYB_FORM.holdings.slice(1) }, ['/companies/0 owner_missing']],
    [
      'without owners or a manager',
      { persons: [ann], companies: [], holdings: [] },
      ['/persons senior_manager_missing'],
    ],
  ])('%s', async (_why, change, expected) => {
    const answer = await submitCompany(await bank.customer(), { ...KYB_FORM, ...change });
    expect(answer.status).toBe(400);
    expect(faults(answer)).toEqual(expected);
  });
});

test('there is nothing to read before a company applies, and one application at a time', async () => {
  const customer = await bank.customer();
  expect(await call(customer, 'GET', '/v1/kyb/applications/me')).toMatchObject({ status: 404 });
  const answers = await Promise.all([submitCompany(customer), submitCompany(customer)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const { id } = await myCompany({ person: customer });
  expect(answers.find(({ status }) => status === 409)).toMatchObject(
    refused('application_open', { application_id: id }),
  );
  // the check of the person who applies is another one
  expect((await submit(customer)).status).toBe(201);
  expect(await call(office, 'GET', `/v1/admin/users/${customer.id}/kyb/application`)).toMatchObject({
    body: { id },
  });
});

test('a document belongs to the company or to one of its people', async () => {
  const applicant = await companyApplied(bank);
  expect(faults(await handInCompany(applicant, 'passport'))).toEqual(['/document_type not_applicable']);
  expect(faults(await handInCompany(applicant, 'articles', 'ann'))).toEqual([
    '/document_type not_applicable',
  ]);
  expect(faults(await handInCompany(applicant, 'passport', 'zoe'))).toEqual(['/person_id unknown']);

  const root = `/v1/kyb/applications/${applicant.id}/documents`;
  const file = { file_name: 'x.pdf', content_type: 'application/pdf' };
  const { id } = await childOf(applicant, 'ann');
  const asked = { ...file, document_type: 'passport', person_id: id };
  const upload = (await call(applicant.person, 'POST', `${root}/upload-url`, asked)).as(UploadAnswer);
  const body = Uint8Array.from(pdf());
  await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body });
  const confirm = `${root}/${upload.document_id}/confirm`;
  expect(await call(await bank.customer(), 'POST', confirm)).toMatchObject({ status: 404 });
  expect(await call(applicant.person, 'POST', confirm)).toMatchObject({
    status: 200,
    body: { application_id: id, document_type: 'passport', application_status: 'in_review' },
  });
});

test('people and companies are found each in their own list', async () => {
  const applicant = await companyReady(bank, office);
  const { id } = await childOf(applicant, 'ann');
  const { person } = applicant;
  const of = (kind: string, query = '') =>
    call(office, 'GET', `/v1/admin/${kind}/applications?user_id=${person.id}${query}`);
  expect((await of('kyb', '&country=DE&status=in_review')).body).toMatchObject({
    items: [{ id: applicant.id, legal_name: 'Smith Trading GmbH', needs_second: false }],
  });
  expect((await of('kyc', '&status=approved')).body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ person_ref: 'ben', kyb_application_id: applicant.id }),
      expect.objectContaining({ person_ref: 'ann', id }),
    ]),
  });
  expect((await call(office, 'GET', `/v1/admin/kyb/applications/count?user_id=${person.id}`)).body).toEqual({
    count: 1,
    by_status: { in_review: 1 },
  });
  for (const [kind, other] of [
    ['kyb', id],
    ['kyc', applicant.id],
  ] as const) {
    const path = `/v1/admin/${kind}/applications/${other}`;
    expect((await call(office, 'GET', path)).status).toBe(404);
    const verdict = { decision: 'reject', note: 'The other kind' };
    expect((await call(office, 'POST', `${path}/review`, verdict)).status).toBe(404);
  }
  // the check of a person belongs to the company: its customer neither reads nor withdraws it alone
  expect((await call(person, 'GET', '/v1/kyc/applications/me')).body).toMatchObject({ status: 'none' });
  expect((await call(person, 'POST', `/v1/kyc/applications/${id}/withdraw`)).status).toBe(404);
  expect(
    (await call(person, 'POST', `/v1/kyc/applications/${id}/documents`, document('passport'))).status,
  ).toBe(404);
});

test('the same request twice is one application, with one check of each person', async () => {
  const customer = await bank.customer();
  const key = newKey();
  const send = () => call(customer, 'POST', '/v1/kyb/applications', KYB_FORM, { key });
  const [first, second] = await Promise.all([send(), send()]);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.body).toEqual(second.body);
  expect((await myCompany({ person: customer })).children).toHaveLength(2);
});
