/** Announcements: each person once, whoever dies on the way, and nobody any more once they are stopped. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { announcementById, endAnnouncement } from '../../db/queries/notifications/announcements.ts';
import { overdueAnnouncements } from '../../db/queries/platform/overdue.ts';
import { AnnouncementId, type UserId } from '../../domain/ids.ts';
import { announcementRecovery, goOnTelling } from '../../services/notifications/announcements.ts';
import { sendDue, startSender } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen } from '../support/bank/events.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { mailboxOf } from '../support/stack/inbox.ts';
import { until } from '../support/stack/processes.ts';

let database: Database;
let books: Books;
let admin: UserId;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
  admin = await books.admin(['notifications:send']);
});
afterAll(() => books.close());
/** Nobody of an earlier test is a customer any more. */
beforeEach(() => books.asOwner(`update users set status = 'blocked' where role = 'customer'`));

const mail = createMail(config);
const worker = {
  ...{ em: () => books.em(), cipher, mail, push: undefined, config, log: pino({ level: 'silent' }) },
  sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
};
const send = (most = 500) => sendDue(worker, 'bulk', most);
const goOn = (id: AnnouncementId) => goOnTelling(worker, id);

async function announce(recipients: readonly UserId[] | null = null): Promise<AnnouncementId> {
  const id = AnnouncementId.parse(randomUUID());
  const sealed = cipher.seal(
    Buffer.from(JSON.stringify({ title: 'Opening hours', body: 'We are closed on Monday.' })),
    `announcements/${id}`,
  );
  await books.asOwner(
    `insert into announcements (id, type_code, sealed_values, recipients, created_by, created_at, active_at)
       values ($1, 'announcement', $2, $3, $4, bank_now(), bank_now())`,
    [id, sealed, recipients, admin],
  );
  return id;
}

const people = (count: number): Promise<UserId[]> =>
  Promise.all(Array.from({ length: count }, () => books.user()));
const toldOf = (id: AnnouncementId) =>
  books.asOwner(
    `select e.user_id, count(*)::int as times from events e join notifications n on n.event_id = e.id
      where e.announcement_id = $1 group by e.user_id`,
    [id],
  );
/** As a process that always comes back, until it has ended; deliveries are sent meanwhile. */
async function toItsEnd(id: AnnouncementId): Promise<string> {
  for (;;) {
    const { status } = await goOn(id);
    if (status !== 'sending') return status;
    await send();
  }
}

test('every active customer is told once, by mail and in the app, and the text is erased', async () => {
  const readers = await people(130);
  const id = await announce();
  expect(await toItsEnd(id)).toBe('sent');
  const told = await toldOf(id);
  expect(told).toHaveLength(130);
  expect(told.every(({ times }) => times === 1)).toBe(true);
  expect(await announcementById.one(books.em(), { id })).toMatchObject({ told: 130, sealedValues: null });
  const [first] = readers;
  expect((await mailboxOf(`${String(first)}@books.test`).next()).text).toContain('We are closed on Monday.');
  expect(await deliveriesOf(books, first ?? null)).toMatchObject({
    email: { status: 'sent', lane: 'bulk' },
    in_app: { status: 'sent' },
  });
});

test('a worker that dies after it has written a page tells nobody twice, and five at once do not either', async () => {
  await people(40);
  const id = await announce();
  await goOn(id);
  // as if its last page had not been noted: another worker begins it anew
  await books.asOwner('update announcements set last_told = null where id = $1', [id]);
  await Promise.all(Array.from({ length: 5 }, () => goOn(id)));
  const told = await toldOf(id);
  expect(told).toHaveLength(40);
  expect(told.every(({ times }) => times === 1)).toBe(true);
  expect(await announcementById.one(books.em(), { id })).toMatchObject({ told: 40 });
  expect(await toItsEnd(id)).toBe('sent');
});

