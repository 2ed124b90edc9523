/** Mail and text messages on their way out, through a real SMTP server. */
import { expect, test } from '@jest/globals';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { loadConfig } from '../../config.ts';
import { mailboxOf, mailsTo, phoneMailbox } from '../support/stack/inbox.ts';
import { freePort } from '../support/stack/processes.ts';
import { startRefusingServer } from '../support/stack/smtp.ts';
import { stack } from '../support/stack/stack.ts';

const config = loadConfig(stack.serviceEnv);
const mail = createMail(config);
const someone = (): string => `m${randomUUID()}@mail.test`;
const letter = { subject: 'Grüße', text: 'Zwei Zeilen:\nhier und da.\n' };

const Sent = z.object({ headers: z.record(z.string(), z.unknown()) });
async function headersTo(address: string, mails = 1): Promise<Record<string, unknown>[]> {
  return (await mailsTo(address, mails, Sent)).map(({ headers }) => headers);
}

test('a letter arrives as it was written, and a repeat can be known by its Message-ID', async () => {
  const to = someone();
  const id = randomUUID();
  await mail.send({ to, ...letter }, id);
  await mail.send({ to, ...letter }, id);
  expect(await mailboxOf(to).next()).toMatchObject({ subject: 'Grüße', text: letter.text });
  const [first, second] = await headersTo(to, 2);
  expect(first?.['message-id']).toMatch(new RegExp(`^<${id}@`));
  expect(second?.['message-id']).toBe(first?.['message-id']);
  expect(first?.['auto-submitted']).toBe('auto-generated');
});

test('with a key mail is signed for the domain of its sender, and what people look at is in the signature', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = join(mkdtempSync(join(tmpdir(), 'dkim-')), 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const to = someone();
  const signing = createMail({ ...config, MAIL_DKIM_KEY: file, MAIL_DKIM_SELECTOR: 'teller' });
  const unsubscribe = `https://bank.example/v1/notifications/unsubscribe?token=${'x'.repeat(200)}`;
  await signing.send({ to, ...letter, html: '<p>Zwei Zeilen</p>', unsubscribe }, randomUUID());
  await mailboxOf(to).next();
  const [headers] = await headersTo(to);
  const signature = String(headers?.['dkim-signature']);
  expect(signature).toMatch(/\bd=teller\.localhost;/);
  expect(signature).toMatch(/\bs=teller;/);
  for (const name of ['from', 'to', 'subject', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'])
    expect(signature.toLowerCase()).toMatch(new RegExp(`\\bh=[^;]*\\b${name}\\b`));
});

test('an address that holds a second one reaches neither', async () => {
  const [intended, smuggled] = [someone(), someone()];
  await mail.send({ to: `${intended}, ${smuggled}`, ...letter }, randomUUID()).catch(() => undefined);
  // mail arrives in the order in which it was sent
  await mail.send({ to: smuggled, ...letter, subject: 'to this one alone' }, randomUUID());
  expect(await mailboxOf(smuggled).any()).toMatchObject({ subject: 'to this one alone' });
  expect(await headersTo(smuggled)).toHaveLength(1);
});

test('a text message goes to its number', async () => {
  const number = `+4915${Math.floor(1e9 + Math.random() * 9e9)}`;
  const sms = smsByMail(mail, config.SMS_MAIL_DOMAIN);
  await sms.send({ to: number, text: '123456 is your code' }, randomUUID());
  expect((await phoneMailbox(number).next()).text.trim()).toBe('123456 is your code');
});

test('a recipient refused for good is told from a server that is away, and neither names anybody', async () => {
  const to = someone();
  const refusing = await startRefusingServer();
  const refused = createMail({ ...config, SMTP_URL: refusing.url }).send({ to, ...letter }, 'x');
  await expect(refused).rejects.toMatchObject({
    name: 'RecipientRefused',
    message: expect.not.stringContaining(to),
  });
  await refusing.close();
  const away = createMail({ ...config, SMTP_URL: `smtp://127.0.0.1:${String(await freePort())}` });
  await expect(away.send({ to, ...letter }, 'x')).rejects.toMatchObject({
    name: 'MailUnavailable',
    message: expect.not.stringContaining(to),
  });
});
