/** Push messages, as far as the browser: who gets them, who reads them, and which browsers are forgotten. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPublicKey, verify } from 'node:crypto';
import { pino } from 'pino';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { createPush, isPushEndpoint } from '../../adapters/push/push.ts';
import { isPublicAddress, publicAddressOf } from '../../adapters/push/public-addresses.ts';
import { saveChoice } from '../../db/queries/notifications/preferences.ts';
import type { UserId } from '../../domain/ids.ts';
import { sendDue, startSender } from '../../services/notifications/sending/sender.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen, passLeases, subscribes } from '../support/bank/events.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';
import { openPushService, type Browser, type PushService } from '../support/stack/push-service.ts';

const push = createPush({ ...config, NODE_ENV: 'development' });
let database: Database;
let books: Books;
let service: PushService;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
  service = await openPushService();
});
afterAll(() => Promise.all([books.close(), service.close()]));

const mail = createMail(config);
const worker = {
  ...{ em: () => books.em(), cipher, mail, push, config, log: pino({ level: 'silent' }) },
  sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
};
const send = () => sendDue(worker, 'common', 500);

async function reader(...browsers: readonly Browser[]): Promise<UserId> {
  const user = await books.user();
  for (const browser of browsers) await subscribes(books, user, browser, push);
  return user;
}

const left = async (user: UserId): Promise<number> =>
  (await books.asOwner('select 1 from push_subscriptions where user_id = $1', [user])).length;

test('each browser of a person gets a message that it alone can read, in the name of the bank', async () => {
  const [phone, laptop] = [service.browser(), service.browser()];
  const user = await reader(phone, laptop);
  await happen(books.em(), user);
  await send();
  for (const browser of [phone, laptop])
    expect(browser.messages()).toMatchObject([
      { type: 'ticket_reply', title: 'Support has answered ticket T-100001' },
    ]);
  expect(await deliveriesOf(books, user)).toMatchObject({ push: { status: 'sent' } });
  const headers = service.received.at(-1)?.headers ?? {};
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'normal' });
  expect(Number(headers['ttl'])).toBeGreaterThan(86_400);
  expect(signedBy(String(headers['authorization']))).toMatchObject({
    aud: new URL(phone.endpoint).origin,
    sub: config.VAPID_SUBJECT,
  });
});

/** RFC 8292: what the token says, if the key beside it has signed it. */
function signedBy(authorization: string): unknown {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  expect(key).toBe(push?.publicKey);
  const bytes = Buffer.from(key, 'base64url');
  const [x, y] = [bytes.toString('base64url', 1, 33), bytes.toString('base64url', 33)];
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const [head = '', body = '', signature = ''] = token.split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned).toBe(true);
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}

test('what a locked screen shows says neither amount nor name, nor what somebody wrote', async () => {
  const browser = service.browser();
  const user = await reader(browser);
  const values = { amount: '1234.56 EUR', counterparty: 'Hélène Müller', account: '0190' };
  await happen(books.em(), user, { type: 'payment_sent', values });
  await happen(books.em(), user, {
    type: 'admin_message',
    values: { title: 'Your debts', body: 'Call us.' },
  });
  await send();
  expect(browser.messages()).toHaveLength(2);
  expect(JSON.stringify(browser.messages())).not.toMatch(/1,?234|Müller|0190|debts|Call us/);
});

test.each([404, 410])('a browser whose service says %s is forgotten, the others are not', async (status) => {
  const [gone, here] = [service.browser(status), service.browser()];
  const user = await reader(gone, here);
  await happen(books.em(), user);
  await send();
  expect(await left(user)).toBe(1);
  expect(here.messages()).toHaveLength(1);
  expect(await deliveriesOf(books, user)).toMatchObject({ push: { status: 'sent' } });
});

test('a browser that refuses five times in a row is forgotten, and one success counts', async () => {
  const browser = service.browser(400);
  const user = await reader(browser);
  const tell = async (): Promise<void> => {
    await happen(books.em(), user);
    await send();
  };
  for (let times = 0; times < 4; times++) await tell();
  service.answers(browser, 201);
  await tell();
  service.answers(browser, 400);
  for (let times = 0; times < 4; times++) await tell();
  expect(await left(user)).toBe(1);
  await tell();
  expect(await left(user)).toBe(0);
});

test('a service that is busy says when it wants to be asked again', async () => {
  const browser = service.browser(429, { 'Retry-After': '120' });
  const user = await reader(browser);
  await happen(books.em(), user);
  await send();
  const [waits] = await books.asOwner(
    `select d.status, extract(epoch from d.due_at - now()) between 100 and 121 as later from notification_deliveries d
       join notifications n on n.id = d.notification_id where n.user_id = $1 and d.channel = 'push'`,
    [user],
  );
  expect(waits).toEqual({ status: 'queued', later: true });
  service.answers(browser, 201);
  await passLeases(books);
  await send();
  expect(await deliveriesOf(books, user)).toMatchObject({ push: { status: 'sent', attempts: 2 } });
});

