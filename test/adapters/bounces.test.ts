/** Mail that comes back: reports over real SMTP, addresses that get no more, and their owners, who are told. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { z } from 'zod';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { openInboundMail, type InboundMail } from '../../adapters/messages/inbound-mail.ts';
import { pageOfSuppressed } from '../../db/queries/notifications/bounces.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Lane } from '../../domain/notifications/notifications.ts';
import { bounceInbox } from '../../services/notifications/bounces/bounces.ts';
import { sendDue } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen, passLeases } from '../support/bank/events.ts';
import { newPhone } from '../support/bank/people.ts';
import { ownBank } from '../support/stack/database.ts';
import { mailsTo } from '../support/stack/inbox.ts';

const log = pino({ level: 'silent' });
let books: Books;
let inbound: InboundMail;

beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update notification_types set digest = 'daily' where code = 'ticket_closed'`);
  const inbox = bounceInbox({ em: () => books.em(), cipher, log });
  inbound = await openInboundMail({ config: { ...config, INBOUND_SMTP_PORT: 0 }, log, inbox });
});
afterAll(async () => {
  await inbound.close();
  await books.close();
});

const mail = createMail(config);
const worker = {
  ...{ em: () => books.em(), cipher, mail, push: undefined, config, log },
  sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
};
const send = (lane: Lane = 'common') => sendDue(worker, lane, 500);

async function reader(): Promise<{ readonly id: UserId; readonly email: string }> {
  const id = await books.user();
  return { id, email: `${id}@books.test` };
}

const Sent = z.object({ envelope: z.object({ from: z.object({ address: z.string() }) }) });
/** The envelope's sender of the newest mail to somebody. */
async function returnPathOf(address: string): Promise<string> {
  return (await mailsTo(address, 1, Sent)).at(-1)?.envelope.from.address ?? '';
}

const report = (status: string, action = 'failed'): string =>
  [
    'From: Mail Delivery System <mailer-daemon@mx.test>',
    'Subject: Undelivered mail',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.test',
    '',
    'Final-Recipient: rfc822;',
    ' somebody@books.test',
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 no',
    '',
    '--b--',
    '',
  ].join('\r\n');

/** As the mail exchanger brings it. */
function bring(to: string | string[], raw: string) {
  const transport = createTransport({ host: '127.0.0.1', port: inbound.port, secure: false });
  return transport.sendMail({ envelope: { from: '', to }, raw });
}
const refusalOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 0,
    (error: { responseCode?: number; code?: string }) => error.responseCode ?? error.code,
  );

test('an address that does not exist gets no more mail, its owner is told in the app, and codes still go there', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  await send();
  const back = await returnPathOf(email);
  expect(back).toMatch(/^bounce\+[0-9a-f]{56}@reply\.teller\.test$/);
  // a repeat changes nothing
  for (let times = 0; times < 2; times++) await bring(back.toUpperCase(), report('5.1.1'));
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'failed', reason: 'bounced' } });
  await send();
  const feed = await books.asOwner(
    `select type_code, body from notifications where user_id = $1 and shown_at is not null order by id`,
    [id],
  );
  expect(feed.map((each) => each['type_code'])).toEqual(['ticket_reply', 'mail_undeliverable']);
  expect(String(feed[1]?.['body'])).toContain(`${email.slice(0, 1)}•••@books.test`);
  await happen(books.em(), id);
  await happen(books.em(), id, {
    type: 'login_code',
    to: { email },
    values: { code: '735911', minutes: '5' },
  });
  await send();
  await send('codes');
  const rows = await books.asOwner(
    `select n.type_code, d.status, d.reason from notification_deliveries d join notifications n on n.id = d.notification_id
      where n.user_id = $1 and d.channel = 'email' order by d.id`,
    [id],
  );
  expect(rows).toEqual([
    { type_code: 'ticket_reply', status: 'failed', reason: 'bounced' },
    { type_code: 'ticket_reply', status: 'suppressed', reason: 'bounced' },
    { type_code: 'login_code', status: 'sent', reason: null },
  ]);
});

