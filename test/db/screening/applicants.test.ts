/** Applicants are compared with lists, also under a name that only their application has, and nobody with an open match is approved. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { withdrawApplication } from '../../../db/queries/compliance/applications.ts';
import { accountsTouched } from '../../../db/queries/aml/reviews.ts';
import type { ApplicationKind } from '../../../domain/compliance/applications.ts';
import { AmlFlagId, type ApplicationId, type UserId } from '../../../domain/ids.ts';
import { refuse } from '../../../domain/refusals.ts';
import { decideOn } from '../../../services/compliance/review.ts';
import { COMPANY, companySubmitted } from '../../support/bank/kyb-books.ts';
import { acceptDocuments, decideFor, inReview } from '../../support/bank/kyc-books.ts';
import { KYC_FORM } from '../../support/bank/kyc.ts';
import { openScreenedBank, type ScreenedBank } from '../../support/bank/screening.ts';

let bank: ScreenedBank;
let office: UserId;
beforeAll(async () => {
  bank = await openScreenedBank();
  office = await bank.books.admin(['compliance:review']);
  await bank.list('L-1,person,Viktor Sokolov,1961-03-09', 'L-2,person,Ivan Petrenko,1958-01-02');
});
afterAll(() => bank.close());

const NAMED = { ...KYC_FORM, first_name: 'Viktor', last_name: 'Sokolov', date_of_birth: '1961-03-09' };

/** Approves as the API does; answers the refusal. */
const approve = (id: ApplicationId, kind: ApplicationKind = 'kyc') =>
  decideOn(
    {
      db: bank.books.em(),
      newId: randomUUID(),
      refusal: refuse,
      actor: { id: office, role: 'admin', requestId: randomUUID(), address: '127.0.0.1' },
    },
    kind,
    id,
    { decision: 'approve', note: null },
    { KYC_RETRY_DAYS: 7, KYC_CHANGES_DAYS: 14, AML_MATCH_THRESHOLD: 70 },
  ).then(
    () => null,
    (error: unknown) => error,
  );

test('a name on the application that stands on a list keeps it from being approved until that is decided', async () => {
  const person = await bank.payer('Ann', 'Smith');
  const { id } = await inReview(bank.books, { form: NAMED }, person.id);
  await acceptDocuments(bank.books, office, id);
  // nobody has compared it yet
  expect(await decideFor(bank.books, office, id, 'approve')).toMatchObject({ refusal: 'match_open' });
  await bank.round();
  const [flag] = await bank.flags(person);
  expect(flag).toMatchObject({ subject_type: 'kyc_application', status: 'open' });
  expect(await approve(id)).toMatchObject({
    code: 'match_open',
    options: { members: { flags: [expect.any(String)] } },
  });
  if (flag !== undefined) await bank.resolve(flag, 'false_positive');
  expect(await approve(id)).toBeNull();
});

test('whoever takes another name after submitting is still compared under that of the application', async () => {
  const person = await bank.payer('Viktor', 'Sokolov');
  await bank.books.asOwner(`update users set date_of_birth = '1961-03-09' where id = $1`, [person.id]);
  const { id } = await inReview(bank.books, { form: NAMED }, person.id);
  await bank.books.asOwner(`update users set first_name = 'Ann', last_name = 'Smith' where id = $1`, [
    person.id,
  ]);
  await acceptDocuments(bank.books, office, id);
  expect(await approve(id)).toMatchObject({ code: 'match_open' });
  await bank.round();
  expect((await bank.flags(person)).map((flag) => flag.subject_type)).toContain('kyc_application');
});

test('somebody whom no list knows is approved, and one entry does not make two flags', async () => {
  const { id } = await inReview(bank.books, {}, (await bank.payer('Ann', 'Smith')).id);
  await acceptDocuments(bank.books, office, id);
  expect(await approve(id)).toBeNull();
  const same = await bank.payer('Ivan', 'Petrenko');
  await bank.books.asOwner(`update users set date_of_birth = '1958-01-02' where id = $1`, [same.id]);
  const form = { ...KYC_FORM, first_name: 'Ivan', last_name: 'Petrenko', date_of_birth: '1958-01-02' };
  await inReview(bank.books, { form }, same.id);
  await bank.round();
  expect((await bank.flags(same)).map((flag) => flag.subject_type)).toEqual(['customer']);
});