test('a service that answers without an end may have it, and keeps nobody else from theirs', async () => {
  const [slow, phone, laptop] = [service.browser(), service.browser(), service.browser()];
  for (const browser of [slow, phone]) service.trickles(browser);
  const [user, both] = [await reader(slow), await reader(phone, laptop)];
  for (const each of [user, both]) await happen(books.em(), each);
  const hasty = createPush({ ...config, NODE_ENV: 'development' }, 3_000);
  await sendDue({ ...worker, push: hasty }, 'common', 500);
  expect(laptop.messages()).toHaveLength(1);
  expect(await deliveriesOf(books, both)).toMatchObject({ push: { status: 'sent' } });
  expect(await deliveriesOf(books, user)).toMatchObject({ push: { status: 'unknown', reason: 'no_answer' } });
});

test('while slow services hold all that is under way, mail of others arrives', async () => {
  const slow = Array.from({ length: 50 }, () => service.browser());
  for (const browser of slow) service.trickles(browser);
  const readers = await Promise.all(slow.map((browser) => reader(browser)));
  const sender = startSender(worker, { DATABASE_URL: database.url });
  try {
    for (const each of readers) await happen(books.em(), each);
    await until(async () => {
      const begun = await books.asOwner(
        `select 1 from notification_deliveries where channel = 'push' and status = 'queued' and begun_at is not null`,
      );
      return begun.length >= 24;
    });
    const other = await books.user();
    await happen(books.em(), other);
    await until(async () => (await deliveriesOf(books, other))['email']?.['status'] === 'sent');
    const waiting = await books.asOwner(
      `select 1 from notification_deliveries where channel = 'push' and status = 'queued'`,
    );
    expect(waiting.length).toBeGreaterThanOrEqual(24);
  } finally {
    // some may connect after the first cut
    const cutting = setInterval(service.cut, 50);
    await sender.stop();
    clearInterval(cutting);
    // the next round would wait for what is left
    for (const browser of slow) service.answers(browser, 201);
  }
});

test('whoever has no browser or does not want messages gets none, and nothing is written for who has none', async () => {
  const [nobody, browser] = [await reader(), service.browser()];
  const unwilling = await reader(browser);
  const off = { userId: unwilling, typeCode: 'ticket_reply', channel: 'push', enabled: false } as const;
  await happen(books.em(), unwilling);
  await saveChoice.run(books.em(), off);
  await happen(books.em(), nobody);
  await send();
  expect(browser.messages()).toEqual([]);
  expect(await deliveriesOf(books, unwilling)).toMatchObject({ push: { reason: 'preference' } });
  expect(await deliveriesOf(books, nobody)).not.toHaveProperty('push');
});

test('a browser belongs to whoever subscribed it last, and one with an older key is forgotten', async () => {
  const browser = service.browser();
  const [before, after] = [await reader(browser), await books.user()];
  await subscribes(books, after, browser, push);
  expect([await left(before), await left(after)]).toEqual([0, 1]);
  const otherKey = Buffer.alloc(32, 'another key of the bank').toString('base64url');
  const renewed = createPush({ ...config, NODE_ENV: 'development', VAPID_PRIVATE_KEY: otherKey });
  expect(renewed?.keyVersion).not.toBe(push?.keyVersion);
  await happen(books.em(), after);
  await sendDue({ ...worker, push: renewed }, 'common', 500);
  expect([browser.messages(), await left(after)]).toEqual([[], 0]);
});

test.each([
  ['https://push.example.com/send/1', true],
  ['http://push.example.com/send/1', false],
  ['https://user:secret@push.example.com/', false],
  ['https://127.0.0.1/', false],
  ['https://localhost:3000/', false],
  ['https://[::1]/', false],
  ['https://10.1.2.3/', false],
  ['https://169.254.169.254/latest/meta-data', false],
  ['https://[::ffff:10.0.0.1]/', false],
  ['https://0x7f000001/', false],
  ['https://vault.internal/', false],
  ['https://intranet/', false],
  ['ftp://push.example.com/', false],
  ['not an address', false],
])('whether a browser may name %s: %s', (endpoint, allowed) => {
  expect(isPushEndpoint(endpoint, { NODE_ENV: 'production' })).toBe(allowed);
});

test('a name that leads into our own network is not connected to', async () => {
  expect(
    ['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fd00::1', 'fe80::1', '64:ff9b::1'].map(isPublicAddress),
  ).toEqual(Array.from({ length: 6 }, () => false));
  expect(['9.9.9.9', '2620:fe::fe'].map(isPublicAddress)).toEqual([true, true]);
  await expect(publicAddressOf('localhost')).rejects.toMatchObject({ name: 'NotPublic' });
});
