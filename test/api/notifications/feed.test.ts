/** The feed of a customer: exact counts, pages, and nobody else's. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { feedOf, lookAtFeed, writeTo } from '../../support/bank/notifications.ts';
import { codeOf } from '../../support/client.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

async function told(times: number): Promise<Person> {
  const customer = await bank.customer();
  for (let each = 1; each <= times; each++) {
    await writeTo(bank, customer, { title: `Message ${String(each)}`, body: 'Please read it.' });
    await feedOf(customer, each);
  }
  return customer;
}
const read = (person: Person, path: string) =>
  person.client.call('POST', `/v1/notifications${path}`, { token: person.token });

test('the feed shows the newest first, page by page, and counts all that is unread', async () => {
  const customer = await told(3);
  const first = await feedOf(customer, 2, '?limit=2');
  expect(first.items.map(({ title }) => title)).toEqual(['Message 3', 'Message 2']);
  expect(first.unread_count).toBe(3);
  const rest = await lookAtFeed(customer, `?limit=2&cursor=${first.next_cursor ?? ''}`);
  expect(rest).toMatchObject({ items: [{ title: 'Message 1' }], next_cursor: null, unread_count: 3 });
});

test('one that is read twice was read once, and the count of every device agrees with the filter', async () => {
  const customer = await told(2);
  const [newest] = (await lookAtFeed(customer)).items;
  const answers = [
    await read(customer, `/${newest?.id ?? ''}/read`),
    await read(customer, `/${newest?.id ?? ''}/read`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.body).toEqual(answers[1]?.body);
  const unread = await lookAtFeed(customer, '?unread=true');
  expect([unread.items.length, unread.unread_count]).toEqual([1, 1]);
  expect((await lookAtFeed(customer, '?unread=false')).items).toHaveLength(1);
});

test('reading all marks what was there, answers how many, and a repeat none', async () => {
  const customer = await told(3);
  const middle = (await lookAtFeed(customer)).items[1]?.id ?? '';
  expect((await read(customer, `/read-all?before=${middle}`)).body).toEqual({ count: 2 });
  expect((await lookAtFeed(customer)).unread_count).toBe(1);
  const both = await Promise.all([read(customer, '/read-all'), read(customer, '/read-all')]);
  expect(both.map(({ body }) => body).sort()).toEqual(expect.arrayContaining([{ count: 1 }, { count: 0 }]));
  expect((await lookAtFeed(customer)).unread_count).toBe(0);
});

test('what came since somebody looked is new until they look again or read it', async () => {
  const customer = await told(2);
  expect((await lookAtFeed(customer)).unseen_count).toBe(2);
  const [newest] = (await lookAtFeed(customer)).items;
  await read(customer, `/${newest?.id ?? ''}/read`);
  expect(await lookAtFeed(customer)).toMatchObject({ unread_count: 1, unseen_count: 1 });
  const both = await Promise.all([read(customer, '/seen'), read(customer, '/seen')]);
  expect(both.map(({ body }) => body)).toEqual(expect.arrayContaining([{ count: 1 }, { count: 0 }]));
  await writeTo(bank, customer);
  await feedOf(customer, 3);
  expect(await lookAtFeed(customer, '?limit=1')).toMatchObject({ unread_count: 2, unseen_count: 1 });
  await read(customer, '/read-all');
  expect(await lookAtFeed(customer, '?unread=true')).toMatchObject({
    ...{ items: [], unread_count: 0, unseen_count: 0 },
  });
});

test('the feed is narrowed to a type or a category', async () => {
  const customer = await told(1);
  expect((await lookAtFeed(customer, '?type=admin_message')).items).toHaveLength(1);
  expect((await lookAtFeed(customer, '?type=ticket_reply')).items).toHaveLength(0);
  expect((await lookAtFeed(customer, '?category=service')).items).toHaveLength(1);
  expect((await lookAtFeed(customer, '?category=money')).items).toHaveLength(0);
});

test('a notification of somebody else is not found, and stays unread', async () => {
  const [customer, other] = [await told(1), await bank.customer()];
  const [mine] = (await lookAtFeed(customer)).items;
  expect(codeOf(await read(other, `/${mine?.id ?? ''}/read`))).toBe('not_found');
  expect((await lookAtFeed(other)).items).toEqual([]);
  expect((await lookAtFeed(customer)).unread_count).toBe(1);
});
