/** What is sent to many people: a second administrator agrees, each is told once, and it can be stopped. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { feedOf, lookAtFeed } from '../../support/bank/notifications.ts';
import { ChangeAnswer, checkerOf, decideOn, secondPerson } from '../../support/bank/second-person.ts';
import { codeOf, newKey, type Answered } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';

const SEND = '/v1/admin/notification-types/announcement/send';
const List = z.object({ items: z.array(z.looseObject({ id: z.uuid(), created_by: z.uuid() })) });
const variables = { title: 'Opening hours', body: 'We are closed on Monday.' };

let bank: Bank;
let admin: Person;
beforeAll(async () => {
  bank = openBank();
  admin = await bank.admin('notifications:read', 'notifications:send');
  await secondPerson(bank, 'POST', SEND);
});
afterAll(() => bank.close());

const send = (body: object, by = admin): Promise<Answered> =>
  by.client.call('POST', SEND, { token: by.token, key: newKey(), body });
const get = (path: string) => admin.client.call('GET', path, { token: admin.token });

/** So many people that they are an announcement, one of whom looks at their feed. */
async function manyWith(reader: Person): Promise<string[]> {
  const others = await bank.asOwner(
    `insert into users (email, first_name, last_name, status, password_hash)
       select $1 || n || '@many.test', 'Many', 'People', 'active', '$argon2id$none' from generate_series(1, 100) n returning id`,
    [randomUUID()],
  );
  return [...others.map(({ id }) => String(id)), reader.id];
}

test('more than a hundred people wait for a second administrator, and are then told once each', async () => {
  const reader = await bank.customer();
  const people = await manyWith(reader);
  const asked = await send({ user_ids: people, variables });
  expect(asked.status).toBe(202);
  const change = asked.as(ChangeAnswer);
  expect((await decideOn(admin, change, 'approve')).body).toMatchObject({ code: 'same_person' });
  expect((await lookAtFeed(reader)).items).toEqual([]);
  expect((await decideOn(await checkerOf(bank, change), change, 'approve')).status).toBe(200);
  expect((await feedOf(reader, 1)).items).toMatchObject([{ type: 'announcement', title: 'Opening hours' }]);
  const mine = (await get('/v1/admin/announcements'))
    .as(List)
    .items.find(({ created_by: by }) => by === admin.id);
  const path = `/v1/admin/announcements/${mine?.id ?? ''}`;
  await until(async () => JSON.stringify((await get(path)).body).includes('"status":"sent"'));
  expect((await get(path)).body).toMatchObject({ type: 'announcement', told: 101 });
  const stop = await admin.client.call('POST', `${path}/stop`, { token: admin.token, key: newKey() });
  expect(stop.body).toMatchObject({ code: 'already_decided', decision: 'sent' });
  expect((await lookAtFeed(reader)).items).toHaveLength(1);
});

test('people are named or all are meant, nobody is unknown, and nobody writes to themselves', async () => {
  const some = await manyWith(await bank.customer());
  expect((await send({ variables })).status).toBe(400);
  expect((await send({ user_ids: some, all: true, variables })).status).toBe(400);
  expect((await send({ user_ids: [...some, randomUUID()], variables })).body).toMatchObject({
    errors: [{ pointer: '/user_ids' }],
  });
  expect(codeOf(await send({ user_ids: [...some, admin.id], variables }))).toBe('same_person');
  expect((await send({ user_ids: [some[0]], variables })).body).toEqual({ count: 1, announcement_id: null });
});
