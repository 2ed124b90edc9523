/** Mails of news say how to stop them, with one click and without a login. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { createMail, smsByMail } from '../../../adapters/mail.ts';
import { sendDue } from '../../../services/notifications/sending/sender.ts';
import { unsubscribeToken } from '../../../services/notifications/unsubscribing.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { cipher, config, happen } from '../../support/bank/events.ts';
import { ownBank } from '../../support/stack/database.ts';
import { mailsTo } from '../../support/stack/inbox.ts';
import { stack } from '../../support/stack/stack.ts';

const PATH = '/v1/notifications/unsubscribe';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const Preferences = z.looseObject({
  types: z.array(z.looseObject({ code: z.string(), channels: z.record(z.string(), z.boolean()) })),
});

let bank: Bank;
let books: Books;
beforeAll(async () => {
  bank = openBank();
  books = openBooks(await ownBank());
});
afterAll(() => Promise.all([bank.close(), books.close()]));

const addressOf = (token: string): string => `${stack.api}${PATH}?token=${token}`;
const click = (token: string, body = 'List-Unsubscribe=One-Click'): Promise<Response> =>
  fetch(addressOf(token), { method: 'POST', headers: FORM, body, redirect: 'manual' });

async function wantsMail(person: Person, code = 'announcement'): Promise<boolean | undefined> {
  const answer = await person.client.call('GET', '/v1/notifications/preferences', { token: person.token });
  return answer.as(Preferences).types.find((type) => type.code === code)?.channels['email'];
}

test('one click switches the type off by mail, without a cookie, and a second one changes nothing', async () => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCode: 'announcement' });
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
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCode: 'announcement' });
  const page = await fetch(addressOf(token));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<form method="post">');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await wantsMail(customer)).toBe(true);
});

test('a token that was changed, a form that says nothing, and a mandatory type are refused', async () => {
  const customer = await bank.customer();
  const token = unsubscribeToken(cipher, { userId: customer.id, typeCode: 'announcement' });
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
  expect((await click(changed)).status).toBe(404);
  expect((await click(token, '')).status).toBe(400);
  const mandatory = unsubscribeToken(cipher, { userId: customer.id, typeCode: 'password_changed' });
  expect((await click(mandatory)).status).toBe(409);
  expect(await wantsMail(customer)).toBe(true);
  expect(await wantsMail(customer, 'password_changed')).toBe(true);
});

/** The headers of a mail of this type, sent by a bank at this address. */
async function headersOf(type: string, values: Record<string, string>, publicUrl: string) {
  const [user, mail] = [await books.user(), createMail(config)];
  const email = `u${randomUUID()}@books.test`;
  await books.asOwner('update users set email = $2 where id = $1', [user, email]);
  await happen(books.em(), user, { type, values });
  const log = pino({ level: 'silent' });
  const sms = smsByMail(mail, config.SMS_MAIL_DOMAIN);
  const ways = { cipher, mail, sms, push: undefined };
  const worker = { em: () => books.em(), ...ways, log, config: { ...config, publicUrl } };
  for (const lane of ['common', 'bulk'] as const) await sendDue(worker, lane, 500);
  const Sent = z.object({ headers: z.record(z.string(), z.unknown()) });
  const [first] = await mailsTo(email, 1, Sent);
  return first?.headers ?? {};
}

const NEWS = { title: 'Our opening hours', body: 'We are closed on Monday.' };

test('news carry both headers, and nothing else does, nor news of a bank without https', async () => {
  const headers = await headersOf('announcement', NEWS, 'https://bank.example');
  expect(headers['list-unsubscribe']).toMatch(
    /^<https:\/\/bank\.example\/v1\/notifications\/unsubscribe\?token=[\w-]+>$/,
  );
  expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const without = [
    await headersOf('announcement', NEWS, 'http://bank.example'),
    await headersOf('ticket_reply', { number: 'T-1' }, 'https://bank.example'),
    await headersOf('password_changed', { at: 'now' }, 'https://bank.example'),
  ];
  for (const other of without) expect(other).not.toHaveProperty('list-unsubscribe');
});
