/** What comes after an approval: whoever is known needs no other check, until they are to be checked again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import {
  acceptAll,
  approved,
  handIn,
  KYC_DOCUMENTS,
  KYC_FORM,
  levelOf,
  refused,
  review,
  reviewer,
  statusOf,
  submit,
  Submitted,
} from '../../support/bank/kyc.ts';
import { feedOf } from '../../support/bank/notifications.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await reviewer(bank);
});
afterAll(() => bank.close());

test('whoever is approved needs no other check, unless they want a higher level or have another name', async () => {
  const { person, id } = await approved(bank, {
    ...KYC_FORM,
    ...{ first_name: 'Test', last_name: 'Person' },
  });
  await bank.asOwner(
    `update users set first_name = 'Test', last_name = 'Person', date_of_birth = '1990-04-02', country = 'DE',
       address = null where id = $1`,
    [person.id],
  );
  expect(await submit(person)).toMatchObject(refused('already_decided', { decision: 'approved' }));
  const funds = { ...KYC_FORM, source_of_funds: 'My salary' };
  const higher = (await submit(person, funds)).as(Submitted);
  expect(higher.id).not.toBe(id);
  for (const type of KYC_DOCUMENTS) await handIn({ person, id: higher.id }, type);
  await acceptAll(office, higher);
  await review(office, higher, { decision: 'approve' });
  expect(await levelOf(bank, person)).toMatchObject({ kyc_status: 'approved', kyc_level: 2 });
  expect(await submit(person, funds)).toMatchObject(refused('already_decided'));
  await bank.asOwner(`update users set last_name = 'Married' where id = $1`, [person.id]);
  expect(await statusOf({ person })).toMatchObject({ status: 'approved', renewal_reason: 'profile_changed' });
  const { items: told } = await feedOf(person, 3, '?type=kyc_update');
  expect(told[0]?.body).toBe('Please confirm in the app who you are. We have to check it again.');
  expect(await submit(person, funds)).toMatchObject({ status: 201 });
});

test('whoever is identified by a document is told before it expires', async () => {
  const { person, id } = await approved(bank);
  await bank.asOwner(
    `update kyc_applications set renewal_reason = 'document_expires', due_at = bank_now() + interval '59 days',
       look_at = bank_now() where id = $1`,
    [id],
  );
  await bank.asOwner(
    `insert into process_updates (workflow_id, update_id, name, input) values ($1, 'due', 'changed', $2)`,
    [`kyc/${id}`, JSON.stringify({ id })],
  );
  const { items: told } = await feedOf(person, 1, '?type=document_expiring');
  expect(told[0]?.body).toBe(
    'Your identity document expires on 2044-05-31. Please send us the new one in the app.',
  );
});
