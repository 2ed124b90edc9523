/** Identity checks in the books: whatever comes in whatever order, an application moves as the table of moves says. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withdrawApplication } from '../../../db/queries/compliance/applications.ts';
import { skipKyc } from '../../../db/queries/compliance/kyc.ts';
import type { ApplicationStatus } from '../../../domain/compliance/applications.ts';
import { ApplicationId, type UserId } from '../../../domain/ids.ts';
import { kycRecovery } from '../../../services/compliance/life.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  acceptDocuments,
  declineDocument,
  applicationOf,
  carryOn,
  decideFor,
  handInTo,
  inReview,
  personOf,
  submitTo,
} from '../../support/bank/kyc-books.ts';
import { KYC_DOCUMENTS, KYC_FORM } from '../../support/bank/kyc.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
let office: UserId;
let second: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  office = await books.admin(['compliance:review']);
  second = await books.admin(['compliance:review']);
});
afterAll(() => books.close());

/** Lets so many days pass for an application that waits. */
const pass = (id: ApplicationId, days: number) =>
  books.asOwner(
    `update kyc_applications set status_at = status_at - make_interval(days => $2), due_at = due_at
       - make_interval(days => $2), look_at = look_at - make_interval(days => $2) where id = $1 and due_at is not null`,
    [id, days],
  );
const standingOf = async (user: UserId): Promise<readonly ApplicationId[]> =>
  (
    await books.asOwner(`select id from kyc_applications where user_id = $1 and status = 'approved'`, [user])
  ).map(({ id }) => ApplicationId.parse(id));
const told = async (user: UserId): Promise<unknown[]> =>
  (
    await books.asOwner(`select state from events where user_id = $1 and type = 'kyc_update' order by id`, [
      user,
    ])
  ).map(({ state }) => state);