test('a list that comes after the comparison is compared before the approval', async () => {
  const person = await bank.payer('Olga', 'Marchenko');
  const form = { ...KYC_FORM, first_name: 'Olga', last_name: 'Marchenko', date_of_birth: '1970-07-07' };
  const { id } = await inReview(bank.books, { form }, person.id);
  await acceptDocuments(bank.books, office, id);
  await bank.round();
  await bank.list(
    ...['L-1,person,Viktor Sokolov,1961-03-09', 'L-2,person,Ivan Petrenko,1958-01-02'],
    'L-3,person,Olga Marchenko,1970-07-07',
  );
  const no = await approve(id);
  const flags = await bank.books.asOwner('select number from aml_flags where customer_id = $1 order by id', [
    person.id,
  ]);
  expect(no).toMatchObject({
    code: 'match_open',
    options: { members: { flags: flags.map((flag) => flag['number']) } },
  });
});

test('whoever withdraws and applies again under the same name does not get rid of the match', async () => {
  const person = await bank.payer('Ann', 'Smith');
  const first = await inReview(bank.books, { form: NAMED }, person.id);
  await bank.round();
  await withdrawApplication.one(bank.books.em(), { id: first.id, owner: person.id });
  const { id } = await inReview(bank.books, { form: NAMED }, person.id);
  await acceptDocuments(bank.books, office, id);
  await bank.round();
  expect(await bank.flags(person)).toHaveLength(1);
  expect(await approve(id)).toMatchObject({ code: 'match_open' });
  // nor does another name
  await withdrawApplication.one(bank.books.em(), { id, owner: person.id });
  const other = await inReview(bank.books, {}, person.id);
  await acceptDocuments(bank.books, office, other.id);
  expect(await approve(other.id)).toMatchObject({ code: 'match_open' });
});

test('a match of an application holds what its customer pays and receives, as one of the customer does', async () => {
  const [person, other] = [await bank.payer('Ann', 'Smith'), await bank.payer('Bea', 'Jones')];
  await inReview(bank.books, { form: NAMED }, person.id);
  expect(await bank.payInside(person, other.account)).toBe('executed');
  await bank.round();
  const [flag] = await bank.flags(person);
  if (flag === undefined) throw new Error('no match');
  expect(await bank.payInside(person, other.account)).toBe('aml_review');
  expect(await bank.payInside(other, person.account)).toBe('aml_review');
  const held = await bank.books.asOwner('select id from aml_held_transfers($1)', [flag.id]);
  expect(held).toHaveLength(2);
  const touched = await accountsTouched.all(bank.books.em(), { flag: AmlFlagId.parse(flag.id) });
  expect(touched.map(({ id }) => id)).toEqual([person.account]);
  await bank.resolve(flag, 'false_positive');
  expect(await bank.payInside(person, other.account)).toBe('executed');
});

test('a confirmed match of an application goes on holding', async () => {
  const [person, other] = [await bank.payer('Ann', 'Smith'), await bank.payer('Bea', 'Jones')];
  await inReview(bank.books, { form: NAMED }, person.id);
  await bank.round();
  const [flag] = await bank.flags(person);
  if (flag !== undefined) await bank.resolve(flag, 'confirmed');
  expect(await bank.payInside(person, other.account)).toBe('aml_review');
});

test('the names of a company, of those above it and of its people are compared', async () => {
  const person = await bank.payer('Ann', 'Smith');
  await bank.list(
    ...['L-1,person,Viktor Sokolov,1961-03-09', 'L-2,person,Ivan Petrenko,1958-01-02'],
    ...['L-3,person,Olga Marchenko,1970-07-07', 'L-4,company,Volga Metals Trading,'],
  );
  const { children, id } = await companySubmitted(bank.books, person.id, {
    ...COMPANY,
    companies: [
      { ref: 'holding', legal_name: 'Volga Metals Trading', country: 'DE', registration_number: '1' },
    ],
    persons: [
      { ...COMPANY.persons[0], first_name: 'Viktor', last_name: 'Sokolov', date_of_birth: '1961-03-09' },
    ],
  });
  await bank.round();
  expect((await bank.flags(person)).map((flag) => flag.subject_type).sort()).toEqual([
    ...['kyb_application', 'kyc_application'],
  ]);
  const [child] = children;
  if (child === undefined) throw new Error('nobody is checked');
  await acceptDocuments(bank.books, office, child);
  expect(await approve(child)).toMatchObject({ code: 'match_open' });
  expect(await approve(id, 'kyb')).toMatchObject({ code: 'documents_open' });
  // nobody is approved beside a match of somebody whom their company names
  for (const flag of await bank.flags(person)) await bank.resolve(flag, 'false_positive');
  expect(await approve(child)).toBeNull();
});
