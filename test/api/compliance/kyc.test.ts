/** Identity checks from end to end: the loop of submission, documents, review, changes and decision. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  acceptAll,
  applied,
  Case,
  caseOf,
  complete,
  document,
  handIn,
  KYC_DOCUMENTS,
  KYC_FORM,
  levelOf,
  review,
  reviewer,
  statusOf,
  submit,
  Submitted,
  refused,
  faults,
} from '../../support/bank/kyc.ts';
import { feedOf } from '../../support/bank/notifications.ts';
import { newKey } from '../../support/client.ts';
import { files } from '../../support/formats/files.ts';
import { pdf, stream } from '../../support/formats/pdfs.ts';
import { UploadAnswer } from '../stories/tickets.ts';
import { until } from '../../support/stack/processes.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await reviewer(bank);
});
afterAll(() => bank.close());

test('a person submits, hands documents in, changes what was asked for, and is approved', async () => {
  const applicant = await applied(bank);
  expect(await statusOf(applicant)).toMatchObject({
    ...{ status: 'submitted', level: 0, round: 1, application_id: applicant.id, changes: [] },
    required_documents: KYC_DOCUMENTS.map((type) => ({ document_type: type, state: 'missing' })),
  });
  const passport = await handIn(applicant, 'passport');
  expect(await statusOf(applicant)).toMatchObject({ status: 'submitted', due_at: expect.any(String) });
  await handIn(applicant, 'proof_of_address');
  expect(await statusOf(applicant)).toMatchObject({ status: 'in_review', due_at: null });

  const items = [
    { field: 'last_name', code: 'name_mismatch', note: 'Smythe in the passport' },
    { document_id: passport, code: 'document_cropped' },
  ];
  const asked = { decision: 'request_changes', note: 'Looks real', message: 'Almost done', items };
  expect((await review(office, applicant, asked)).body).toMatchObject({ status: 'changes_requested' });
  const shown = await statusOf(applicant);
  expect(shown).toMatchObject({
    ...{ status: 'changes_requested', message: 'Almost done' },
    changes: [
      { field: '/last_name', code: 'name_mismatch', instruction: expect.stringContaining('name') },
      { document_id: passport, document_type: 'passport', code: 'document_cropped' },
    ],
    required_documents: [{ state: 'rejected', code: 'document_cropped' }, { state: 'uploaded' }],
  });
  expect(JSON.stringify(shown)).not.toMatch(/Looks real|Smythe/);

  const locked = await submit(applicant.person, { ...KYC_FORM, first_name: 'Anna', last_name: 'Smythe' });
  expect(locked).toMatchObject(refused('field_locked', { pointer: '/first_name' }));
  expect(
    await call(applicant.person, 'POST', `/v1/kyc/applications/${applicant.id}/documents`, {
      ...document('proof_of_address'),
    }),
  ).toMatchObject(refused('field_locked'));
  const again = await submit(applicant.person, { ...KYC_FORM, last_name: 'Smythe' });
  expect(again).toMatchObject({ status: 201, body: { id: applicant.id, round: 2, status: 'submitted' } });
  await handIn(applicant, 'passport');

  await acceptAll(office, applicant);
  const done = await review(office, applicant, { decision: 'approve', reason: 'Fine now' });
  expect(done.body).toMatchObject({
    ...{ status: 'approved', form: { last_name: 'Smythe' } },
    decision: { kind: 'approve', by: office.id, state: 'done' },
    reviews: [
      { decision: 'request_changes', round: 1 },
      { decision: 'approve', round: 2, note: 'Fine now' },
    ],
  });
  expect(await statusOf(applicant)).toMatchObject({
    ...{ status: 'approved', level: 1, renewal_reason: 'review_due', due_at: expect.any(String) },
  });
  const { items: told } = await feedOf(applicant.person, 2, '?type=kyc_update');
  expect(told.map(({ body }) => body)).toEqual([
    'We have checked your identity. Everything is in order.',
    'We need something more from you to check your identity. Open the app to see what.',
  ]);
});

test('documents come inside the request, through the store, and through our own door', async () => {
  const applicant = await applied(bank, { ...KYC_FORM, document: { ...KYC_FORM.document, type: 'id_card' } });
  const { person, id } = applicant;
  await handIn(applicant, 'id_card_front');
  const root = `/v1/kyc/applications/${id}/documents`;
  for (const [type, more] of [
    ['id_card_back', { content_length: String(pdf().length) }],
    ['proof_of_address', {}],
  ] as const) {
    const asked = { document_type: type, file_name: 'x.pdf', content_type: 'application/pdf', ...more };
    const upload = (await call(person, 'POST', `${root}/upload-url`, asked)).as(UploadAnswer);
    const confirm = () => call(person, 'POST', `${root}/${upload.document_id}/confirm`);
    expect(await confirm()).toMatchObject(refused('upload_missing'));
    await fetch(upload.upload_url, {
      method: 'PUT',
      headers: upload.upload_headers,
      body: Uint8Array.from(pdf()),
    });
    const status = type === 'proof_of_address' ? 'in_review' : 'submitted';
    for (const answer of [await confirm(), await confirm()])
      expect(answer).toMatchObject({
        status: 200,
        body: { document_type: type, state: 'uploaded', application_status: status },
      });
  }
});

test('a document that is none is refused, and says why', async () => {
  const { person, id } = await applied(bank);
  const root = `/v1/kyc/applications/${id}/documents`;
  const record = (content: Buffer, content_type = 'application/pdf') =>
    call(person, 'POST', root, {
      ...{ document_type: 'passport', file_name: 'passport', content_type },
      content_base64: content.toString('base64'),
    });
  const scripted = pdf({
    catalog: '/OpenAction 100 0 R',
    objects: [stream('/S/JavaScript', Buffer.from('x'))],
  });
  expect(await record(scripted)).toMatchObject(refused('upload_rejected', { reason: 'has_scripts' }));
  expect(await record(files.png, 'image/png')).toMatchObject(
    refused('upload_rejected', { reason: 'too_small' }),
  );
  expect(await record(Buffer.from('Ann Smith'), 'text/plain')).toMatchObject(
    refused('unsupported_file_type', {}, 400),
  );
  expect(await statusOf({ person })).toMatchObject({
    required_documents: [{ state: 'missing' }, { state: 'missing' }],
  });
});

describe('a form is refused', () => {
  const today = new Date();
  const years = (back: number, days: number) =>
    new Date(Date.UTC(today.getUTCFullYear() - back, today.getUTCMonth(), today.getUTCDate() + days))
      .toISOString()
      .slice(0, 10);

  test.each([
    ['of somebody who is too young', { date_of_birth: years(18, 2) }, ['/date_of_birth underage']],
    ['with a day that does not exist', { date_of_birth: '1991-02-29' }, ['/date_of_birth not_a_date']],
    ['with a birth that is still to come', { date_of_birth: years(-1, 0) }, ['/date_of_birth underage']],
    [
      'with countries that are not served',
      { nationalities: ['GB', 'KP'], tax_residencies: [{ country: 'IR' }] },
      ['/nationalities/1 country_not_served', '/tax_residencies/0/country country_not_served'],
    ],
    [
      'with a document that expires today',
      { document: { ...KYC_FORM.document, expires_on: years(0, 0) } },
      ['/document/expires_on document_expired'],
    ],
    ['with a country that does not exist', { nationalities: ['XX'] }, ['/nationalities/0 custom']],
    ['with the same nationality twice', { nationalities: ['GB', 'GB'] }, ['/nationalities custom']],
  ])('%s', async (_, wrong, found) => {
    const answer = await submit(await bank.customer(), { ...KYC_FORM, ...wrong });
    expect(answer.status).toBe(400);
    expect(faults(answer)).toEqual(found);
  });

  test('unless the person has come of age', async () => {
    const grown = { ...KYC_FORM, date_of_birth: years(18, -2) };
    expect((await submit(await bank.customer(), grown)).status).toBe(201);
  });

  test('and names in any script are taken', async () => {
    const names = { first_name: 'Ἀλέξανδρος', middle_names: 'بن عبد الله', last_name: '王' };
    expect((await submit(await bank.customer(), { ...KYC_FORM, ...names })).status).toBe(201);
  });
});

describe('an approval is refused', () => {
  const approve = { decision: 'approve' };

  test('while a document is not accepted', async () => {
    const applicant = await complete(bank);
    expect(await review(office, applicant, approve)).toMatchObject(
      refused('documents_open', { document_types: [...KYC_DOCUMENTS] }),
    );
    const early = await applied(bank);
    expect(await review(office, early, approve)).toMatchObject(refused('documents_open'));
  });

  test('to the applicant, who may be of the staff, and to somebody without the permission', async () => {
    const self = await reviewer(bank);
    const { id } = (await submit(self)).as(Submitted);
    for (const type of KYC_DOCUMENTS) await handIn({ person: self, id }, type);
    await acceptAll(office, { id });
    expect(await review(self, { id }, approve)).toMatchObject(refused('same_person', {}, 403));
    expect((await review(await bank.admin('compliance:read'), { id }, approve)).status).toBe(403);
    expect((await review(office, { id }, approve)).status).toBe(200);
  });

  test('of somebody who is blocked', async () => {
    const applicant = await complete(bank);
    await acceptAll(office, applicant);
    await bank.asOwner(`update users set status = 'blocked' where id = $1`, [applicant.person.id]);
    expect(await review(office, applicant, approve)).toMatchObject(refused('user_blocked'));
  });

  test('alone, of a politically exposed person: another reviewer has to agree', async () => {
    const applicant = await complete(bank, { ...KYC_FORM, pep_declared: true });
    await acceptAll(office, applicant);
    const first = await review(office, applicant, approve);
    expect(first.body).toMatchObject({
      ...{ status: 'in_review', second_review: { first_by: office.id } },
      signals: [
        { code: 'pep_declared' },
        { code: 'profile_differs', detail: expect.stringContaining('last_name') },
      ],
    });
    expect(await review(office, applicant, approve)).toMatchObject(refused('same_person', {}, 403));
    expect(await levelOf(bank, applicant.person)).toMatchObject({ kyc_status: 'in_review', kyc_level: 0 });
    const second = await reviewer(bank);
    expect((await review(second, applicant, approve)).body).toMatchObject({
      ...{ status: 'approved', second_review: null, decision: { by: second.id } },
      reviews: [{ stands: false }, { stands: true }],
    });
  });
});

test('a document that was rejected by mistake and is accepted lets the review begin', async () => {
  const applicant = await applied(bank);
  const passport = await handIn(applicant, 'passport');
  const judge = (decision: string) =>
    call(office, 'POST', `/v1/admin/kyc/applications/${applicant.id}/documents/${passport}/review`, {
      decision,
    });
  await judge('reject');
  await handIn(applicant, 'proof_of_address');
  expect(await statusOf(applicant)).toMatchObject({ status: 'submitted' });
  expect(await judge('accept')).toMatchObject({ status: 200, body: { status: 'in_review' } });
  await acceptAll(office, applicant);
  expect((await review(office, applicant, { decision: 'approve' })).status).toBe(200);
});

test('whoever withdraws and applies again does not get rid of the second reviewer', async () => {
  const applicant = await complete(bank, { ...KYC_FORM, pep_declared: true });
  await call(applicant.person, 'POST', `/v1/kyc/applications/${applicant.id}/withdraw`);
  const { id } = (await submit(applicant.person)).as(Submitted);
  expect(await caseOf(office, { id })).toMatchObject({ needs_second: true });
});

test('of two submissions at once one is told the id of the other', async () => {
  const person = await bank.customer();
  const answers = await Promise.all([submit(person), submit(person)]);
  const id = answers.find(({ status }) => status === 201)?.as(Submitted).id;
  expect(answers.find(({ status }) => status === 409)).toMatchObject(
    refused('application_open', { application_id: id }),
  );
});

test('an administrator does not read what others write about their own check', async () => {
  const self = await reviewer(bank);
  const { id } = (await submit(self)).as(Submitted);
  const file = await handIn({ person: self, id }, 'passport');
  const path = `/v1/admin/kyc/applications/${id}`;
  const own = refused('same_person', {}, 403);
  expect(await call(self, 'GET', path)).toMatchObject(own);
  expect(await call(self, 'GET', `/v1/admin/users/${self.id}/kyc/application`)).toMatchObject(own);
  expect(await call(self, 'POST', `${path}/documents/${file}/link`)).toMatchObject(own);
  const lines = [
    'P<GBRSMITH<<ANN<<<<<<<<<<<<<<<<<<<<<<<<<<<<<',
    'C01X00T478GBR9004028F4405319<<<<<<<<<<<<<<00',
  ];
  expect(await call(self, 'POST', `${path}/mrz`, { lines })).toMatchObject(own);
});

test('whoever is rejected as too young waits at least as long as anybody else', async () => {
  const applicant = await complete(bank);
  await review(office, applicant, { decision: 'reject', code: 'underage' });
  expect(await submit(applicant.person)).toMatchObject(refused('retry_later'));
});

test('two reviewers at once: one decision stands, the other learns which', async () => {
  const applicant = await complete(bank);
  await acceptAll(office, applicant);
  const other = await reviewer(bank);
  const answers = await Promise.all([
    review(office, applicant, { decision: 'approve' }),
    review(other, applicant, { decision: 'reject', note: 'Not at all' }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const late = answers.find(({ status }) => status === 409);
  const { status } = await caseOf(office, applicant);
  expect(late?.body).toMatchObject({
    code: 'already_decided',
    decision: status,
    decided_at: expect.any(String),
  });
  expect(['approved', 'rejected']).toContain(status);
});

test('a second application is refused while one is open, and after a rejection for as long as that says', async () => {
  const applicant = await complete(bank);
  const open = refused('application_open', { application_id: applicant.id });
  expect(await submit(applicant.person)).toMatchObject(open);
  expect(await call(applicant.person, 'PUT', '/v1/kyc/draft', {})).toMatchObject(open);
  const rejected = {
    decision: 'reject',
    code: 'suspected_forgery',
    final: false,
    note: 'On a sanctions list',
  };
  await review(office, applicant, rejected);
  const shown = await statusOf(applicant);
  expect(shown).toMatchObject({
    status: 'rejected',
    code: 'other',
    final: false,
    retry_at: expect.any(String),
  });
  expect(JSON.stringify(shown)).not.toMatch(/sanctions|forgery/);
  expect(await submit(applicant.person)).toMatchObject(
    refused('retry_later', { retry_at: expect.any(String) }),
  );
  const late = await call(
    applicant.person,
    'POST',
    `/v1/kyc/applications/${applicant.id}/documents`,
    document('selfie'),
  );
  expect(late).toMatchObject(refused('application_closed', { application_status: 'rejected' }));
});

test('a final rejection takes no other application', async () => {
  const applicant = await complete(bank);
  await review(office, applicant, { decision: 'reject', code: 'suspected_forgery' });
  expect(await statusOf(applicant)).toMatchObject({ status: 'rejected', final: true, retry_at: null });
  expect(await submit(applicant.person)).toMatchObject(refused('application_final'));
});

test('the draft is prefilled, follows the profile until the form is submitted, and forgets nothing', async () => {
  const person = await bank.customer();
  const draft = async () => (await call(person, 'GET', '/v1/kyc/draft')).body;
  expect(await draft()).toMatchObject({
    first_name: expect.any(String),
    nationalities: null,
    saved_at: null,
  });
  const saved = await call(person, 'PUT', '/v1/kyc/draft', { first_name: 'Zoe', nationalities: ['FR'] });
  expect(saved.body).toMatchObject({
    first_name: 'Zoe',
    nationalities: ['FR'],
    saved_at: expect.any(String),
  });
  expect(await levelOf(bank, person)).toMatchObject({ kyc_status: 'draft' });
  await call(person, 'PATCH', '/v1/users/me', { first_name: 'Yan' });
  expect(await draft()).toMatchObject({ first_name: 'Yan', nationalities: ['FR'] });
  const { id } = (await submit(person)).as(Submitted);
  await call(person, 'PATCH', '/v1/users/me', { first_name: 'Xu' });
  expect(await caseOf(office, { id })).toMatchObject({ form: { first_name: 'Ann' } });
  await call(person, 'POST', `/v1/kyc/applications/${id}/withdraw`);
  expect(await draft()).toMatchObject({ first_name: 'Xu', nationalities: ['GB'], missing: [] });
});

test('another person never sees an application or its documents', async () => {
  const applicant = await complete(bank);
  const [document_id] = (await caseOf(office, applicant)).documents.map((each) => each.document_id);
  const other = await applied(bank);
  const root = `/v1/kyc/applications/${applicant.id}`;
  expect((await call(other.person, 'POST', `${root}/withdraw`)).status).toBe(404);
  expect((await call(other.person, 'POST', `${root}/documents`, document('passport'))).status).toBe(404);
  expect((await call(other.person, 'POST', `${root}/documents/${document_id ?? ''}/confirm`)).status).toBe(
    404,
  );
  const mine = `/v1/kyc/applications/${other.id}/documents/${document_id ?? ''}/confirm`;
  expect((await call(other.person, 'POST', mine)).status).toBe(404);
  const crossed = `/v1/admin/kyc/applications/${other.id}/documents/${document_id ?? ''}`;
  expect((await call(office, 'POST', `${crossed}/link`)).status).toBe(404);
  expect((await call(office, 'POST', `${crossed}/review`, { decision: 'accept' })).status).toBe(404);
});

test('a reviewer looks at a document, and who looked is written down', async () => {
  const applicant = await complete(bank);
  const [first] = (await caseOf(office, applicant)).documents;
  const path = `/v1/admin/kyc/applications/${applicant.id}/documents/${first?.document_id ?? ''}/link`;
  const { url } = (await call(office, 'POST', path)).as(z.looseObject({ url: z.url() }));
  expect((await (await fetch(url)).text()).startsWith('%PDF')).toBe(true);
  const seen = await bank.asOwner(
    `select actor_id, after from audit_log where subject_id = $1 and action = 'kyc_application.document_opened'`,
    [applicant.id],
  );
  expect(seen).toMatchObject([{ actor_id: office.id, after: { document_id: first?.document_id } }]);
});

test('the reviewer sees where the machine-readable zone differs from the form', async () => {
  const mrz = [
    'P<GBRSMITH<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<<<<',
    'C01X00T478GBR9004028F4405319<<<<<<<<<<<<<<00',
  ];
  const applicant = await applied(bank, { ...KYC_FORM, document: { ...KYC_FORM.document, mrz } });
  const seen = (await call(office, 'GET', `/v1/admin/kyc/applications/${applicant.id}`)).as(
    z.looseObject({ mrz_check: z.looseObject({ fields: z.array(z.looseObject({ agrees: z.boolean() })) }) }),
  );
  expect(seen.mrz_check.fields.filter(({ agrees }) => !agrees)).toEqual([
    { field: 'first_name', document: 'ANNA', form: 'Ann', agrees: false },
  ]);
  const typed = await call(office, 'POST', `/v1/admin/kyc/applications/${applicant.id}/mrz`, {
    lines: ['no zone', 'at all'],
  });
  expect(typed.body).toEqual({ valid: false, fields: [] });
});

test('the same file of another customer is a sign that the reviewer sees', async () => {
  const [one, other] = [await applied(bank), await applied(bank)];
  const body = document('passport');
  for (const { person, id } of [one, other])
    await call(person, 'POST', `/v1/kyc/applications/${id}/documents`, body);
  expect(await caseOf(office, one)).toMatchObject({
    signals: [{ code: 'profile_differs' }, { code: 'duplicate_document' }],
  });
});

test('the queue is found by state, person and country, oldest first, and counted', async () => {
  const { person, id } = await complete(bank);
  const query = `user_id=${person.id}&country=DE`;
  const listed = async (more: string) =>
    (await call(office, 'GET', `/v1/admin/kyc/applications?${query}${more}`)).as(
      z.looseObject({ items: z.array(z.looseObject({ id: z.uuid() })) }),
    ).items;
  expect(await listed('&status=in_review&order=oldest')).toMatchObject([{ id, status: 'in_review' }]);
  expect(await listed('&status=approved')).toEqual([]);
  const counted = await call(office, 'GET', `/v1/admin/kyc/applications/count?${query}`);
  expect(counted.body).toEqual({ count: 1, by_status: { in_review: 1 } });
  const byUser = await call(office, 'GET', `/v1/admin/users/${person.id}/kyc/application`);
  expect(byUser.as(Case).id).toBe(id);
  const nobody = await bank.customer();
  expect((await call(office, 'GET', `/v1/admin/users/${nobody.id}/kyc/application`)).status).toBe(404);
  expect((await call(nobody, 'GET', '/v1/kyc/applications/me')).body).toMatchObject({ status: 'none' });
});

test('an account that needs a higher level opens once the check is approved', async () => {
  const person = await bank.customer();
  const [type] = await bank.asOwner(
    `insert into account_types (code, name, asset, openable_by, kyc_level_required)
     values ($1, 'Known customers', 'EUR', 'customer', 1) returning id`,
    [`known_${newKey().slice(-12)}`],
  );
  const open = async () =>
    call(
      person,
      'POST',
      '/v1/accounts',
      { account_type_id: type?.['id'] },
      {
        stepUp: await person.stepUp('openAccount'),
      },
    );
  const needed = { level: 0, required: 1, next: '/v1/kyc/draft' };
  expect(await open()).toMatchObject(refused('kyc_required', needed));
  expect(await call(person, 'POST', '/v1/kyc/skip')).toMatchObject(refused('kyc_required', { level: 0 }));
  const applicant = { person, id: (await submit(person)).as(Submitted).id };
  for (const document_type of KYC_DOCUMENTS) await handIn(applicant, document_type);
  await acceptAll(office, applicant);
  await review(office, applicant, { decision: 'approve' });
  expect((await open()).status).toBe(201);
  await until(async () => (await processOf(applicant.id)) === 'gone');
  await bank.asOwner('update account_types set enabled = false where id = $1', [type?.['id']]);
});

/** `runs` as long as something for the process waits in the outbox. */
async function processOf(id: string): Promise<'runs' | 'gone'> {
  const rows = await bank.asOwner('select from process_updates where workflow_id = $1', [`kyc/${id}`]);
  return rows.length > 0 ? 'runs' : 'gone';
}

test('a review that makes no sense is refused at the field', async () => {
  const applicant = await complete(bank);
  const item = { field: '/last_name', code: 'name_mismatch' };
  for (const [verdict, found] of [
    [{ decision: 'request_changes' }, '/items required'],
    [
      { decision: 'request_changes', items: [{ ...item, field: '/shoe_size' }] },
      '/items/0/field unknown_field',
    ],
    [{ decision: 'request_changes', items: [{ code: 'other' }] }, '/items/0 field_or_document'],
    [
      { decision: 'request_changes', items: [{ document_id: newKey(), code: 'other' }] },
      '/items/0/document_id unknown',
    ],
    [{ decision: 'approve', code: 'other' }, '/code not_applicable'],
    [{ decision: 'reject', items: [item] }, '/items not_applicable'],
  ] as const)
    expect(faults(await review(office, applicant, verdict))).toEqual([found]);
  expect(await statusOf(applicant)).toMatchObject({ status: 'in_review' });
});
