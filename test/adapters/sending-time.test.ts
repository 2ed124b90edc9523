/** What decides on a delivery is read when it is sent: whatever has changed since the event counts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { z } from 'zod';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { wakeQuiet } from '../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../domain/ids.ts';
import { sendDue } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen } from '../support/bank/events.ts';
import { ownBank } from '../support/stack/database.ts';
import { countMailsTo, mailboxOf, mailsTo } from '../support/stack/inbox.ts';
import { until } from '../support/stack/processes.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

function send(): Promise<number> {
  const mail = createMail(config);
  const log = pino(new PassThrough().resume());
  const ways = { cipher, mail, sms: smsByMail(mail, config.SMS_MAIL_DOMAIN), push: undefined };
  return sendDue({ em: () => books.em(), ...ways, config, log }, 'common', 500);
}

/** Somebody who was told that support has answered, while nobody sends. */
async function told(): Promise<{ readonly id: UserId; readonly email: string }> {
  const id = await books.user();
  await happen(books.em(), id);
  return { id, email: `${id}@books.test` };
}

const emailOf = async (id: UserId): Promise<unknown> => (await deliveriesOf(books, id))['email'];

/** Quiet from an hour ago until in two hours, in a zone. */
async function beQuiet(id: UserId, timeZone: string, enabled = true): Promise<void> {
  const hour = (offset: number): string =>
    `${String((new Date().getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`;
  await books.asOwner(
    `insert into notification_settings (user_id, quiet_enabled, quiet_start, quiet_end, time_zone, updated_at)
     values ($1, $2, $3, $4, $5, now())
     on conflict (user_id) do update set quiet_enabled = excluded.quiet_enabled, time_zone = excluded.time_zone`,
    [id, enabled, hour(-1), hour(2), timeZone],
  );
}

test('a text that was changed since is told as it is now', async () => {
  const { id, email } = await told();
  const change = (body: string) =>
    books.asOwner(
      `update notification_templates set body = $1 where type_code = 'ticket_reply' and channel = 'email'
        and locale = 'en' returning (select o.body from notification_templates o where o.id = notification_templates.id)`,
      [body],
    );
  const [before] = await change('Another text about {{ number }}.');
  await send();
  expect((await mailboxOf(email).next()).text.trim()).toBe('Another text about T-100001.');
  await change(String(before?.['body']));
  expect(await emailOf(id)).toMatchObject({ status: 'sent' });
});

test('quiet hours that were set since are kept, and what waits is sent once, at their end', async () => {
  const { id, email } = await told();
  await beQuiet(id, 'UTC');
  await send();
  expect(await emailOf(id)).toMatchObject({ status: 'queued', reason: 'quiet_hours' });
  // as if they ended now
  await books.asOwner('update notification_settings set quiet_enabled = false where user_id = $1', [id]);
  await books.asOwner(
    `update notification_deliveries d set due_at = now() + interval '300 milliseconds'
      from notifications n where n.id = d.notification_id and n.user_id = $1 and d.channel = 'email'`,
    [id],
  );
  await send();
  expect(await emailOf(id)).toMatchObject({ status: 'queued' });
  await until(async () => (await send()) > 0);
  await send();
  expect(await countMailsTo(email, 1)).toBe(1);
});

test('whoever moves to another time zone has other quiet hours for what waits', async () => {
  const { id, email } = await told();
  await beQuiet(id, 'UTC');
  await send();
  expect(await emailOf(id)).toMatchObject({ reason: 'quiet_hours' });
  await beQuiet(id, 'Pacific/Kiritimati');
  await wakeQuiet.run(books.em(), { userId: id });
  await send();
  expect((await mailboxOf(email).next()).subject).toBe('Support has answered ticket T-100001');
});

test('an address that was suppressed since gets nothing, and it shows why', async () => {
  const [other, { id, email }] = [await told(), await told()];
  await books.asOwner(
    `insert into suppressed_addresses (address_hash, delivery_id, reason, created_at)
     select address_hash($1), d.id, 'bounced', now() from notification_deliveries d
       join notifications n on n.id = d.notification_id where n.user_id = $2 and d.channel = 'email'`,
    [email, other.id],
  );
  await send();
  expect(await emailOf(id)).toMatchObject({ status: 'suppressed', reason: 'bounced' });
  expect(await mailboxOf(other.email).next()).toMatchObject({
    subject: 'Support has answered ticket T-100001',
  });
  expect(await countMailsTo(email, 0)).toBe(0);
});

test('a notice is sent as text and as a page, in one mail that is known by its delivery', async () => {
  const { id, email } = await told();
  await send();
  const Sent = z.looseObject({
    text: z.string(),
    html: z.string(),
    headers: z.looseObject({ 'message-id': z.string() }),
  });
  const [mail] = await mailsTo(email, 1, Sent);
  const { id: delivery, provider_id: known } = (await deliveriesOf(books, id))['email'] ?? {};
  expect(mail?.headers['message-id']).toContain(`<${String(delivery)}@`);
  expect(known).toBe(delivery);
  expect(mail?.text).toContain('T-100001');
  expect(mail?.html).toMatch(/<html lang="en"[\s\S]*T-100001/);
});
