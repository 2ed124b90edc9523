/** What people are told, as they see it. */
import { z } from 'zod';
import { newKey } from '../client.ts';
import { until } from '../stack/processes.ts';
import type { Bank, Person } from './bank.ts';

const Feed = z.looseObject({
  items: z.array(
    z.looseObject({
      id: z.uuid(),
      type: z.string(),
      title: z.string(),
      body: z.string(),
      read_at: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
  unread_count: z.number(),
  unseen_count: z.number(),
});
export type Feed = z.output<typeof Feed>;

/** A message of an administrator, which the feed will show. */
export async function writeTo(
  bank: Bank,
  customer: Pick<Person, 'id'>,
  message: object = { title: 'Your documents', body: 'Please send them.' },
): Promise<void> {
  const admin = await bank.admin('notifications:send');
  const call = { token: admin.token, key: newKey(), body: message };
  const answer = await admin.client.call('POST', `/v1/admin/users/${customer.id}/messages`, call);
  if (answer.status !== 201) throw new Error(`the message was not sent: ${answer.text}`);
}

type Reader = Pick<Person, 'token' | 'client'>;

/** The feed once it holds so many notifications. */
export async function feedOf(person: Reader, least: number, query = ''): Promise<Feed> {
  let feed: Feed | undefined;
  await until(async () => {
    feed = await lookAtFeed(person, query);
    return feed.items.length >= least;
  });
  if (feed === undefined) throw new Error('no feed');
  return feed;
}

export async function lookAtFeed(person: Reader, query = ''): Promise<Feed> {
  return (await person.client.call('GET', `/v1/notifications${query}`, { token: person.token })).as(Feed);
}