test('once it is stopped nobody else is told, and what waits is not sent', async () => {
  const [reader] = await people(3);
  const id = await announce();
  await goOn(id);
  expect(await endAnnouncement.one(books.em(), { id, wanted: 'stopped' })).toEqual({ status: 'stopped' });
  expect(await goOn(id)).toMatchObject({ status: 'stopped', told: 3 });
  await send();
  expect(await deliveriesOf(books, reader ?? null)).toMatchObject({
    email: { status: 'suppressed', reason: 'stopped' },
    in_app: { status: 'suppressed', reason: 'stopped' },
  });
  expect(await endAnnouncement.one(books.em(), { id, wanted: 'sent' })).toEqual({ status: 'stopped' });
  await expect(
    books.asOwner(`update announcements set status = 'sent' where id = $1`, [id]),
  ).rejects.toMatchObject({ code: '23001' });
  await expect(books.asOwner('delete from announcements where id = $1', [id])).rejects.toMatchObject({
    code: '23001',
  });
  // its process is told by its row
  expect(await announcementRecovery.orderOf(books.em(), id)).toBeUndefined();
});

test('one without its text ends as stopped', async () => {
  await people(1);
  const id = await announce();
  await books.asOwner('update announcements set sealed_values = null where id = $1', [id]);
  expect(await goOn(id)).toEqual({ status: 'stopped', told: 0, againInSeconds: 0 });
});

test('people who are named are told, and those who came later are not', async () => {
  const [named, other] = await people(2);
  if (named === undefined) throw new Error('nobody');
  const [some, all] = [await announce([named]), await announce()];
  await books.asOwner(`update announcements set created_at = now() - interval '1 hour' where id = $1`, [all]);
  expect([await toItsEnd(some), await toItsEnd(all)]).toEqual(['sent', 'sent']);
  expect((await toldOf(some)).map((each) => each['user_id'])).toEqual([named]);
  expect(await toldOf(all)).toEqual([]);
  expect(await deliveriesOf(books, other ?? null)).toEqual({});
});

test('one whose process does nothing any more is found, and goes on', async () => {
  await people(2);
  const id = await announce();
  await books.asOwner(`update announcements set active_at = now() - interval '1 day' where id = $1`, [id]);
  const page = { lateSeconds: 60, most: 10, after: null };
  expect(await overdueAnnouncements.all(books.em(), page)).toEqual([{ id }]);
  expect(await announcementRecovery.orderOf(books.em(), id)).toEqual({ id });
  expect(await toItsEnd(id)).toBe('sent');
  expect(await overdueAnnouncements.all(books.em(), page)).toEqual([]);
});

test('while as much waits as is sent within seconds, nobody else is told', async () => {
  await people(1);
  const id = await announce();
  // deliveries that wait, as many as there may be
  const filler = await books.user();
  await books.asOwner(`update users set status = 'blocked' where id = $1`, [filler]);
  await books.asOwner(
    `with e as (insert into events (type, user_id, created_at) select 'announcement', $1, now() from generate_series(1, 3000) returning id),
       n as (insert into notifications (event_id, user_id, type_code, locale, created_at)
         select id, $1, 'announcement', 'en', now() from e returning id)
     insert into notification_deliveries (notification_id, channel, lane, addressed, created_at, due_at, expires_at)
       select id, 'email', 'bulk', false, now(), now(), now() + interval '1 hour' from n`,
    [filler],
  );
  expect(await goOn(id)).toEqual({ status: 'sending', told: 0, againInSeconds: 2 });
  await books.asOwner(
    `update notification_deliveries set status = 'suppressed', finished_at = now() where status = 'queued' and lane = 'bulk'`,
  );
  expect(await toItsEnd(id)).toBe('sent');
});

test('a code overtakes an announcement', async () => {
  await people(200);
  const [reader] = await people(1);
  const id = await announce();
  await goOn(id);
  const sender = startSender(worker, { DATABASE_URL: database.url });
  const email = `${String(reader)}@books.test`;
  const values = { code: '735911', minutes: '5' };
  await happen(books.em(), reader ?? null, { type: 'login_code', to: { email }, values });
  const isSent = async () =>
    (
      await books.asOwner(
        `select 1 from notification_deliveries d join notifications n on n.id = d.notification_id
          where n.user_id = $1 and d.lane = 'codes' and d.status = 'sent'`,
        [reader],
      )
    ).length === 1;
  await until(isSent);
  const [later] = await books.asOwner(
    `select count(*)::int as count from notification_deliveries b, notification_deliveries c
       join notifications n on n.id = c.notification_id
      where n.user_id = $1 and c.lane = 'codes' and b.lane = 'bulk'
        and (b.finished_at is null or b.finished_at > c.finished_at)`,
    [reader],
  );
  expect(later?.['count']).toBeGreaterThan(0);
  await sender.stop();
});
