/** Nobody overwrites what they have not seen: ETag and If-Match. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { forUsers } from '../../../api/declaration/operation.ts';
import { row, rows } from '../../support/stack/sql.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';

const Thing = named('TestThing', z.strictObject({ id: z.uuid(), changes: z.int() }));
const params = z.strictObject({ id: z.uuid() });

/** A thing is the count of its rows in the audit log, which the application may write and read. */
const count = `select count(*)::int as changes from audit_log where subject_type = 'test-thing' and subject_id = $1`;
const add = `insert into audit_log (actor_role, action, subject_type, subject_id) values ('system', 'test.thing', 'test-thing', $1)`;

const get = forUsers({
  id: 'getTestThing',
  area: 'Test',
  title: 'Get',
  description: 'For tests.',
  method: 'GET',
  path: '/things/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: Thing,
  refuses: [],
  async handle({ params: { id }, db, refusal }) {
    const found = await row<{ changes: number }>(db, count, [id]);
    if (found === undefined || found.changes === 0) throw refusal('not_found');
    return { id, changes: found.changes };
  },
});

const change = forUsers({
  id: 'changeTestThing',
  area: 'Test',
  title: 'Change',
  description: 'For tests.',
  method: 'PATCH',
  path: '/things/{id}',
  effect: 'transaction',
  params,
  body: named('TestThingChange', z.strictObject({ note: z.string().optional() }), { note: 'seen' }),
  status: 200,
  answer: Thing,
  refuses: [],
  async handle({ params: { id }, db }) {
    await wait(20);
    await rows(db, add, [id]);
    const found = await row<{ changes: number }>(db, count, [id]);
    return { id, changes: found?.changes ?? 0 };
  },
});

const unversioned = forUsers({
  id: 'changeTestOther',
  area: 'Test',
  title: 'Change other',
  description: 'For tests.',
  method: 'PATCH',
  path: '/others/{id}',
  effect: 'transaction',
  params,
  status: 204,
  answer: null,
  refuses: [],
  handle: () => Promise.resolve(null),
});

let world: FrameWorld;
let bank: Bank;
let person: Person;
beforeAll(async () => {
  world = await serve([get, change, unversioned]);
  bank = openBank();
  person = await bank.customer();
});
afterAll(() => Promise.all([world.close(), bank.close()]));

async function newThing(): Promise<string> {
  const id = newKey();
  await world.sql(add, [id]);
  return id;
}
const read = (id: string) => world.call('GET', `/things/${id}`, { token: person.token });
const patch = (id: string, ifMatch?: string) =>
  world.call('PATCH', `/things/${id}`, {
    token: person.token,
    body: {},
    headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
  });
const etagOf = async (id: string): Promise<string> => (await read(id)).headers.get('ETag') ?? '';

test('the ETag is strong, stays while nothing changes, and is another after a change', async () => {
  const id = await newThing();
  const before = await etagOf(id);
  expect(before).toMatch(/^"[\w-]{27}"$/);
  expect(await etagOf(id)).toBe(before);
  await patch(id);
  expect(await etagOf(id)).not.toBe(before);
});

test('a change that names the present version is made, one that names an old one is refused', async () => {
  const id = await newThing();
  const first = await etagOf(id);
  expect((await patch(id, first)).status).toBe(200);
  const stale = await patch(id, first);
  expect(stale.body).toMatchObject({ status: 409, code: 'etag_mismatch' });
  expect((await patch(id, `"other", ${await etagOf(id)}`)).status).toBe(200);
  expect((await patch(id, '*')).status).toBe(200);
  expect((await patch(id, `W/${await etagOf(id)}`)).status).toBe(409);
});

test('of ten changes at once that saw the same version, one is made', async () => {
  const id = await newThing();
  const seen = await etagOf(id);
  const answers = await Promise.all(Array.from({ length: 10 }, () => patch(id, seen)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ]);
  expect((await read(id)).body).toEqual({ id, changes: 2 });
});

test('a change without If-Match does not slip between another one’s look and its write', async () => {
  const id = await newThing();
  const seen = await etagOf(id);
  const [blind, careful] = await Promise.all([patch(id), patch(id, seen)]);
  const changes = [blind, careful]
    .filter(({ status }) => status === 200)
    .map((answer) => answer.as(Thing).changes);
  // either the careful one came first, or it was refused
  expect(careful.status === 409 || careful.as(Thing).changes === 2).toBe(true);
  expect(new Set(changes).size).toBe(changes.length);
});

test('If-Match on what does not exist is 404, and on what has no version a fault of the request', async () => {
  expect((await patch(newKey(), '"any"')).status).toBe(404);
  const answer = await world.call('PATCH', `/others/${newKey()}`, {
    token: person.token,
    headers: { 'If-Match': '"any"' },
  });
  expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: 'header/If-Match' }] });
});
