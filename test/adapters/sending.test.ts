/** Deliveries through a real mail server: once, whoever dies on the way, and not at all where somebody has said no. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { loseDeliveries } from '../../db/queries/notifications/deliveries.ts';
import { saveChoice } from '../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Lane } from '../../domain/notifications/notifications.ts';
import { startSender, sendDue } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  begin,
  cipher,
  claim,
  config,
  deliveriesOf,
  happen,
  newEvent,
  passLeases,
} from '../support/bank/events.ts';
import { newPhone } from '../support/bank/people.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { countMailsTo, mailboxOf } from '../support/stack/inbox.ts';
import { freePort, until } from '../support/stack/processes.ts';
import { startRefusingServer } from '../support/stack/smtp.ts';
import { stack } from '../support/stack/stack.ts';

let database: Database;
let books: Books;
let gate: Gate;
let logged = '';

beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
  gate = await openGate(new URL(stack.smtpUrl));
});
afterAll(async () => {
  await gate.close();
  await books.close();
});

function worker(smtpUrl = `smtp://127.0.0.1:${String(gate.port)}`) {
  const mail = createMail({ ...config, SMTP_URL: smtpUrl });
  const log = pino(new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString())));
  const ways = { cipher, mail, sms: smsByMail(mail, config.SMS_MAIL_DOMAIN), push: undefined };
  return { em: () => books.em(), ...ways, config, log };
}

const send = (lane: Lane = 'common', smtpUrl?: string) => sendDue(worker(smtpUrl), lane, 500);

/** Somebody whose mail the inbox of the stack takes. */
async function reader(): Promise<{ readonly id: UserId; readonly email: string }> {
  const id = await books.user();
  return { id, email: `${id}@books.test` };
}

test('a hundred copies of one event: one line in the feed, one mail', async () => {
  const [{ id, email }, eventId] = [await reader(), newEvent()];
  await Promise.all(Array.from({ length: 100 }, () => happen(books.em(), id, { eventId })));
  await Promise.all([send(), send(), send()]);
  expect(await mailboxOf(email).next()).toMatchObject({ subject: 'Support has answered ticket T-100001' });
  await passLeases(books);
  await send();
  expect(await countMailsTo(email, 1)).toBe(1);
  const feed = await books.asOwner('select title, body from notifications where user_id = $1', [id]);
  expect(feed).toEqual([
    {
      title: 'Support has answered ticket T-100001',
      body: 'Support has answered your ticket T-100001. Log in to read it.',
    },
  ]);
});

test('a worker that is killed after the server has taken the mail: nobody sends it again', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  const mine = (await claim(books.em())).find(({ userId, channel }) => userId === id && channel === 'email');
  if (mine === undefined) throw new Error('nothing was claimed');
  await begin(books.em(), mine);
  await worker().mail.send({ to: email, subject: 'Taken', text: 'Taken' }, mine.id);
  // it dies here, and its lease ends
  await passLeases(books);
  await send();
  await loseDeliveries.one(books.em(), { lanes: ['common'] });
  await send();
  expect(await countMailsTo(email, 1)).toBe(1);
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'unknown', reason: 'worker_lost' },
    in_app: { status: 'sent' },
  });
});

test('a server that takes the message and says nothing may have it: it is not sent again', async () => {
  const mute = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mute.test\r\n');
    let body: string | undefined;
    socket.on('data', (data) => {
      const said = data.toString();
      if (body === undefined) {
        if (/^data/i.test(said)) body = '';
        return void socket.write(body === undefined ? '250 ok\r\n' : '354 go on\r\n');
      }
      body += said;
      if (body.endsWith('\r\n.\r\n')) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = mute.address();
  const { id } = await reader();
  await happen(books.em(), id);
  await send('common', `smtp://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`);
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'unknown', reason: 'no_answer' } });
  mute.close();
});

test('while the mail server is away it is tried again, and sent once when it is back', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  gate.shut();
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'queued', attempts: 1, begun_at: null },
  });
  gate.open();
  await passLeases(books);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'sent', attempts: 2 } });
  await mailboxOf(email).next();
  expect(await countMailsTo(email, 1)).toBe(1);
});

