/** Checks of companies in the books: whatever comes in whatever order, nothing is approved beside a person who is not. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withdrawApplication } from '../../../db/queries/compliance/applications.ts';
import type { KybForm } from '../../../domain/compliance/kyb.ts';
import type { ApplicationId, UserId } from '../../../domain/ids.ts';
import { kybRecovery, kycRecovery } from '../../../services/compliance/life.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  COMPANY,
  companyOf,
  companySubmitted,
  completeCompany,
  submitCompanyTo,
} from '../../support/bank/kyb-books.ts';
import { acceptDocuments, carryOn, decideFor, handInTo } from '../../support/bank/kyc-books.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
let office: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  office = await books.admin(['compliance:review']);
});
afterAll(() => books.close());

const [ann, ben] = COMPANY.persons;
const CHANGES = { note: null, items: [{ field: '/persons', code: 'owner_missing' }] };
const FORMS: readonly KybForm[] = [
  COMPANY,
  { ...COMPANY, persons: [ann] },
  { ...COMPANY, persons: [ann, { ...ben, first_name: 'Bea' }] },
  { ...COMPANY, persons: [ben, { ...ann, ref: 'cy', first_name: 'Cy' }] },
];
const expire = async (id: ApplicationId) => {
  await books.asOwner(
    `update kyc_applications set status_at = status_at - interval '40 days', due_at = due_at - interval '40 days',
       look_at = look_at - interval '40 days' where id = $1 and due_at is not null`,
    [id],
  );
  await carryOn(books, id);
};

/** What anybody may do at any moment. The number says to which person, or with which form. */
const DEEDS = ['submit', 'withdraw', 'complete', 'approve', 'reject', 'ask', 'expire'] as const;
const PEOPLE_DEEDS = ['hand in', 'approve', 'reject', 'ask', 'expire'] as const;

test('in any order, a company is approved only with all its people, and none stays open behind it', async () => {
  const deeds = fc.array(
    fc.oneof(
      fc.record({ what: fc.constantFrom(...DEEDS), person: fc.constant(null), which: fc.nat({ max: 3 }) }),
      fc.record({
        what: fc.constantFrom(...PEOPLE_DEEDS),
        person: fc.nat({ max: 1 }),
        which: fc.constant(0),
      }),
    ),
    { minLength: 6, maxLength: 24 },
  );
  let approvals = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), deeds, async (isReady, list) => {
      const user = await books.user();
      const { id, children } = await companySubmitted(books, user);
      if (isReady) {
        await completeCompany(books, office, id);
        for (const child of children) {
          await acceptDocuments(books, office, child);
          await decideFor(books, office, child, 'approve');
        }
      }
      for (const { what, person, which } of list) {
        const { people } = await companyOf(books, id);
        const target = person === null ? id : (people[person]?.application_id ?? id);
        if (what === 'submit') await submitCompanyTo(books, user, FORMS[which]);
        if (what === 'withdraw') await withdrawApplication.one(books.em(), { id, owner: user });
        if (what === 'complete') await completeCompany(books, office, id);
        if (what === 'hand in') await handInTo(books, { id: target, userId: user }, 'passport');
        if (what === 'expire') await expire(target);
        if (what === 'reject')
          await decideFor(books, office, target, 'reject', { note: null, code: 'other' });
        if (what === 'ask' && person === null) await decideFor(books, office, id, 'request_changes', CHANGES);
        if (what === 'ask' && person !== null) {
          const [file] = people[person]?.documents ?? [];
          if (file?.document_id !== null && file !== undefined)
            await decideFor(books, office, target, 'request_changes', {
              note: null,
              items: [
                {
                  document_id: file.document_id,
                  document_type: file.document_type,
                  code: 'document_cropped',
                },
              ],
            });
        }
        if (what === 'approve') {
          await acceptDocuments(books, office, target);
          await decideFor(books, office, target, 'approve');
        }
        approvals += Number(await expectSound(user));
      }
    }),
    { numRuns: 40 },
  );
  // the property is about something
  expect(approvals).toBeGreaterThan(0);
}, 120_000);

/** Answers whether a company is approved. */
async function expectSound(user: UserId): Promise<boolean> {
  const rows = await books.asOwner(
    `select a.id, a.status, a.ended_at is null as is_open,
            array(select p.person_ref from kyb_people(a) p where p.status <> 'approved') as lacking,
            (select count(*)::int from kyb_people(a)) as people,
            jsonb_array_length(a.form->'persons') as named,
            (select count(*)::int from kyc_applications c where c.kyb_application_id = a.id and c.ended_at is null
              and c.id not in (select p.id from kyb_people(a) p)) as stray,
            (select count(*)::int from kyc_applications c where c.kyb_application_id = a.id
              and c.ended_at is null) as open_people
       from kyc_applications a where a.user_id = $1 and a.kind = 'kyb'`,
    [user],
  );
  for (const row of rows) {
    expect(row).toMatchObject({ stray: 0, people: row['named'] });
    if (row['is_open'] === false) expect(row['open_people']).toBe(0);
    if (row['status'] === 'approved') expect(row['lacking']).toEqual([]);
  }
  expect(rows.filter((row) => row['is_open'] === true).length).toBeLessThanOrEqual(1);
  const [level] = await books.asOwner('select kyc_status, kyc_level from users where id = $1', [user]);
  const isApproved = rows.some((row) => row['status'] === 'approved');
  // the check of a company says nothing of who its customer is
  expect(level).toEqual({ kyc_status: 'none', kyc_level: isApproved ? 1 : 0 });
  return isApproved;
}

test('a company that is rejected for good leaves its customer the level of their own check', async () => {
  const user = await books.user();
  await books.asOwner('update users set kyc_level = 1 where id = $1', [user]);
  const { id } = await companySubmitted(books, user);
  await decideFor(books, office, id, 'reject', { note: null, code: 'other', final: true });
  const [row] = await books.asOwner('select kyc_level from users where id = $1', [user]);
  expect(row).toEqual({ kyc_level: 0 });
});

test('the database refuses to move a person to another company, and a second open check of theirs', async () => {
  const [first, second] = [
    await companySubmitted(books, await books.user()),
    await companySubmitted(books, await books.user()),
  ];
  const [child] = first.children;
  await expect(
    books.asOwner('update kyc_applications set kyb_application_id = $2 where id = $1', [child, second.id]),
  ).rejects.toThrow('does not change like that');
  await expect(
    books.asOwner(
      `insert into kyc_applications (id, user_id, kyb_application_id, person_ref, form, required, grants, needs_second,
         due_at, look_at) select gen_random_uuid(), a.user_id, a.kyb_application_id, a.person_ref, a.form, a.required,
         1, false, now(), now() from kyc_applications a where a.id = $1`,
      [child],
    ),
  ).rejects.toThrow('kyc_applications_one_of_person');
});

test('the processes of a company and of its people are found again, each by its own kind', async () => {
  const user = await books.user();
  const { id } = await companySubmitted(books, user, { ...COMPANY, persons: [ann] });
  const overdue = (recovery: typeof kybRecovery) =>
    recovery.overdue(books.em(), { lateSeconds: -86_400 * 4, most: 1_000, after: null });
  expect((await overdue(kybRecovery)).map((row) => row.id)).toContain(id);
  expect((await overdue(kycRecovery)).map((row) => row.id)).not.toContain(id);
  expect(await kybRecovery.orderOf(books.em(), id)).toEqual({ id, customerId: user });
  expect(await kycRecovery.orderOf(books.em(), id)).toBeUndefined();
});
