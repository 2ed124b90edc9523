/** Approvals end: with the identity document, with the next review, or once the customer is called otherwise. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withdrawApplication } from '../../../db/queries/compliance/applications.ts';
import { valuesOfSubject } from '../../../services/notifications/sending/subjects.ts';
import type { KybForm } from '../../../domain/compliance/kyb.ts';
import { ApplicationId, type UserId } from '../../../domain/ids.ts';
import { kycRecovery } from '../../../services/compliance/life.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  COMPANY,
  companyOf,
  companySubmitted,
  completeCompany,
  submitCompanyTo,
} from '../../support/bank/kyb-books.ts';
import {
  acceptDocuments,
  applicationOf,
  approvedBy,
  carryOn,
  decideFor,
  handInTo,
  inReview,
  personOf,
  submitTo,
  type KycWish,
} from '../../support/bank/kyc-books.ts';
import { KYC_FORM } from '../../support/bank/kyc.ts';
import { ownBank } from '../../support/stack/database.ts';

const DAY_MS = 86_400_000;
let books: Books;
let office: UserId;
let second: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  office = await books.admin(['compliance:review']);
  second = await books.admin(['compliance:review']);
});
afterAll(() => books.close());

/** Leaves an approval not quite so many days. */
const leave = (id: ApplicationId, days: number) =>
  books.asOwner(
    `update kyc_applications a set due_at = a.due_at - x.passed, look_at = a.look_at - x.passed
       from (select make_interval(days => ceil(extract(epoch from b.due_at - bank_now()) / 86400)::int - $2) as passed
               from kyc_applications b where b.id = $1) x where a.id = $1`,
    [id, days],
  );
const told = async (user: UserId): Promise<unknown[]> =>
  (
    await books.asOwner(
      `select type || ' ' || state as news from events where user_id = $1 and type in
         ('kyc_update', 'kyb_update', 'document_expiring') order by id`,
      [user],
    )
  ).map(({ news }) => news);
const setting = (limits: boolean) =>
  books.asOwner('update bank_settings set kyc_expired_limits = $1', [limits]);

const approved = (wish?: KycWish, person?: UserId) => approvedBy(books, [office, second], wish, person);
const expiring = (day: string): KycWish => ({
  form: { ...KYC_FORM, document: { ...KYC_FORM.document, expires_on: day } },
});
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