describe('whatever comes in whatever order', () => {
  const DEEDS = [
    ...(['submit', 'passport', 'proof', 'accept', 'decline', 'approve', 'approve by another'] as const),
    ...(['request changes', 'reject', 'reject for good', 'withdraw', 'days pass', 'look'] as const),
    ...(['years pass', 'marry', 'divorce'] as const),
  ];
  type Deed = (typeof DEEDS)[number];

  async function act(deed: Deed, user: UserId, id: ApplicationId | undefined): Promise<void> {
    if (deed === 'submit') {
      await submitTo(books, user);
      return;
    }
    if (deed === 'marry' || deed === 'divorce') {
      const name = deed === 'marry' ? 'Married' : 'Single';
      await books.asOwner('update users set last_name = $2 where id = $1', [user, name]);
      return;
    }
    if (id === undefined) return;
    const asked = { note: 'x', items: [{ field: '/occupation', code: 'other' }] };
    switch (deed) {
      case 'passport':
        await handInTo(books, { id, userId: user }, 'passport');
        return;
      case 'proof':
        await handInTo(books, { id, userId: user }, 'proof_of_address');
        return;
      case 'accept':
        return acceptDocuments(books, office, id);
      case 'decline':
        return declineDocument(books, office, id);
      case 'approve':
        await decideFor(books, office, id, 'approve');
        return;
      case 'approve by another':
        await decideFor(books, second, id, 'approve');
        return;
      case 'request changes':
        await decideFor(books, office, id, 'request_changes', asked);
        return;
      case 'reject':
        await decideFor(books, office, id, 'reject', { note: 'x', code: 'other', final: false });
        return;
      case 'reject for good':
        await decideFor(books, office, id, 'reject', { note: 'x', code: 'other', final: true });
        return;
      case 'withdraw':
        await withdrawApplication.one(books.em(), { id, owner: user });
        return;
      case 'days pass':
        await pass(id, 8);
        return;
      case 'look':
        await carryOn(books, id);
        return;
      case 'years pass':
        for (const standing of await standingOf(user)) {
          await pass(standing, 400);
          await carryOn(books, standing);
        }
        return;
    }
  }

  /** Throws unless all that must hold of a person does. */
  async function check(user: UserId): Promise<void> {
    const rows = await books.asOwner(
      `select a.id, a.status, a.round, a.grants, a.final, a.ended_at is null as open,
              kyc_is_complete(a) as complete,
              (select count(*)::int from kyc_decisions d where d.application_id = a.id and d.stands
                and d.kind = 'approve') as approvals,
              not exists (select from kyc_document_states(a) s where s.is_required and s.state <> 'accepted')
                as accepted, a.due_at, a.renewal_reason, a.decision
         from kyc_applications a where a.user_id = $1 order by a.created_at, a.id`,
      [user],
    );
    expect(rows.filter(({ open }) => open).length).toBeLessThanOrEqual(1);
    for (const row of rows) {
      if (row['status'] === 'submitted') expect(row).toMatchObject({ complete: false });
      if (row['status'] === 'in_review') expect(row).toMatchObject({ complete: true });
      expect(row['approvals']).toBe(row['decision'] === 'approve' ? 1 : 0);
      if (row['status'] === 'approved')
        expect(row).toMatchObject({
          ...{ accepted: true, due_at: expect.any(Date), renewal_reason: expect.any(String) },
        });
    }
    const person = await personOf(books, user);
    const standing = rows.filter(({ status }) => status === 'approved');
    expect(standing.length).toBeLessThanOrEqual(1);
    // nobody has to apply again while nothing speaks against their approval
    if (standing.length === 1 && rows.at(-1)?.['open'] !== true && rows.at(-1)?.['status'] !== 'rejected')
      expect(person?.['status']).toBe('approved');
    const approvals = rows.filter(({ decision }) => decision === 'approve').length;
    const isOut = rows.some(({ final }) => final === true);
    if (rows.length > 0) expect(rows.map(({ status }) => status)).toContain(person?.['status']);
    expect(person?.['level']).toBe(approvals > 0 && !isOut ? 1 : 0);
    if (isOut) expect(rows.findIndex(({ final }) => final === true)).toBe(rows.length - 1);
  }

  test('a person has at most one open application, and the level that stands approved', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...DEEDS), { minLength: 8, maxLength: 30 }),
        async (deeds) => {
          const user = await books.user();
          for (const deed of deeds) {
            const [row] = await books.asOwner(
              'select id from kyc_applications where user_id = $1 order by ended_at is null desc, created_at desc, id desc limit 1',
              [user],
            );
            await act(deed, user, row && ApplicationId.parse(row['id']));
            await check(user);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('no other move than those of the table is possible, for anybody', async () => {
  const moves = await books.asOwner('select status, next from compliance_moves');
  const allowed = new Set(moves.map(({ status, next }) => `${String(status)} ${String(next)}`));
  expect(allowed.size).toBe(13);
  const { id } = await inReview(books);
  const set = (status: ApplicationStatus) =>
    books.asOwner('update kyc_applications set status = $2 where id = $1', [id, status]);
  for (const next of ['submitted', 'expired'] as const) {
    expect(allowed.has(`in_review ${next}`)).toBe(false);
    await expect(set(next)).rejects.toThrow('does not change like that');
  }
  await withdrawApplication.one(books.em(), { id, owner: (await applicationOf(books, id)).userId });
  await expect(set('in_review')).rejects.toThrow('does not change like that');
  await expect(books.asOwner('delete from kyc_applications where id = $1', [id])).rejects.toThrow();
  await expect(
    books.em().execute('update kyc_applications set status = ? where id = ?', ['approved', id]),
  ).rejects.toThrow('permission denied');
});

test('whoever lets it lie is reminded after three, seven and twelve days, and then it expires', async () => {
  const user = await books.user();
  const { application } = await submitTo(books, user);
  const id = ApplicationId.parse(application);
  const first = await carryOn(books, id);
  expect(first).toMatchObject({ status: 'submitted' });
  expect(Math.round(first.lookAgainInSeconds / 86_400)).toBe(3);
  for (const days of [3, 4, 5]) {
    await pass(id, days);
    await carryOn(books, id);
    await carryOn(books, id);
  }
  expect(await told(user)).toEqual(['reminder', 'reminder', 'reminder']);
  await pass(id, 18);
  const overdue = await kycRecovery.overdue(books.em(), { lateSeconds: -5, most: 1_000, after: null });
  expect(overdue.map((row) => row.id)).toContain(id);
  expect(await carryOn(books, id)).toEqual({ status: 'expired', lookAgainInSeconds: 0 });
  expect(await told(user)).toEqual(['reminder', 'reminder', 'reminder', 'expired']);
  expect(await personOf(books, user)).toMatchObject({ status: 'expired', level: 0 });
  expect(await kycRecovery.orderOf(books.em(), id)).toBeUndefined();
  expect(await submitTo(books, user)).toMatchObject({ refusal: null });
});

test('a process that was away for long reminds once', async () => {
  const user = await books.user();
  const { application } = await submitTo(books, user);
  const id = ApplicationId.parse(application);
  await pass(id, 8);
  await carryOn(books, id);
  await carryOn(books, id);
  expect(await told(user)).toEqual(['reminder']);
  await pass(id, 4);
  await carryOn(books, id);
  expect(await told(user)).toEqual(['reminder', 'reminder']);
});

test('changes that nobody makes expire after fourteen days', async () => {
  const { id, userId } = await inReview(books);
  const items = [{ field: '/last_name', code: 'name_mismatch' }];
  await decideFor(books, office, id, 'request_changes', { note: 'x', items });
  await pass(id, 14);
  expect(await carryOn(books, id)).toMatchObject({ status: 'expired' });
  expect(await told(userId)).toEqual(['changes_requested', 'expired']);
});

test('somebody who is too young may apply again on their birthday', async () => {
  const { id } = await inReview(books, { form: { ...KYC_FORM, date_of_birth: '2015-06-01' } });
  await decideFor(books, office, id, 'reject', { note: 'x', code: 'underage', final: false });
  expect((await applicationOf(books, id)).retryAt?.getUTCFullYear()).toBe(2033);
});

test('a document that has expired meanwhile keeps the application from being approved', async () => {
  const document = { ...KYC_FORM.document, expires_on: '2020-01-01' };
  const { id } = await inReview(books, { form: { ...KYC_FORM, document } });
  await acceptDocuments(books, office, id);
  expect(await decideFor(books, office, id, 'approve')).toMatchObject({ refusal: 'document_expired' });
});

test('a decision keeps what it went by, for ever', async () => {
  const { id } = await inReview(books);
  await acceptDocuments(books, office, id);
  await decideFor(books, office, id, 'approve', { note: 'Fine' });
  const [row] = await books.asOwner('select id, snapshot from kyc_decisions where application_id = $1', [id]);
  expect(row?.['snapshot']).toMatchObject({
    form: { first_name: 'Ann' },
    documents: KYC_DOCUMENTS.map((type) => ({
      ...{ document_type: type, state: 'accepted', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })),
    ...{ matches: [], screening: [{ party: 'customer' }, { party: 'kyc_application' }] },
  });
  await expect(
    books.asOwner(`update kyc_decisions set note = 'Other' where id = $1`, [row?.['id']]),
  ).rejects.toThrow();
});

test('a check can be skipped only while no account type asks for one, and never hides a rejection', async () => {
  const [one, other] = [await books.user(), await books.user()];
  const skip = async (user: UserId) => (await skipKyc.one(books.em(), { user })).refusal;
  expect(await skip(one)).toBeNull();
  expect(await skip(one)).toBeNull();
  expect(await personOf(books, one)).toMatchObject({ status: 'skipped' });
  const { id } = await inReview(books, {}, other);
  expect(await skip(other)).toBe('not_skippable');
  await decideFor(books, office, id, 'reject', { note: 'x', code: 'other', final: false });
  expect(await skip(other)).toBe('not_skippable');
  const [type] = await books.asOwner(
    `insert into account_types (code, name, asset, openable_by, kyc_level_required)
     values ('known', 'Known', 'EUR', 'request', 1) returning id`,
  );
  expect(await skip(await books.user())).toBe('kyc_required');
  await books.asOwner('update account_types set enabled = false where id = $1', [type?.['id']]);
  expect(await skip(await books.user())).toBeNull();
});

test('two submissions at once make one application', async () => {
  const user = await books.user();
  const answers = await Promise.all([1, 2, 3].map(() => submitTo(books, user)));
  expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(1);
  expect(answers.filter(({ refusal }) => refusal === 'application_open')).toHaveLength(2);
});

test('the last two documents at once begin the review once', async () => {
  const user = await books.user();
  const { application } = await submitTo(books, user);
  const id = ApplicationId.parse(application);
  await Promise.all(KYC_DOCUMENTS.map((type) => handInTo(books, { id, userId: user }, type)));
  expect(await applicationOf(books, id)).toMatchObject({ status: 'in_review' });
});
