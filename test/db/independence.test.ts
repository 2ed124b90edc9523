/** Who is a second pair of eyes for whom: in a bank that grows from two administrators to five, and whatever program writes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { actAs } from '../../db/queries/platform/acting.ts';
import { transaction } from '../../db/transaction.ts';
import { DECIDING_ACTIONS } from '../../domain/identity/deciding-actions.ts';
import type { UserId } from '../../domain/ids.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { rows } from '../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const admin = (...actions: readonly string[]): Promise<UserId> => books.admin(actions);

const grant = (actor: UserId, target: UserId, ...actions: string[]) =>
  rows<{ refusal: string | null }>(books.em(), 'select * from permissions_grant($1, $2, $3)', [
    actor,
    target,
    actions,
  ]);
const promote = (actor: UserId, target: UserId, ...actions: string[]) =>
  rows<{ refusal: string | null }>(books.em(), 'select * from user_promote($1, $2, $3)', [
    actor,
    target,
    actions,
  ]);
const countersign = (person: UserId, checker: UserId) =>
  books.asOwner('select countersign_empowerments($1, $2)', [person, checker]);

async function independent(checker: UserId | null, maker: UserId | null): Promise<unknown> {
  const [row] = await rows<{ is: unknown }>(books.em(), 'select independent_of($1, $2) as is', [
    checker,
    maker,
  ]);
  return row?.is;
}

/** Which of these may not check each other, by their letters. */
async function dependents(people: Readonly<Record<string, UserId>>): Promise<string[]> {
  const found: string[] = [];
  for (const [one, checker] of Object.entries(people))
    for (const [other, maker] of Object.entries(people))
      if (one !== other && (await independent(checker, maker)) !== true) found.push(`${one}-${other}`);
  return found;
}

test('a bank grows from two administrators to five: every pair is two pairs of eyes but those that nobody has countersigned', async () => {
  const [a, b] = [
    await admin('permissions:write', 'users:write', 'transfers:review'),
    await admin('permissions:write', 'users:write', 'transfers:review'),
  ];
  expect(await dependents({ a, b })).toEqual([]);

  // a makes c, and b countersigns it
  const c = await books.user();
  await promote(a, c, 'permissions:write', 'transfers:review', 'users:write');
  expect(await dependents({ a, b, c })).toEqual(['a-c', 'c-a']);
  await countersign(c, b);
  expect(await dependents({ a, b, c })).toEqual([]);

  // c makes d alone, without anything that decides
  const d = await books.user();
  await promote(c, d);
  expect(await dependents({ a, b, c, d })).toEqual(['c-d', 'd-c']);

  // d is given a right by a, which makes them dependent on both until a third countersigns
  await grant(a, d, 'transfers:review');
  expect(await dependents({ a, b, c, d })).toEqual(['a-d', 'c-d', 'd-a', 'd-c']);
  // who is one of the two is no third person
  await countersign(d, a);
  expect(await dependents({ a, b, c, d })).toEqual(['a-d', 'd-a']);
  await countersign(d, b);
  expect(await dependents({ a, b, c, d })).toEqual([]);

  // b makes e, whom b alone stands behind; the others are not b
  const e = await books.user();
  await promote(b, e, 'permissions:write', 'users:write');
  expect(await dependents({ a, b, c, d, e })).toEqual(['b-e', 'e-b']);
  await countersign(e, e);
  await countersign(e, b);
  expect(await dependents({ a, b, c, d, e })).toEqual(['b-e', 'e-b']);
  await countersign(e, c);
  expect(await dependents({ a, b, c, d, e })).toEqual([]);
});

test('whom a helper of the maker has made is not independent of the maker either', async () => {
  const a = await admin('permissions:write', 'users:write');
  const [helper, helpersHelper] = [await books.user(), await books.user()];
  await promote(a, helper, 'permissions:write', 'users:write');
  await promote(helper, helpersHelper, 'users:write');
  expect(await dependents({ a, helper, helpersHelper })).toHaveLength(6);
  // the helper does not turn the one they have made into somebody else by countersigning for a
  await countersign(helper, helpersHelper);
  expect(await dependents({ a, helper })).toEqual(['a-helper', 'helper-a']);
});

test('a right that decides nothing makes nobody dependent', async () => {
  const [a, b] = [await admin('permissions:write', 'tickets:read'), await admin()];
  await grant(a, b, 'tickets:read');
  expect(await dependents({ a, b })).toEqual([]);
});

test('nobody is independent of themselves or of nobody', async () => {
  const a = await admin();
  for (const [checker, maker] of [
    [a, a],
    [a, null],
    [null, a],
    [null, null],
  ] as const)
    expect(await independent(checker, maker)).toBe(false);
});

test('who has made an administrator is written down once, whoever sends the invitation again', async () => {
  const [a, b] = [await admin('users:write'), await admin('users:write')];
  const person = randomUUID();
  const invite = (em: EntityManager, by: UserId) =>
    rows(
      em,
      `insert into admin_invitations (user_id, token_hash, invited_by, expires_at)
       values ($1, sha256($2::bytea), $3, now() + interval '1 day')
       on conflict (user_id) do update set token_hash = excluded.token_hash, invited_by = excluded.invited_by`,
      [person, randomUUID(), by],
    );
  for (const by of [a, b])
    await transaction(books.em(), async (em) => {
      await actAs.run(em, { actor: by });
      await rows(
        em,
        `insert into users (id, email, first_name, last_name, role, status)
         values ($1::uuid, $1::text || '@books.test', 'New', 'Person', 'admin', 'pending') on conflict do nothing`,
        [person],
      );
      await invite(em, by);
    });
  const steps = await books.asOwner('select kind, empowered_by from empowerments where person_id = $1', [
    person,
  ]);
  expect(steps).toEqual([{ kind: 'created', empowered_by: a }]);
});

test('the application can neither write nor countersign a step, and a step stands for the owner too', async () => {
  const [a, b, c] = [await admin('permissions:write', 'fx:write'), await admin(), await admin()];
  await grant(a, b, 'fx:write');
  for (const statement of [
    `insert into empowerments (person_id, empowered_by, kind) values ('${c}', '${a}', 'created')`,
    `update empowerments set countersigned_by = '${c}', countersigned_at = now()`,
    'delete from empowerments',
    `select countersign_empowerments('${b}', '${c}')`,
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  await countersign(b, c);
  for (const change of [
    'countersigned_by = null, countersigned_at = null',
    `empowered_by = '${c}'`,
    `created_at = now()`,
  ])
    await expect(
      books.asOwner(`update empowerments set ${change} where person_id = $1`, [b]),
    ).rejects.toThrow(/stands/);
  await expect(books.asOwner('delete from empowerments where person_id = $1', [b])).rejects.toThrow(
    /append-only/,
  );
});

test('the database knows the same actions that decide as the code', async () => {
  const [row] = await rows<{ actions: string[] }>(books.em(), 'select deciding_actions() as actions');
  expect(row?.actions).toEqual(DECIDING_ACTIONS);
});

test('two whom the same person has made are one pair of eyes until somebody else has countersigned one of them', async () => {
  const [maker, third] = [await admin('permissions:write', 'fx:write'), await admin()];
  const [one, other] = [await admin(), await admin()];
  await grant(maker, one, 'fx:write');
  await grant(maker, other, 'fx:write');
  expect([await independent(one, other), await independent(other, one)]).toEqual([false, false]);
  await countersign(one, third);
  expect([await independent(one, other), await independent(other, one)]).toEqual([true, true]);
});