test('an address that its owner proves gets mail again', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  await send();
  await bring(await returnPathOf(email), report('5.1.1'));
  const [mine] = await pageOfSuppressed.all(books.em(), { before: null, userId: id, most: 9 });
  expect(mine).toMatchObject({ email, reason: 'bounced', typeCode: 'ticket_reply' });
  await books.asOwner(`update users set email = $2 where id = $1`, [id, `x${email}`]);
  expect(await pageOfSuppressed.all(books.em(), { before: null, userId: id, most: 9 })).toMatchObject([
    { email: null },
  ]);
  await books.asOwner(`update users set email = $2 where id = $1`, [id, email]);
  expect(await pageOfSuppressed.all(books.em(), { before: null, userId: id, most: 9 })).toEqual([]);
  await happen(books.em(), id);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'sent' } });
  const ENDED = { code: '23001' };
  const mineAgain = [mine?.id];
  await expect(
    books.asOwner('update suppressed_addresses set lifted_at = null where id = $1', mineAgain),
  ).rejects.toMatchObject(ENDED);
  await expect(
    books.asOwner('delete from suppressed_addresses where id = $1', mineAgain),
  ).rejects.toMatchObject(ENDED);
});

test('an address is written to again if its owner proves it once more or registers with it, not if they are invited', async () => {
  const { id, email } = await reader();
  const suppressed = () => pageOfSuppressed.all(books.em(), { before: null, userId: id, most: 9 });
  const suppress = async (): Promise<void> => {
    await happen(books.em(), id);
    await send();
    await bring(await returnPathOf(email), report('5.1.1'));
    expect(await suppressed()).toHaveLength(1);
  };
  await suppress();
  await books.asOwner('update users set email_verified_at = now() where id = $1', [id]);
  expect(await suppressed()).toEqual([]);
  await suppress();
  // its owner has another address now, and somebody else gets the old one
  await books.asOwner('alter table users disable trigger user');
  await books.asOwner('update users set email = $2 where id = $1', [id, `y${email}`]);
  await books.asOwner('alter table users enable trigger user');
  const register = (status: string) =>
    books.asOwner(
      `insert into users (id, email, first_name, last_name, status, role, password_hash)
         values ($1, $2, 'Test', 'Person', $3, 'admin', case when $3 = 'active' then '$argon2id$never' end) returning id`,
      [randomUUID(), email, status],
    );
  const [invited] = await register('pending');
  expect(await suppressed()).toHaveLength(1);
  await books.asOwner('delete from users where id = $1', [invited?.['id']]);
  await register('active');
  expect(await suppressed()).toEqual([]);
});

test('what is mandatory and came back by mail is said by text message, and what is mandatory and has no address too', async () => {
  const { id, email } = await reader();
  const phone = newPhone();
  await books.asOwner(`update users set phone = $2, phone_verified_at = now() where id = $1`, [
    id,
    phone.number,
  ]);
  await happen(books.em(), id, { type: 'password_changed', to: { email }, values: { at: 'now' } });
  await send();
  await bring(await returnPathOf(email), report('5.1.1'));
  await send();
  expect((await phone.mail.next()).text).toContain('password');
  await happen(books.em(), id, { type: 'password_changed', to: { email }, values: { at: 'then' } });
  await send();
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'suppressed', reason: 'bounced' },
    sms: { status: 'sent' },
  });
});

test('a mailbox that is full is tried again later, and one that still is when the time is over has failed', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  await send();
  const back = await returnPathOf(email);
  await bring(back, report('5.2.2'));
  const waiting = (await deliveriesOf(books, id))['email'];
  expect(waiting).toMatchObject({ status: 'queued', reason: 'soft_bounce', claim: null });
  await bring(back, report('5.2.2'));
  await passLeases(books);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'sent', attempts: 2 } });
  await books.asOwner('alter table notification_deliveries disable trigger user');
  await books.asOwner(
    `update notification_deliveries d set expires_at = now() from notifications n where n.id = d.notification_id and n.user_id = $1`,
    [id],
  );
  await books.asOwner('alter table notification_deliveries enable trigger user');
  await bring(back, report('5.2.2'));
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'failed', reason: 'bounced' } });
});

/** The mails of somebody, in the order of their events. */
const mailsOf = (user: UserId): Promise<Record<string, unknown>[]> =>
  books.asOwner(
    `select d.status, d.reason, d.due_at, d.provider_id, e.sealed_content is not null as is_kept from notification_deliveries d
       join notifications n on n.id = d.notification_id join events e on e.id = n.event_id
      where n.user_id = $1 and n.type_code = 'ticket_closed' and d.channel = 'email' order by n.id`,
    [user],
  );

/** Sends somebody one digest of three events. Returns where it comes back to. */
async function digestTo({ id, email }: { readonly id: UserId; readonly email: string }): Promise<string> {
  for (const number of ['T-1', 'T-2', 'T-3'])
    await happen(books.em(), id, { type: 'ticket_closed', values: { number } });
  await send();
  await passLeases(books);
  await send();
  return returnPathOf(email);
}

