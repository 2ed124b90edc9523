/** Reviewers are reminded of a flag once, before it is due. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCipher, type Cipher } from '../../../adapters/cipher.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { flag } from '../../support/bank/movements.ts';
import { remindReviewers } from '../../../services/aml/reminders.ts';
import { loadConfig } from '../../../config.ts';
import { stack } from '../../support/stack/stack.ts';
import { ownBank } from '../../support/stack/database.ts';
import type { UserId } from '../../../domain/ids.ts';

let books: Books;
let cipher: Cipher;
beforeAll(async () => {
  // of its own: the worker of the shared one reminds too
  books = openBooks(await ownBank());
  cipher = createCipher(loadConfig(stack.serviceEnv).ENCRYPTION_KEYS);
});
afterAll(() => books.close());

const remind = () => remindReviewers({ em: books.em, cipher });
const told = async (person: UserId) =>
  (await books.asOwner(`select from events where user_id = $1 and type = 'aml_flag_due'`, [person])).length;

/** A flag on an account of a customer, due in so many minutes of a business day. */
async function flagged(customer: UserId, more: { readonly due?: string; readonly assignee?: UserId } = {}) {
  const account = await books.account(customer);
  await flag(books, account);
  await books.asOwner(
    `update aml_flags set due_at = coalesce($2, due_at), assignee_id = $3 where subject_id = $1`,
    [account, more.due ?? null, more.assignee ?? null],
  );
}

test('whoever has a flag hears of it, otherwise all who may review, once, and nobody of one about themselves', async () => {
  const reviewers = [await books.admin(['aml:review']), await books.admin(['aml:review'])] as const;
  const [one, other] = reviewers;
  const stranger = await books.admin(['aml:read']);
  const customer = await books.user();
  const soon = new Date().toISOString();
  await flagged(customer, { due: '2100-01-01T12:00:00Z' });
  await remind();
  expect([await told(one), await told(other)]).toEqual([0, 0]);
  await flagged(customer, { due: soon, assignee: one });
  await remind();
  await remind();
  expect([await told(one), await told(other), await told(stranger)]).toEqual([1, 0, 0]);
  // given to somebody who may not review any more
  await flagged(customer, { due: soon, assignee: stranger });
  await flagged(other, { due: soon });
  await remind();
  expect([await told(one), await told(other), await told(stranger)]).toEqual([3, 1, 0]);
});

test('all flags are reminded of, however many there are', async () => {
  const reviewer = await books.admin(['aml:review']);
  const customer = await books.user();
  for (let many = 0; many < 21; many += 1) await flagged(customer, { due: '2026-01-01T12:00:00Z' });
  await remind();
  expect(await told(reviewer)).toBe(21);
});
