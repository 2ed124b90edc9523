/** Which deliveries are claimed first, and how long it is known what became of them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  claimDeliveries,
  endDelivery,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import { sweep } from '../../../db/queries/platform/sweeps.ts';
import type { UserId } from '../../../domain/ids.ts';
import { CHANNELS } from '../../../domain/notifications/notifications.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { claim, happen } from '../../support/bank/events.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const em = () => books.em();
const sent = { status: 'sent', reason: null, providerId: 'x' } as const;

async function claimedMail(user: UserId): Promise<ClaimedDelivery> {
  const found = (await claim(em())).find((each) => each.userId === user && each.channel === 'email');
  if (found === undefined) throw new Error('no mail was claimed');
  return found;
}

test('of what has waited for the same moment the newest is claimed first, over all rounds', async () => {
  const user = await books.user();
  for (let notices = 0; notices < 4; notices++) await happen(em(), user);
  await books.asOwner(
    `update notification_deliveries d set due_at = '2026-01-01' from notifications n
      where n.user_id = $1 and d.notification_id = n.id and d.channel = 'email'`,
    [user],
  );
  const told: string[] = [];
  for (let round = 0; round < 2; round++) {
    const claimed = await claimDeliveries.all(em(), {
      lane: 'common',
      channels: [...CHANNELS],
      most: 2,
      leaseSeconds: 30,
    });
    told.push(...claimed.map(({ notificationId }) => notificationId));
  }
  expect(told).toHaveLength(4);
  expect(told).toEqual(told.toSorted().toReversed());
});

test('what became of a delivery is known for thirteen months, and longer of an address that is suppressed', async () => {
  const told = async (age: string): Promise<string> => {
    const user = await books.user();
    await happen(em(), user);
    await endDelivery.one(em(), { ...(await claimedMail(user)), ...sent });
    const rows = await books.asOwner(
      `insert into notification_deliveries (id, notification_id, channel, lane, addressed, status, due_at, expires_at, created_at, finished_at)
       select uuidv7($2::interval), id, 'push', 'common', false, 'sent', now(), now(), now(), now() from notifications where user_id = $1
       returning id`,
      [user, age],
    );
    return String(rows[0]?.['id']);
  };
  const [fresh, old, bounced] = [
    await told('-12 months'),
    await told('-14 months'),
    await told('-14 months'),
  ];
  await books.asOwner(
    `insert into suppressed_addresses (address_hash, delivery_id, reason, created_at) values (sha256($1::text::bytea), $1::text::uuid, 'bounced', now())`,
    [bounced],
  );
  await expect(em().execute('delete from notification_deliveries where id = ?', [fresh])).rejects.toThrow();
  await sweep(em());
  const left = await books.asOwner('select id from notification_deliveries where id = any($1) order by id', [
    [fresh, old, bounced],
  ]);
  expect(left.map(({ id }) => id)).toEqual([bounced, fresh]);
});