test('a recipient who is refused is not tried again, is told in the feed, and the log names nobody', async () => {
  const { id, email } = await reader();
  const refusing = await startRefusingServer();
  logged = '';
  await happen(books.em(), id);
  await send('common', refusing.url);
  await refusing.close();
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'failed', reason: 'refused' } });
  await send();
  const told = await books.asOwner(
    'select type_code from notifications where user_id = $1 and shown_at is not null order by id',
    [id],
  );
  expect(told.map((each) => each['type_code'])).toEqual(['ticket_reply', 'mail_undeliverable']);
  expect(logged).toContain('"reason":"refused"');
  expect(logged).not.toContain(email);
});

test('a code that is too late is not sent, and is erased', async () => {
  const { id, email } = await reader();
  const values = { code: '735911', minutes: '5' };
  await happen(books.em(), id, { type: 'login_code', to: { email }, values });
  await books.asOwner(
    `update notification_deliveries d set expires_at = now() from notifications n where n.id = d.notification_id and n.user_id = $1`,
    [id],
  );
  await send('codes');
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'expired', reason: 'too_late' } });
  expect(await countMailsTo(email, 0)).toBe(0);
  const [event] = await books.asOwner('select sealed_content from events where user_id = $1', [id]);
  expect(event).toEqual({ sealed_content: null });
});

test('a code goes to its number as a text message, and the log holds neither', async () => {
  const { number, mail } = newPhone();
  const { id } = await reader();
  logged = '';
  await happen(books.em(), id, {
    type: 'login_code',
    to: { sms: number },
    values: { code: '735911', minutes: '5' },
  });
  await send('codes');
  expect((await mail.next()).text).toContain('735911');
  expect(logged).not.toMatch(new RegExp(`735911|${number.slice(1)}`));
});

test('somebody who has said no, is blocked or has no number is not sent to, and it shows why', async () => {
  const [unwilling, blocked] = [await reader(), await reader()];
  for (const { id } of [unwilling, blocked]) await happen(books.em(), id);
  await saveChoice.run(books.em(), {
    userId: unwilling.id,
    typeCode: 'ticket_reply',
    channel: 'email',
    enabled: false,
  });
  await saveChoice.run(books.em(), {
    userId: unwilling.id,
    typeCode: 'ticket_reply',
    channel: 'sms',
    enabled: true,
  });
  await happen(books.em(), unwilling.id);
  await books.asOwner(`update users set status = 'blocked' where id = $1`, [blocked.id]);
  await send();
  expect(await deliveriesOf(books, unwilling.id)).toMatchObject({
    email: { status: 'suppressed', reason: 'preference' },
    sms: { status: 'suppressed', reason: 'no_address' },
    in_app: { status: 'sent' },
  });
  expect(await deliveriesOf(books, blocked.id)).toMatchObject({
    email: { reason: 'blocked' },
    in_app: { status: 'sent' },
  });
  expect([await countMailsTo(unwilling.email, 0), await countMailsTo(blocked.email, 0)]).toEqual([0, 0]);
});

test('in quiet hours a mail waits for their end; a mandatory notice and the feed do not', async () => {
  const { id, email } = await reader();
  const hour = (offset: number) =>
    `${String((new Date().getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`;
  await books.asOwner(
    `insert into notification_settings (user_id, quiet_enabled, quiet_start, quiet_end, time_zone, updated_at) values ($1, true, $2, $3, 'UTC', now())`,
    [id, hour(-1), hour(2)],
  );
  await happen(books.em(), id);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'queued', reason: 'quiet_hours' },
    in_app: { status: 'sent' },
  });
  await happen(books.em(), id, { type: 'password_changed', to: { email }, values: { at: 'now' } });
  await send();
  expect((await mailboxOf(email).next()).subject).toBe('Your password was changed');
  expect(await countMailsTo(email, 1)).toBe(1);
});

test('what was sealed for one event cannot be sent from another', async () => {
  const [mine, stolen] = [await reader(), await reader()];
  for (const { id, email } of [mine, stolen]) await happen(books.em(), id, { to: { email } });
  await books.asOwner(
    `update events set sealed_content = (select sealed_content from events where user_id = $2) where user_id = $1`,
    [mine.id, stolen.id],
  );
  await send();
  expect(await deliveriesOf(books, mine.id)).toMatchObject({
    email: { status: 'failed', reason: 'unreadable' },
  });
  expect(await countMailsTo(mine.email, 0)).toBe(0);
  expect(await countMailsTo(stolen.email, 1)).toBe(1);
});

