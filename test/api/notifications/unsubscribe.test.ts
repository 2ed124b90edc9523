/** Mails of news say how to stop them, with one click and without a login. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { createMail, smsByMail } from '../../../adapters/mail.ts';
import { sendDue } from '../../../services/notifications/sending/sender.ts';
import { unsubscribeToken } from '../../../services/notifications/unsubscribing.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { cipher, config, happen } from '../../support/bank/events.ts';
import { ownBank } from '../../support/stack/database.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { mailsTo } from '../../support/stack/inbox.ts';
import { stack } from '../../support/stack/stack.ts';

const PATH = '/v1/notifications/unsubscribe';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const Preferences = z.looseObject({
  types: z.array(z.looseObject({ code: z.string(), channels: z.record(z.string(), z.boolean()) })),
});

let bank: Bank;
/** A bank whose mail nobody but the test sends, and what serves its door. */
let books: Books;
let served: FrameWorld;
let signing: { readonly MAIL_DKIM_KEY: string; readonly MAIL_DKIM_SELECTOR: string };
beforeAll(async () => {
  bank = openBank();
  const own = await ownBank();
  books = openBooks(own);
  served = await serve([], { DATABASE_URL: own.url });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = join(mkdtempSync(join(tmpdir(), 'dkim-')), 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  signing = { MAIL_DKIM_KEY: file, MAIL_DKIM_SELECTOR: 'teller' };
});
afterAll(async () => {
  await Promise.all([bank.close(), served.close()]);
  await books.close();
});

const addressOf = (token: string): string => `${stack.api}${PATH}?token=${token}`;
const click = (token: string, body = 'List-Unsubscribe=One-Click'): Promise<Response> =>
  fetch(addressOf(token), { method: 'POST', headers: FORM, body, redirect: 'manual' });

async function wantsMail(person: Person, code = 'announcement'): Promise<boolean | undefined> {
  const answer = await person.client.call('GET', '/v1/notifications/preferences', { token: person.token });
  return answer.as(Preferences).types.find((type) => type.code === code)?.channels['email'];
}

test('one click switches the type off by mail, without a cookie, and a second one changes nothing', async () => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCodes: ['announcement'] });
  for (let times = 0; times < 2; times++) {
    const answer = await click(token);
    expect([answer.status, answer.headers.get('set-cookie'), answer.headers.get('location')]).toEqual([
      200,
      null,
      null,
    ]);
    expect(await wantsMail(customer)).toBe(false);
  }
  expect(await wantsMail(customer, 'ticket_reply')).toBe(true);
});

test('whoever follows the link changes nothing: the page has a button', async () => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCodes: ['announcement'] });
  const page = await fetch(addressOf(token));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<form method="post">');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await wantsMail(customer)).toBe(true);
});

test('one click on a digest switches off all types that its link names, beside those that must stay', async () => {
  const customer = await bank.customer();
  const typeCodes = ['announcement', 'password_changed', 'ticket_reply'];
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCodes });
  const page = await (await fetch(addressOf(token))).text();
  expect(page).toContain('“News of the bank”');
  expect((await click(token)).status).toBe(200);
  const wishes = await Promise.all(typeCodes.map((code) => wantsMail(customer, code)));
  expect(wishes).toEqual([false, true, false]);
});

test('a token that was changed, a form that says nothing, and a mandatory type are refused', async () => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCodes: ['announcement'] });
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
  expect((await click(changed)).status).toBe(404);
  expect((await click(token, '')).status).toBe(400);
  const mandatory = unsubscribeToken(cipher, { userId: customer.id, typeCodes: ['password_changed'] });
  expect((await click(mandatory)).status).toBe(409);
  expect(await wantsMail(customer)).toBe(true);
  expect(await wantsMail(customer, 'password_changed')).toBe(true);
});