describe('an approval', () => {
  test('ends with the document, or with the next review if that comes first', async () => {
    const soon = await approved(expiring(inDays(200)));
    expect(soon).toMatchObject({ status: 'approved', renewalReason: 'document_expires' });
    // at the beginning of that day in the time zone of the bank
    expect(soon.dueAt?.toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })).toBe(inDays(200));
    const late = await approved();
    expect(late).toMatchObject({ renewalReason: 'review_due' });
    const years = (row: typeof late) =>
      (row.dueAt?.getUTCFullYear() ?? 0) - (row.decidedAt?.getUTCFullYear() ?? 0);
    expect(years(late)).toBe(5);
    expect(years(await approved({ form: { ...KYC_FORM, pep_declared: true } }))).toBe(1);
  });

  test('ends after one reminder each 60, 30 and 7 days before, and then the customer may apply again', async () => {
    const { id, userId } = await approved(expiring(inDays(200)));
    expect(await submitTo(books, userId)).toMatchObject({ refusal: 'already_decided', application: id });
    // 60 days before the beginning of that day, which is not everywhere the same moment
    expect(Math.abs((await carryOn(books, id)).lookAgainInSeconds / 86_400 - 139.5)).toBeLessThan(1.1);
    for (const days of [60, 30, 7]) {
      await leave(id, days);
      await carryOn(books, id);
      await carryOn(books, id);
    }
    const reminders = Array.from({ length: 3 }, () => 'document_expiring renewal');
    expect(await told(userId)).toEqual(['kyc_update approved', ...reminders]);
    await leave(id, 0);
    expect(await kycRecovery.orderOf(books.em(), id)).toEqual({ id, customerId: userId });
    expect(await carryOn(books, id)).toEqual({ status: 'expired', lookAgainInSeconds: 0 });
    expect(await told(userId)).toEqual(['kyc_update approved', ...reminders, 'kyc_update lapsed']);
    expect(await personOf(books, userId)).toEqual({ status: 'expired', level: 1 });
    expect(await kycRecovery.orderOf(books.em(), id)).toBeUndefined();
    expect(await submitTo(books, userId)).toMatchObject({ refusal: null });
  });

  test('is reminded of once by a process that was away for months, with the day', async () => {
    const { id, userId } = await approved(expiring(inDays(200)));
    const about = { subject: id, userId, state: 'renewal' };
    expect(await valuesOfSubject(books.em(), 'document_expiring', about, { BANK_NAME: 'Bank' })).toEqual({
      expires_on: inDays(200),
    });
    await leave(id, 5);
    await carryOn(books, id);
    await carryOn(books, id);
    expect(await told(userId)).toEqual(['kyc_update approved', 'document_expiring renewal']);
    expect(Math.ceil((await carryOn(books, id)).lookAgainInSeconds / 86_400)).toBe(5);
  });

  test('takes its level with it when it ends, if the bank wants that', async () => {
    await setting(true);
    const { id, userId } = await approved();
    await leave(id, 0);
    await carryOn(books, id);
    expect(await personOf(books, userId)).toEqual({ status: 'expired', level: 0 });
    await setting(false);
    await approved({}, userId);
    expect(await personOf(books, userId)).toEqual({ status: 'approved', level: 1 });
  });

  test('does not end while the bank reviews the next application, whose approval takes its place', async () => {
    const { id, userId } = await approved();
    await leave(id, 50);
    const next = await inReview(books, {}, userId);
    expect(next).toMatchObject({ status: 'in_review' });
    await leave(id, 0);
    expect(await carryOn(books, id)).toEqual({ status: 'approved', lookAgainInSeconds: 86_400 });
    await acceptDocuments(books, office, next.id);
    await decideFor(books, office, next.id, 'approve');
    expect(await applicationOf(books, id)).toMatchObject({ status: 'expired', renewalReason: null });
    expect(await carryOn(books, id)).toEqual({ status: 'expired', lookAgainInSeconds: 0 });
    expect(await personOf(books, userId)).toEqual({ status: 'approved', level: 1 });
    expect(await told(userId)).toEqual(['kyc_update approved', 'kyc_update approved']);
  });

  test('that shows less than the one before gives a lower level', async () => {
    const { id, userId } = await approved({ grants: 2 });
    expect(await personOf(books, userId)).toEqual({ status: 'approved', level: 2 });
    await leave(id, 50);
    await approved({ grants: 1 }, userId);
    expect(await personOf(books, userId)).toEqual({ status: 'approved', level: 1 });
  });

  test('stands while a later application comes to nothing', async () => {
    const { id, userId } = await approved();
    await leave(id, 50);
    const { application } = await submitTo(books, userId);
    expect(await personOf(books, userId)).toEqual({ status: 'submitted', level: 1 });
    await withdrawApplication.one(books.em(), { id: ApplicationId.parse(application), owner: userId });
    expect(await personOf(books, userId)).toEqual({ status: 'approved', level: 1 });
    const rejected = await inReview(books, {}, userId);
    await decideFor(books, office, rejected.id, 'reject', {
      note: 'x',
      code: 'suspected_forgery',
      final: true,
    });
    expect(await applicationOf(books, id)).toMatchObject({ status: 'expired', renewalReason: null });
    expect(await personOf(books, userId)).toEqual({ status: 'rejected', level: 0 });
  });
});

