/** The feed as it grows: nothing is lost between two connections, and nobody follows it longer than their session lasts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { feedOf, writeTo } from '../../support/bank/notifications.ts';
import { follow, type StreamedEvent } from '../../support/bank/streams.ts';
import { until } from '../../support/stack/processes.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const titled =
  (title: string) =>
  ({ data }: StreamedEvent): boolean =>
    data['title'] === title;
const counts =
  (unread: number, unseen: number) =>
  ({ event, data }: StreamedEvent): boolean =>
    event === 'counts' && data['unread_count'] === unread && data['unseen_count'] === unseen;
const post = (person: Person, path: string) =>
  person.client.call('POST', `/v1/notifications${path}`, { token: person.token });

test('what the feed shows reaches everybody who follows it, with the counts, and nobody else', async () => {
  const [customer, other] = [await bank.customer(), await bank.customer()];
  const [phone, tablet, stranger] = [await follow(customer), await follow(customer), await follow(other)];
  expect(phone.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(phone.headers.get('cache-control')).toContain('no-store');
  await writeTo(bank, customer, { title: 'Hello', body: 'World' });
  for (const device of [phone, tablet]) {
    const { event, data } = await device.heard(titled('Hello'));
    expect({ event, data }).toMatchObject({
      event: 'notification',
      data: { type: 'admin_message', read_at: null },
    });
    await device.heard(counts(1, 1));
  }
  await post(customer, '/seen');
  await tablet.heard(counts(1, 0));
  await post(customer, '/read-all');
  await phone.heard(counts(0, 0));
  expect(stranger.events.filter(({ event }) => event === 'notification')).toEqual([]);
  for (const device of [phone, tablet, stranger]) device.leave();
});

test('whoever comes back with the last event gets what came meanwhile, in order and once', async () => {
  const customer = await bank.customer();
  const first = await follow(customer);
  await writeTo(bank, customer, { title: 'One', body: '1' });
  const { id } = await first.heard(titled('One'));
  first.leave();
  for (const title of ['Two', 'Three']) {
    await writeTo(bank, customer, { title, body: title });
    await until(async () => JSON.stringify(await feedOf(customer, 1)).includes(title));
  }
  const second = await follow(customer, { lastEventId: id });
  await second.heard(titled('Three'));
  await writeTo(bank, customer, { title: 'Four', body: '4' });
  await second.heard(titled('Four'));
  const titles = second.events.flatMap(({ event, data }) =>
    event === 'notification' ? [data['title']] : [],
  );
  expect(titles).toEqual(['Two', 'Three', 'Four']);
  second.leave();
});

test('a look that does not wait answers what is new, and where to go on', async () => {
  const customer = await bank.customer();
  await writeTo(bank, customer, { title: 'Hello', body: 'World' });
  await feedOf(customer, 1);
  const look = (query: string) =>
    customer.client.call('GET', `/v1/notifications/stream${query}`, {
      ...{ token: customer.token, headers: { Accept: 'application/json' } },
    });
  expect((await look('?last_event_id=0')).body).toMatchObject({
    ...{ items: [{ title: 'Hello' }], unread_count: 1, last_event_id: '1' },
  });
  expect((await look('')).body).toMatchObject({ items: [], unread_count: 1, last_event_id: '1' });
});

test.each([
  ['its session ends', `update sessions set ended_at = now(), end_reason = 'logout' where user_id = $1`],
  ['its user is blocked', `update users set status = 'blocked' where id = $1`],
])('a stream ends when %s', async (_what, statement) => {
  const customer = await bank.customer();
  const stream = await follow(customer);
  await stream.heard(counts(0, 0));
  await bank.asOwner(statement, [customer.id]);
  await until(() => Promise.resolve(stream.isOver()));
  expect((await follow(customer)).status).toBe(401);
});

test('one person follows ten times at most, and a place that is left is free', async () => {
  const customer = await bank.customer();
  const streams = await Promise.all(Array.from({ length: 10 }, () => follow(customer)));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect((await follow(customer)).status).toBe(429);
  streams[0]?.leave();
  await until(async () => {
    const again = await follow(customer);
    streams.push(again);
    return again.status === 200;
  });
  for (const stream of streams) stream.leave();
});
