/** Mails of a type with a digest come as one, once, with everything that waited for it and is still wanted. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { saveChoice, wakeQuiet } from '../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../domain/ids.ts';
import { readUnsubscribeToken, type Unwanted } from '../../services/notifications/unsubscribing.ts';
import { sendDue } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen, passLeases } from '../support/bank/events.ts';
import { ownBank } from '../support/stack/database.ts';
import { mailboxOf, mailsTo, type Mail } from '../support/stack/inbox.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(
    `update notification_types set digest = 'daily' where code in ('ticket_reply', 'ticket_closed')`,
  );
});
afterAll(() => books.close());

const mail = createMail(config);
const worker = {
  ...{ em: () => books.em(), cipher, mail, push: undefined, config, log: pino({ level: 'silent' }) },
  sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
};
const send = () => sendDue(worker, 'common', 500);
const closed = (user: UserId, number: string): Promise<boolean> =>
  happen(books.em(), user, { type: 'ticket_closed', values: { number } });
const mailOf = (user: UserId): Promise<Mail> => mailboxOf(`${user}@books.test`).next();

/** Mails of somebody by how they have ended. */
async function mailsOf(user: UserId): Promise<Record<string, unknown>[]> {
  return books.asOwner(
    `select d.status, d.reason, d.provider_id, d.digest_at, d.digest_at < d.expires_at as is_told_in_time from notification_deliveries d
       join notifications n on n.id = d.notification_id where n.user_id = $1 and d.channel = 'email' order by n.id`,
    [user],
  );
}

test('five events at once wait for the digest, and are one mail in their order, however many workers send', async () => {
  const user = await books.user();
  for (const number of ['T-1', 'T-2', 'T-3', 'T-4', 'T-5']) await closed(user, number);
  await Promise.all([send(), send(), send()]);
  const waiting = await mailsOf(user);
  expect(waiting.map(({ status, reason }) => [status, reason])).toEqual(
    Array.from({ length: 5 }, () => ['queued', 'digest']),
  );
  expect(new Set(waiting.map(({ digest_at: at }) => String(at))).size).toBe(1);
  expect((await deliveriesOf(books, user))['in_app']).toMatchObject({ status: 'sent' });
  await passLeases(books);
  await Promise.all(Array.from({ length: 6 }, () => sendDue(worker, 'common', 1)));
  for (let rounds = 0; rounds < 5; rounds++) await send();
  const { subject, text } = await mailOf(user);
  expect(subject).toBe('5 messages of your bank');
  const places = ['T-1', 'T-2', 'T-3', 'T-4', 'T-5'].map((number) => text.indexOf(`${number} is closed`));
  expect(places.every((place, index) => place > (places[index - 1] ?? -1))).toBe(true);
  const ended = await mailsOf(user);
  expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'sent'));
  expect(new Set(ended.map(({ provider_id: id }) => id)).size).toBe(1);
});

test('a single event is told in its own words', async () => {
  const user = await books.user();
  await closed(user, 'T-7');
  await send();
  await passLeases(books);
  await send();
  expect(await mailOf(user)).toMatchObject({ subject: 'Ticket T-7 is closed' });
});

test('what happens once the digest is under way goes with the next one, and what is not wanted any more is left out', async () => {
  const user = await books.user();
  await closed(user, 'T-8');
  await happen(books.em(), user);
  await send();
  await passLeases(books);
  const off = { userId: user, typeCode: 'ticket_reply', channel: 'email', enabled: false } as const;
  await saveChoice.run(books.em(), off);
  await closed(user, 'T-9');
  await send();
  expect(await mailOf(user)).toMatchObject({ subject: 'Ticket T-8 is closed' });
  expect(await mailsOf(user)).toMatchObject([
    { status: 'sent' },
    { status: 'suppressed', reason: 'preference' },
    { status: 'queued', reason: 'digest' },
  ]);
});

test('what waits for a digest is timed anew if its person wants another time', async () => {
  const user = await books.user();
  await closed(user, 'T-10');
  await send();
  const [before] = await mailsOf(user);
  await books.asOwner(
    `insert into notification_settings (user_id, digest_hour, updated_at)
       values ($1, (extract(hour from $2::timestamptz at time zone 'Europe/Berlin')::int + 12) % 24, now())`,
    [user, before?.['digest_at']],
  );
  await wakeQuiet.run(books.em(), { userId: user });
  await send();
  const [after] = await mailsOf(user);
  expect(after).toMatchObject({ status: 'queued', reason: 'digest' });
  expect(after?.['digest_at']).not.toEqual(before?.['digest_at']);
});