describe('a changed profile', () => {
  const rename = (user: UserId, name: string) =>
    books.asOwner('update users set last_name = $2 where id = $1', [user, name]);

  test('ends the approval after thirty days, unless it is taken back once', async () => {
    const { id, userId, dueAt } = await approved();
    await rename(userId, 'Married');
    const stale = await applicationOf(books, id);
    expect(stale).toMatchObject({ status: 'approved', renewalReason: 'profile_changed' });
    expect(Math.round(((stale.dueAt?.getTime() ?? 0) - Date.now()) / DAY_MS)).toBe(30);
    expect(
      await books.asOwner(`select from process_updates where workflow_id = $1 and update_id like 'due/%'`, [
        `kyc/${id}`,
      ]),
    ).toHaveLength(1);
    await rename(userId, 'Other');
    expect((await applicationOf(books, id)).dueAt).toEqual(stale.dueAt);
    const restore = async () => {
      await books.asOwner(
        `update users u set last_name = a.profile->>'last_name' from kyc_applications a where a.id = $2 and u.id = $1`,
        [userId, id],
      );
      return applicationOf(books, id);
    };
    expect(await restore()).toMatchObject({ dueAt, renewalReason: 'review_due' });
    expect(await submitTo(books, userId)).toMatchObject({ refusal: 'already_decided' });
    await rename(userId, 'Married');
    // it could be put off for ever
    expect(await restore()).toMatchObject({ renewalReason: 'profile_changed' });
    expect(await submitTo(books, userId)).toMatchObject({ refusal: null });
    const renewals = Array.from({ length: 2 }, () => 'kyc_update renewal');
    expect(await told(userId)).toEqual(['kyc_update approved', ...renewals]);
  });

  test('counts until the form of an application explains it', async () => {
    const { id, userId } = await approved();
    await rename(userId, 'Married');
    const same = await approved({}, userId);
    expect(same).toMatchObject({ status: 'approved', renewalReason: 'profile_changed' });
    expect(await applicationOf(books, id)).toMatchObject({ status: 'expired' });
    const other = await approved({ form: { ...KYC_FORM, last_name: 'Married' } }, userId);
    expect(other).toMatchObject({ status: 'approved', renewalReason: 'review_due' });
    expect(await applicationOf(books, same.id)).toMatchObject({ status: 'expired', renewalReason: null });
  });

  test('does not count if it says what was approved, nor does another street', async () => {
    const { id, userId, dueAt } = await approved();
    await rename(userId, KYC_FORM.last_name);
    expect(await applicationOf(books, id)).toMatchObject({ dueAt, renewalReason: 'review_due' });
    await books.asOwner(
      'update users set first_name = $2, last_name = $3, date_of_birth = $4, country = $5 where id = $1',
      [
        ...[
          userId,
          KYC_FORM.first_name,
          KYC_FORM.last_name,
          KYC_FORM.date_of_birth,
          KYC_FORM.address.country,
        ],
      ],
    );
    await books.asOwner('update users set address = $2 where id = $1', [
      ...[userId, JSON.stringify({ ...KYC_FORM.address, line1: 'Elsewhere 2' })],
    ]);
    expect(await applicationOf(books, id)).toMatchObject({ dueAt, renewalReason: 'review_due' });
    await books.asOwner('update users set address = $2 where id = $1', [
      ...[userId, JSON.stringify({ ...KYC_FORM.address, country: 'FR' })],
    ]);
    expect(await applicationOf(books, id)).toMatchObject({ renewalReason: 'profile_changed' });
  });

  test('is followed by a reminder, and then by the end of the approval', async () => {
    const { id, userId } = await approved();
    await rename(userId, 'Married');
    await leave(id, 7);
    await carryOn(books, id);
    await leave(id, 0);
    await carryOn(books, id);
    expect(await personOf(books, userId)).toMatchObject({ status: 'expired' });
    expect(await told(userId)).toEqual(
      ['approved', 'renewal', 'renewal', 'lapsed'].map((state) => `kyc_update ${state}`),
    );
  });
});

test('of an approval nothing can be changed but when it ends', async () => {
  const { id } = await approved();
  const other = await inReview(books);
  for (const [set, value] of [
    ['grants', 2],
    ['decided_by', second],
    ['kyb_application_id', other.id],
    ['profile', '{}'],
    ['status', 'in_review'],
  ] as const)
    await expect(
      books.asOwner(`update kyc_applications set ${set} = $2 where id = $1`, [id, value]),
    ).rejects.toThrow();
});