test('a digest that comes back for good was returned to each of its events, and a repeat changes nothing', async () => {
  const person = await reader();
  const back = await digestTo(person);
  for (let times = 0; times < 2; times++) await bring(back, report('5.1.1'));
  const returned = { status: 'failed', reason: 'bounced', is_kept: false };
  expect(await mailsOf(person.id)).toMatchObject([returned, returned, returned]);
  const suppressed = await pageOfSuppressed.all(books.em(), { before: null, userId: person.id, most: 9 });
  expect(suppressed).toHaveLength(1);
});

test('a digest that came back from a full mailbox is sent again as one, without what has become too old', async () => {
  const person = await reader();
  const back = await digestTo(person);
  await books.asOwner('alter table notification_deliveries disable trigger user');
  await books.asOwner(
    `update notification_deliveries d set expires_at = now() from notifications n where n.id = d.notification_id and n.user_id = $1
       and d.id = (select max(o.id::text)::uuid from notification_deliveries o join notifications m on m.id = o.notification_id
         where m.user_id = $1 and o.channel = 'email')`,
    [person.id],
  );
  await books.asOwner('alter table notification_deliveries enable trigger user');
  await bring(back, report('5.2.2'));
  const waiting = { status: 'queued', reason: 'soft_bounce', provider_id: null, is_kept: true };
  const mails = await mailsOf(person.id);
  expect(mails).toMatchObject([waiting, waiting, { status: 'failed', reason: 'bounced', is_kept: false }]);
  expect(mails[1]?.['due_at']).toEqual(mails[0]?.['due_at']);
  await passLeases(books);
  await send();
  const again = await mailsOf(person.id);
  expect(again).toMatchObject([{ status: 'sent' }, { status: 'sent' }, { status: 'failed' }]);
  expect(again[1]?.['provider_id']).toBe(again[0]?.['provider_id']);
});

test('a mail that is not liked, still under way or no report ends nothing that it should not', async () => {
  const [disliked, slow] = [await reader(), await reader()];
  for (const { id } of [disliked, slow]) await happen(books.em(), id);
  await send();
  await bring(await returnPathOf(disliked.email), report('5.7.1'));
  await bring(await returnPathOf(slow.email), report('4.4.1', 'delayed'));
  await bring(await returnPathOf(slow.email), 'Subject: Away\r\n\r\nI am away.\r\n');
  expect(await deliveriesOf(books, disliked.id)).toMatchObject({
    email: { status: 'failed', reason: 'refused' },
  });
  expect(await deliveriesOf(books, slow.id)).toMatchObject({ email: { status: 'sent' } });
  for (const { id } of [disliked, slow])
    expect(await pageOfSuppressed.all(books.em(), { before: null, userId: id, most: 9 })).toEqual([]);
});

test('nobody else receives mail here, and what is too large is refused', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  await send();
  const back = await returnPathOf(email);
  for (const address of [
    `bounce+${randomUUID()}@reply.teller.test`,
    back.replace('reply.teller.test', 'elsewhere.test'),
    `${back.slice(0, 62)}0@reply.teller.test`.replace(/^bounce/, 'ticket'),
  ])
    expect(await refusalOf(bring(address, report('5.1.1')))).toBe(550);
  expect(await refusalOf(bring(back, `Subject: Large\r\n\r\n${'x'.repeat(1_100_000)}`))).toBe(552);
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'sent' } });
});

test('while the database is away a report is taken later, and somebody who guesses is sent away', async () => {
  const inbox = {
    takes: () => true,
    receive: () => Promise.reject(new Error('away')),
  };
  const other = await openInboundMail({ config: { ...config, INBOUND_SMTP_PORT: 0 }, log, inbox });
  const to = (address: string | string[]) =>
    refusalOf(
      createTransport({ host: '127.0.0.1', port: other.port }).sendMail({
        envelope: { from: 'x@y.test', to: address },
        raw: 'Subject: x\r\n\r\ny\r\n',
      }),
    );
  expect(await to('a@reply.teller.test')).toBe(451);
  const guesses = Array.from({ length: 40 }, (_, index) => `g${String(index)}@elsewhere.test`);
  // 421 closes the connection
  expect(await to(guesses)).toBe('ECONNECTION');
  await expect(
    openInboundMail({ config: { ...config, INBOUND_SMTP_PORT: other.port }, log, inbox }),
  ).rejects.toThrow(/INBOUND_SMTP_PORT/);
  await other.close();
});
