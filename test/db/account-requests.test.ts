/** Requests to open an account defend themselves, whatever program writes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { rows } from '../support/stack/sql.ts';
import type { UserId } from '../../domain/ids.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let [customer, admin]: UserId[] = [];
beforeAll(async () => {
  books = openBooks(await ownBank());
  [customer, admin] = [await books.admin(['accounts:review']), await books.admin(['accounts:review'])];
});
afterAll(() => books.close());

/** A request for a type of its own. */
async function asked(): Promise<string> {
  const [type] = await books.asOwner(
    `insert into account_types (code, name, asset, openable_by) values ('t' || replace($1, '-', ''), 'x', 'EUR', 'request') returning id`,
    [randomUUID()],
  );
  const id = randomUUID();
  await rows(
    books.em(),
    `insert into account_requests (id, user_id, account_type_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
    [id, customer, type?.['id']],
  );
  return id;
}

test.each([
  [
    'approved by who asked',
    `status = 'approved', decided_by = user_id, decided_at = now(), account_id = (select id from accounts limit 1)`,
    /decider/,
  ],
  ['rejected by who asked', `status = 'rejected', decided_by = user_id, decided_at = now()`, /decider/],
  ['rejected by nobody', `status = 'rejected', decided_at = now()`, /accounts:review/],
  ['withdrawn by another', `status = 'withdrawn', decided_by = '$admin', decided_at = now()`, /decider/],
  ['approved without an account', `status = 'approved', decided_by = '$admin', decided_at = now()`, /opened/],
  ['ended without a time', `status = 'expired'`, /ended/],
  ['of a status that is none', `status = 'forgotten', decided_at = now()`, /status_check|decider/],
])('one is never %s', async (_what, change, reason) => {
  const id = await asked();
  const statement = `update account_requests set ${change.replace('$admin', admin ?? '')} where id = $1`;
  await expect(rows(books.em(), statement, [id])).rejects.toThrow(reason);
  await expect(books.asOwner(statement, [id])).rejects.toThrow(reason);
});

test('its end stands, it is never deleted, and who asked for what is never rewritten', async () => {
  const id = await asked();
  await expect(
    rows(books.em(), 'update account_requests set user_id = $2 where id = $1', [id, admin]),
  ).rejects.toThrow(/permission denied/);
  await books.asOwner(`update account_requests set status = 'expired', decided_at = now() where id = $1`, [
    id,
  ]);
  await expect(
    books.asOwner(`update account_requests set status = 'pending', decided_at = null where id = $1`, [id]),
  ).rejects.toThrow(/has ended/);
  await expect(books.asOwner('delete from account_requests where id = $1', [id])).rejects.toThrow(
    /append-only/,
  );
});