/** A mail of this type, sent by a bank at this address and signed, and who got it. */
async function sent(type: string, values: Record<string, string>, publicUrl = 'https://bank.example') {
  const [user, mail] = [await books.user(), createMail({ ...config, ...signing })];
  const email = `u${randomUUID()}@books.test`;
  await books.asOwner('update users set email = $2 where id = $1', [user, email]);
  await happen(books.em(), user, { type, values });
  const log = pino({ level: 'silent' });
  const sms = smsByMail(mail, config.SMS_MAIL_DOMAIN);
  const ways = { cipher, mail, sms, push: undefined };
  const worker = { em: () => books.em(), ...ways, log, config: { ...config, publicUrl } };
  for (const lane of ['common', 'bulk'] as const) await sendDue(worker, lane, 500);
  const [first] = await mailsTo(email, 1, z.object({ id: z.string() }));
  const source = await (await fetch(`${stack.inboxUrl}/email/${first?.id ?? ''}/source`)).text();
  return { user, lines: source.slice(0, source.indexOf('\r\n\r\n')).split('\r\n') };
}

const NEWS = { title: 'Our opening hours', body: 'We are closed on Monday.' };

test('news carry both headers, each on one line and signed, and nothing else does, nor news of a bank without https', async () => {
  const { lines } = await sent('announcement', NEWS);
  const about = lines.filter((line) => /^list-/i.test(line));
  expect(about).toEqual([
    expect.stringMatching(
      /^List-Unsubscribe: <https:\/\/bank\.example\/v1\/notifications\/unsubscribe\?token=[\w-]+>$/,
    ),
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]);
  // RFC 8058 §4: the signature covers both
  const signature = /^DKIM-Signature:(.*(?:\n[ \t].*)*)/m.exec(lines.join('\n'))?.[1] ?? '';
  const signed = /\bh=([^;]*)/.exec(signature.replace(/\s/g, ''))?.[1]?.toLowerCase().split(':');
  expect(signed).toEqual(expect.arrayContaining(['from', 'list-unsubscribe', 'list-unsubscribe-post']));
  const without = [
    await sent('announcement', NEWS, 'http://bank.example'),
    await sent('ticket_reply', { number: 'T-1' }),
    await sent('password_changed', { at: 'now' }),
  ];
  for (const other of without) expect(other.lines.join('\n')).not.toMatch(/^list-/im);
});

/** Both forms of RFC 8058 §3.1, as mail programs send them. */
const forms = (): [string, URLSearchParams | FormData][] => {
  const multipart = new FormData();
  multipart.set('List-Unsubscribe', 'One-Click');
  return [
    ['application/x-www-form-urlencoded', new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })],
    ['multipart/form-data', multipart],
  ];
};

test.each(forms())('the link of a received mail unsubscribes by %s', async (_type, body) => {
  const { user, lines } = await sent('announcement', NEWS);
  const link = new URL(
    /<(.+)>/.exec(lines.find((line) => line.startsWith('List-Unsubscribe: ')) ?? '')?.[1] ?? '',
  );
  const answer = await fetch(`${served.base}${link.pathname}${link.search}`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  expect(
    await books.asOwner('select type_code, channel, enabled from notification_choices where user_id = $1', [
      user,
    ]),
  ).toEqual([{ type_code: 'announcement', channel: 'email', enabled: false }]);
});

const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`;
const MULTIPART = 'multipart/form-data; boundary=b';

test.each([
  ['says something else', MULTIPART, part('List-Unsubscribe', 'Later'), 400, 'invalid_request'],
  ['has another field', MULTIPART, part('Unsubscribe', 'One-Click'), 400, 'invalid_request'],
  ['ends early', MULTIPART, part('List-Unsubscribe', 'One-Click').slice(0, 60), 400, 'invalid_request'],
  ['names no boundary', 'multipart/form-data', part('List-Unsubscribe', 'One-Click'), 400, 'invalid_request'],
  ['is no form', 'application/json', '{"List-Unsubscribe":"One-Click"}', 415, 'unsupported_media_type'],
  ['is too large', MULTIPART, part('List-Unsubscribe', 'x'.repeat(9_000)), 413, 'payload_too_large'],
])('a body that %s is refused, and nothing is switched off', async (_what, type, body, status, code) => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCodes: ['announcement'] });
  const answer = await fetch(addressOf(token), { method: 'POST', headers: { 'Content-Type': type }, body });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(await answer.json()).toMatchObject({ status, code });
  expect(await wantsMail(customer)).toBe(true);
});
