/** Changes that wait defend themselves, whatever program writes: who ends them, how, and that no row is rewritten. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { UserId } from '../../domain/ids.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { rows } from '../support/stack/sql.ts';

let books: Books;
const permission = 'fees:write';
let maker: UserId;
let checker: UserId;
let helper: UserId;
let clerk: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  [maker, checker, helper] = [await admin(permission), await admin(permission), await admin(permission)];
  clerk = await admin('fees:read');
  await books.asOwner(
    `insert into empowerments (person_id, empowered_by, kind) values ($1, $2, 'promoted')`,
    [helper, maker],
  );
});
afterAll(() => books.close());

const admin = (action: string): Promise<UserId> => books.admin([action]);

/** A change that waits. */
async function asked(concerns: UserId | null = null, seconds = 60): Promise<string> {
  const id = randomUUID();
  await rows(
    books.ownerEm(),
    `insert into pending_changes (id, operation, permission, resource_type, resource_id, etag, request, request_mac, concerns, requested_by, expires_at)
     values ($1::uuid, 'updateFeeRule', $2, 'fee_rule', $1::uuid::text, 'v', 'sealed', $3, $4, $5, now() + make_interval(secs => $6))`,
    [id, permission, Buffer.from(id), concerns, maker, seconds],
  );
  return id;
}

const end = async (id: string, status: string, by: UserId | null, failure: string | null = null) =>
  (
    await rows<{ refusal: string | null }>(
      books.em(),
      `select change_end($1, $2, $3, 'seen', $4) as refusal`,
      [id, status, by, failure],
    )
  )[0]?.refusal;

test('only somebody else who holds the permission and is independent approves', async () => {
  const id = await asked();
  expect(await end(id, 'applied', maker)).toBe('same_person');
  expect(await end(id, 'applied', helper)).toBe('same_person');
  expect(await end(id, 'applied', clerk)).toBe('forbidden');
  expect(await end(id, 'applied', null)).toBe('forbidden');
  expect(await end(id, 'applied', checker)).toBeNull();
  expect(await end(id, 'rejected', checker)).toBe('already_decided');
  expect(await end(randomUUID(), 'applied', checker)).toBe('not_found');
});

test('whoever gains by it does not approve, and whom the maker has made may reject', async () => {
  const id = await asked(checker);
  expect(await end(id, 'applied', checker)).toBe('same_person');
  expect(await end(id, 'rejected', maker)).toBe('same_person');
  expect(await end(id, 'rejected', helper)).toBeNull();
});

test('only the maker withdraws, and only time lets it expire', async () => {
  const id = await asked();
  expect(await end(id, 'withdrawn', checker)).toBe('forbidden');
  expect(await end(id, 'expired', null)).toBe('conflict');
  expect(await end(id, 'withdrawn', maker)).toBeNull();
  const late = await asked(null, -1);
  expect(await end(late, 'applied', checker)).toBe('already_decided');
  expect(await end(late, 'expired', null)).toBeNull();
});

test('an approval that had no effect says why', async () => {
  expect(await end(await asked(), 'failed', checker, 'account_closed')).toBeNull();
  expect(await end(await asked(), 'stale', checker)).toBeNull();
  await expect(end(await asked(), 'failed', checker)).rejects.toThrow(/failure/);
  await expect(end(await asked(), 'applied', checker, 'conflict')).rejects.toThrow(/failure/);
});

test('the application neither ends nor rewrites nor removes one but by the function', async () => {
  const id = await asked();
  for (const statement of [
    `update pending_changes set status = 'applied', decided_by = '${checker}', decided_at = now()`,
    `update pending_changes set request = 'another'`,
    `update pending_changes set requested_by = '${checker}'`,
    'delete from pending_changes',
    `insert into pending_changes (id, status, decided_by) values ('${randomUUID()}', 'applied', '${checker}')`,
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  expect(await end(id, 'withdrawn', maker)).toBeNull();
});

test.each([
  ['rewrites what was asked for', `request = 'another'`, /never rewritten/],
  ['gives it to another maker', `requested_by = '$clerk'`, /never rewritten/],
  [
    'lets the maker approve',
    `status = 'applied', decided_by = '$maker', decided_at = now()`,
    /independent|decider/,
  ],
  ['lets a helper approve', `status = 'applied', decided_by = '$helper', decided_at = now()`, /independent/],
  ['ends it by nobody', `status = 'rejected', decided_at = now()`, /decider/],
  ['ends it without a time', `status = 'expired'`, /ended/],
  ['knows another status', `status = 'forgotten', decided_at = now()`, /status_check|decider/],
])('not even the owner of the tables %s', async (_what, change, reason) => {
  const id = await asked();
  const people: Readonly<Record<string, string>> = { $clerk: clerk, $maker: maker, $helper: helper };
  const set = change.replace(/\$\w+/, (name) => people[name] ?? '');
  await expect(books.asOwner(`update pending_changes set ${set} where id = $1`, [id])).rejects.toThrow(
    reason,
  );
});

test('its end stands, and it is never deleted', async () => {
  const id = await asked();
  await end(id, 'withdrawn', maker);
  await expect(
    books.asOwner(
      `update pending_changes set status = 'open', decided_by = null, decided_at = null where id = $1`,
      [id],
    ),
  ).rejects.toThrow(/never rewritten/);
  await expect(books.asOwner('delete from pending_changes where id = $1', [id])).rejects.toThrow(
    /append-only/,
  );
});