describe('a company', () => {
  const [ann, ben] = COMPANY.persons;
  async function companyApproved(user: UserId, form: KybForm = COMPANY) {
    const { id, children } = await companySubmitted(books, user, form);
    await completeCompany(books, office, id);
    for (const child of children) {
      await acceptDocuments(books, office, child);
      await decideFor(books, office, child, 'approve');
    }
    await decideFor(books, office, id, 'approve');
    return companyOf(books, id);
  }
  const statuses = ({ people }: Awaited<ReturnType<typeof companyOf>>) =>
    Object.fromEntries(people.map(({ ref, status }) => [ref, status]));

  test('is checked again once a document of its people expires, and keeps the people who are the same', async () => {
    const user = await books.user();
    const expires = { ...KYC_FORM.document, expires_on: inDays(200) };
    const company = await companyApproved(user, {
      ...COMPANY,
      persons: [{ ...ann, document: expires }, ben],
    });
    expect(company).toMatchObject({ status: 'approved', renewalReason: 'document_expires' });
    await leave(company.id, 55);
    await carryOn(books, company.id);
    expect((await told(user)).at(-1)).toBe('kyb_update renewal');
    const other = { ...ann, document: { ...KYC_FORM.document, number: 'NEW1', expires_on: inDays(2_000) } };
    const { application } = await submitCompanyTo(books, user, { ...COMPANY, persons: [other, ben] });
    const next = await companyOf(books, ApplicationId.parse(application));
    expect(next.id).not.toBe(company.id);
    expect(statuses(next)).toEqual({ [ann.ref]: 'submitted', [ben.ref]: 'approved' });
  });

  test('with another owner asks only for the new one', async () => {
    const user = await books.user();
    const company = await companyApproved(user);
    const persons = [ann, { ...ben, ref: 'new', first_name: 'Cleo' }];
    const { application } = await submitCompanyTo(books, user, { ...COMPANY, persons });
    const next = await companyOf(books, ApplicationId.parse(application));
    expect(statuses(next)).toEqual({ [ann.ref]: 'approved', new: 'submitted' });
    await withdrawApplication.one(books.em(), { id: next.id, owner: user });
    expect(await companyOf(books, company.id)).toMatchObject({ status: 'approved' });
    const again = await submitCompanyTo(books, user, { ...COMPANY, persons });
    const last = await companyOf(books, ApplicationId.parse(again.application));
    expect(statuses(last)).toEqual({ [ann.ref]: 'approved', new: 'submitted' });
    await handInTo(books, { id: last.id, userId: user }, 'registry_extract');
  });

  const again = async (user: UserId, form: KybForm) => {
    const { application } = await submitCompanyTo(books, user, form);
    return companyOf(books, ApplicationId.parse(application));
  };

  test('does not keep somebody who becomes an owner without ever having shown a document', async () => {
    const user = await books.user();
    const director = { ...ben, kind: 'director' as const };
    await companyApproved(user, { ...COMPANY, persons: [ann, director] });
    const next = await again(user, COMPANY);
    expect(statuses(next)).toEqual({ ann: 'approved', ben: 'submitted' });
  });

  test('does not keep somebody about whom was decided otherwise since', async () => {
    const user = await books.user();
    await companyApproved(user);
    const other = { ...ann, document: { ...KYC_FORM.document, number: 'NEW1' } };
    const doubted = await again(user, { ...COMPANY, persons: [other, ben] });
    const check = ApplicationId.parse(doubted.people.find(({ ref }) => ref === 'ann')?.application_id);
    await decideFor(books, office, check, 'reject', { note: 'x', code: 'suspected_forgery', final: true });
    await withdrawApplication.one(books.em(), { id: doubted.id, owner: user });
    const last = await again(user, { ...COMPANY, trading_names: ['Another name'] });
    expect(statuses(last)).toEqual({ ann: 'submitted', ben: 'approved' });
  });

  test('is not approved beside a document of its people that has expired', async () => {
    const user = await books.user();
    const { id, children } = await companySubmitted(books, user);
    await completeCompany(books, office, id);
    for (const child of children) {
      await acceptDocuments(books, office, child);
      await decideFor(books, office, child, 'approve');
    }
    await books.asOwner('alter table kyc_applications disable trigger user');
    await books.asOwner(
      `update kyc_applications set form = jsonb_set(form, '{document,expires_on}', '"2020-01-01"') where id = $1`,
      [children[0]],
    );
    await books.asOwner('alter table kyc_applications enable trigger user');
    expect(await decideFor(books, office, id, 'approve')).toMatchObject({ refusal: 'document_expired' });
  });
});