test('a worker without the key leaves a delivery to whoever has it', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id);
  logged = '';
  const stranger = createCipher([`other:${randomBytes(32).toString('base64')}`]);
  await sendDue({ ...worker(), cipher: stranger }, 'common', 500);
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'queued', reason: 'key_missing', begun_at: null },
    in_app: { status: 'queued' },
  });
  expect(logged).toContain('"alert":"delivery_unreadable"');
  await passLeases(books);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'sent' },
    in_app: { status: 'sent' },
  });
  await mailboxOf(email).next();
  expect(await countMailsTo(email, 1)).toBe(1);
});

test('one delivery that the database does not take ends alone, and the rest of its round goes on', async () => {
  const readers = await Promise.all(Array.from({ length: 12 }, reader));
  const poisoned = await reader();
  await happen(books.em(), poisoned.id, {
    type: 'admin_message',
    values: { title: 'T', body: 'x'.repeat(20_001) },
  });
  for (const { id } of readers) await happen(books.em(), id);
  await send();
  expect(await deliveriesOf(books, poisoned.id)).toMatchObject({
    in_app: { status: 'failed', reason: 'unshowable' },
  });
  for (const { id } of readers)
    expect(await deliveriesOf(books, id)).toMatchObject({
      email: { status: 'sent' },
      in_app: { status: 'sent' },
    });
});

test('a title of the feed is cut where it is too long, and is the name of its type where it is empty', async () => {
  const [long, empty] = [await reader(), await reader()];
  await happen(books.em(), long.id, { type: 'admin_message', values: { title: 'é'.repeat(400), body: 'b' } });
  await happen(books.em(), empty.id, { type: 'admin_message', values: { title: ' ', body: 'b' } });
  await send();
  const titles = await books.asOwner(
    `select n.title, t.name from notifications n join notification_types t on t.code = n.type_code
      where n.user_id = any ($1) order by n.id`,
    [[long.id, empty.id]],
  );
  expect(titles[0]?.['title']).toBe('é'.repeat(300));
  expect(titles[1]?.['title']).toBe(titles[1]?.['name']);
});

test('a round that is told to stop begins nothing more', async () => {
  const { id } = await reader();
  await happen(books.em(), id);
  await sendDue(worker(), 'common', 500, { isStopping: () => true });
  expect(await deliveriesOf(books, id)).toMatchObject({
    email: { status: 'queued', begun_at: null, attempts: 1 },
    in_app: { status: 'queued' },
  });
  await passLeases(books);
  await send();
  expect(await deliveriesOf(books, id)).toMatchObject({ email: { status: 'sent' } });
});

test('people read their own language, and English where there is no text in it', async () => {
  const [german, french] = [await reader(), await reader()];
  await books.asOwner(`update users set locale = 'de-AT' where id = $1`, [german.id]);
  await books.asOwner(`update users set locale = 'fr' where id = $1`, [french.id]);
  for (const { id } of [german, french]) await happen(books.em(), id);
  await send();
  expect((await mailboxOf(german.email).next()).subject).toBe(
    'Der Support hat auf Ticket T-100001 geantwortet',
  );
  expect((await mailboxOf(french.email).next()).subject).toBe('Support has answered ticket T-100001');
});

test('a value that looks like a placeholder or brings lines into a subject stays what it is', async () => {
  const { id, email } = await reader();
  await happen(books.em(), id, {
    type: 'admin_message',
    values: { title: 'A\r\nBcc: x@y.test', body: '{{ app.url }} <b>' },
  });
  await send();
  const mail = await mailboxOf(email).next();
  expect(mail.subject).toBe('A Bcc: x@y.test');
  expect(mail.text).toContain('{{ app.url }} <b>');
});

test('a running sender sends at once what is written, and each lane by itself', async () => {
  const sender = startSender(worker(), { DATABASE_URL: database.url });
  const { id, email } = await reader();
  await happen(books.em(), id, {
    type: 'login_code',
    to: { email },
    values: { code: '735911', minutes: '5' },
  });
  expect(await mailboxOf(email).nextCode()).toBe('735911');
  await sender.stop();
  const away = startSender(worker(`smtp://127.0.0.1:${String(await freePort())}`), {
    DATABASE_URL: database.url,
  });
  const waiting = `w${randomUUID()}@books.test`;
  await happen(books.em(), null, { type: 'address_taken', to: { email: waiting }, values: {} });
  await until(async () => {
    const found = await books.asOwner(`select 1 from notification_deliveries where reason = 'provider_away'`);
    return found.length > 0;
  });
  await away.stop();
  expect(await countMailsTo(waiting, 0)).toBe(0);
});
