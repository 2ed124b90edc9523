/** IBANs in the database: proven, unique, for ever; and given to the accounts that are older than them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { loadStoredBank } from '../../config.ts';
import { migrate } from '../../db/migrate.ts';
import { accountById, accountsOfPayment } from '../../db/queries/accounts/accounts.ts';
import { rows } from '../support/stack/sql.ts';
import { readIban } from '../../domain/standards/iban.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { stack } from '../support/stack/stack.ts';

const BANK = loadStoredBank(stack.serviceEnv);

let database: Database;
let books: Books;
let customer: UserId;
let account: AccountId;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
  customer = await books.user();
  account = await books.account(customer);
});
afterAll(() => books.close());

test('an account has an IBAN from its opening on, and is found by it', async () => {
  const { iban } = (await accountById.first(books.em(), { id: account })) ?? {};
  expect(readIban(iban ?? '')).toBe(iban);
  const payer = { id: account, owner: await books.user() };
  const paid = async (iban: string) => (await accountsOfPayment(books.em(), payer, { iban })).payee;
  expect(await paid(iban ?? '')).toMatchObject({ id: account });
  expect(await paid('DE89370400440532013000')).toBeUndefined();
});

test('it never changes, nor does the type, and wrong check digits are refused, to the owner of the tables too', async () => {
  const { iban } = (await accountById.first(books.em(), { id: account })) ?? {};
  for (const change of [`iban = 'DE89370400440532013000'`, 'iban = null', 'account_type_id = uuidv7()'])
    await expect(books.asOwner(`update accounts set ${change} where id = $1`, [account])).rejects.toThrow(
      /never changes/,
    );
  const older = await olderAccount();
  await expect(
    books.asOwner(`update accounts set iban = 'DE88370400440532013000' where id = $1`, [older]),
  ).rejects.toThrow(/wrong check digits/);
  await expect(books.asOwner('update accounts set iban = $2 where id = $1', [older, iban])).rejects.toThrow(
    /unique/,
  );
  await expect(rows(books.em(), 'update accounts set iban = null where id = $1', [older])).rejects.toThrow(
    /permission denied/,
  );
});

test('accounts from before IBANs get theirs when the database is migrated, also a closed one; the others keep theirs', async () => {
  const [open, closed] = [await olderAccount(), await olderAccount()];
  await books.asOwner(`update accounts set status = 'closed', closed_at = now() where id = $1`, [closed]);
  const before = await accountById.first(books.em(), { id: account });
  await Promise.all([migrate(database.ownerUrl, BANK), migrate(database.ownerUrl, BANK)]);
  for (const id of [open, closed]) {
    const { iban = null } = (await accountById.first(books.em(), { id })) ?? {};
    expect(readIban(iban ?? '')).toBe(iban);
  }
  expect((await accountById.first(books.em(), { id: account }))?.iban).toBe(before?.iban);
  await expect(
    books.asOwner(`update accounts set nickname = 'again' where id = $1`, [closed]),
  ).rejects.toThrow(/closed for ever/);
});

test('limits that contradict each other are refused, to the owner of the tables too', async () => {
  const insert = (limits: string) =>
    books.asOwner(
      `insert into account_types (code, name, asset, openable_by, min_balance, overdraft_limit, max_balance)
       values ('t' || replace('${randomUUID()}', '-', ''), 'x', 'EUR', 'request', ${limits})`,
    );
  await expect(insert('100, 100, null')).rejects.toThrow(/limits_fit/);
  await expect(insert('100, 0, 100')).rejects.toThrow(/limits_fit/);
  await expect(insert('-1, 0, null')).rejects.toThrow(/min_balance/);
});

/** As it was written before accounts had IBANs. */
async function olderAccount(): Promise<AccountId> {
  const [made] = await books.asOwner(
    `insert into accounts (kind, owner_id, account_type_id, number, asset)
     select 'customer', $1, t.id, next_account_number(), t.asset from account_types t where t.code = 'current_eur' returning id`,
    [customer],
  );
  return made?.['id'] as AccountId;
}