test('a digest of one day of the week has everything of the week, also what would have become too old', async () => {
  const user = await books.user();
  // in five days by the calendar; a ticket that is closed is told for three days
  await books.asOwner(
    `insert into notification_settings (user_id, digest_weekday, updated_at)
       values ($1, extract(isodow from bank_day(bank_now()) + 5)::int, now())`,
    [user],
  );
  await closed(user, 'T-13');
  await closed(user, 'T-14');
  await send();
  const waiting = await mailsOf(user);
  expect(waiting).toMatchObject([
    { status: 'queued', reason: 'digest', is_told_in_time: true },
    { status: 'queued', reason: 'digest', is_told_in_time: true },
  ]);
  await passLeases(books);
  await send();
  expect(await mailOf(user)).toMatchObject({ subject: '2 messages of your bank' });
});

/** What a click on the header of the newest mail of somebody would stop; undefined without that header. */
async function stoppedBy(user: UserId): Promise<Unwanted | undefined> {
  const Sent = z.object({ headers: z.record(z.string(), z.unknown()) });
  const headers = (await mailsTo(`${user}@books.test`, 1, Sent)).at(-1)?.headers ?? {};
  const link = /^<https:.*[?]token=([\w-]+)>$/.exec(String(headers['list-unsubscribe']))?.[1];
  expect(headers['list-unsubscribe-post']).toBe(
    link === undefined ? undefined : 'List-Unsubscribe=One-Click',
  );
  return link === undefined ? undefined : readUnsubscribeToken(cipher, link);
}

test('a digest of news says how to stop them, all types of them and nothing else', async () => {
  await books.asOwner(
    `insert into notification_types (code, name, category, mandatory, channels_allowed, channels_default, ttl_seconds, lane, digest,
         enabled, variables, created_at, updated_at)
       select 'offer', 'Offers', category, mandatory, channels_allowed, channels_default, ttl_seconds, lane, digest, enabled,
           variables, now(), now() from notification_types where code = 'announcement'`,
  );
  await books.asOwner(
    `insert into notification_templates (type_code, channel, locale, subject, body, status, created_at, updated_at)
       select 'offer', channel, locale, subject, body, status, now(), now() from notification_templates where type_code = 'announcement'`,
  );
  await books.asOwner(
    `update notification_types set digest = 'daily' where code in ('announcement', 'offer')`,
  );
  const digestOf = async (types: readonly string[]): Promise<UserId> => {
    const user = await books.user();
    for (const [index, type] of types.entries()) {
      const number = `T-${String(index)}`;
      const values = type === 'ticket_closed' ? { number } : { title: number, body: 'Please read it.' };
      await happen(books.em(), user, { type, values });
    }
    return user;
  };
  const [one, two, mixed, none] = [
    await digestOf(['announcement', 'announcement']),
    await digestOf(['offer', 'announcement', 'offer']),
    await digestOf(['ticket_closed', 'announcement', 'ticket_closed']),
    await digestOf(['ticket_closed', 'ticket_closed']),
  ];
  const secure = { ...worker, config: { ...config, publicUrl: 'https://bank.example' } };
  for (let rounds = 0; rounds < 2; rounds++) {
    for (const lane of ['common', 'bulk'] as const) await sendDue(secure, lane, 500);
    await passLeases(books);
  }
  expect(await stoppedBy(one)).toEqual({ userId: one, typeCodes: ['announcement'] });
  expect(await stoppedBy(two)).toEqual({ userId: two, typeCodes: ['offer', 'announcement'] });
  expect(await stoppedBy(mixed)).toEqual({ userId: mixed, typeCodes: ['announcement'] });
  expect(await stoppedBy(none)).toBeUndefined();
});

test('a digest whose server is away comes later, whole', async () => {
  const user = await books.user();
  await closed(user, 'T-11');
  await closed(user, 'T-12');
  await send();
  await passLeases(books);
  await sendDue(
    { ...worker, mail: createMail({ ...config, SMTP_URL: 'smtp://127.0.0.1:1' }) },
    'common',
    500,
  );
  expect(await mailsOf(user)).toMatchObject([
    { status: 'queued', reason: 'provider_away' },
    { status: 'queued', reason: 'provider_away' },
  ]);
  await passLeases(books);
  await send();
  expect(await mailOf(user)).toMatchObject({ subject: '2 messages of your bank' });
});
