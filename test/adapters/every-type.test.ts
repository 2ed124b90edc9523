/** Each row of the table in docs/notifications.md: it is what the database holds, and its story ends in a real inbox. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { createPush } from '../../adapters/push/push.ts';
import { saveChoice } from '../../db/queries/notifications/preferences.ts';
import { messageTemplates } from '../../domain/notifications/messages.ts';
import { CHANNELS, type Variable } from '../../domain/notifications/notifications.ts';
import { sendDue } from '../../services/notifications/sending/sender.ts';
import { pino } from 'pino';
import { openBooks, type Books } from '../support/bank/books.ts';
import { cipher, config, deliveriesOf, happen, subscribes } from '../support/bank/events.ts';
import { newPhone } from '../support/bank/people.ts';
import { ownBank } from '../support/stack/database.ts';
import { mailboxOf } from '../support/stack/inbox.ts';
import { openPushService, type PushService } from '../support/stack/push-service.ts';
import { until } from '../support/stack/processes.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/notifications.md'), 'utf8');
/** Code, category, mandatory, channels, those on by default. */
const documented = [...PAGE.matchAll(/^\| `(\w+)` +\| [^|]+\| (\w+) +\| (yes|no) +\| ([^|]+?) +\|/gm)].map(
  ([, code = '', category, mandatory, channels = '']) => ({
    ...{ code, category, mandatory: mandatory === 'yes' },
    channels: channels.replaceAll('*', '').split(', '),
    byDefault: [...channels.matchAll(/\*\*(\w+)\*\*/g)].map(([, channel]) => channel),
  }),
);
const Types = z.array(
  z.object({
    code: z.string(),
    category: z.string(),
    mandatory: z.boolean(),
    channels_allowed: z.array(z.enum(CHANNELS)),
    channels_default: z.array(z.enum(CHANNELS)),
    lane: z.enum(['codes', 'common', 'bulk']),
    variables: z.custom<readonly Variable[]>(),
  }),
);
type Type = z.output<typeof Types>[number];

let books: Books;
let types: z.output<typeof Types>;
let service: PushService;
beforeAll(async () => {
  service = await openPushService();
  books = openBooks(await ownBank());
  types = Types.parse(await books.asOwner('select * from notification_types where enabled order by code'));
});
afterAll(() => Promise.all([books.close(), service.close()]));

test('the table names every type that is switched on, as the database holds it', () => {
  const held = types.map(
    ({ code, category, mandatory, channels_allowed: channels, channels_default: byDefault }) => ({
      ...{ code, category, mandatory, channels, byDefault },
    }),
  );
  const byCode = (one: { readonly code: string }, other: { readonly code: string }) =>
    one.code < other.code ? -1 : 1;
  expect(documented.toSorted(byCode)).toEqual(held.toSorted(byCode));
  expect(documented.map(({ code }) => code)).toEqual(expect.arrayContaining(Object.keys(messageTemplates)));
});

const mail = createMail(config);
const push = createPush({ ...config, NODE_ENV: 'development' });
const worker = {
  ...{ em: () => books.em(), cipher, mail, push, config, log: pino({ level: 'silent' }) },
  sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
};

/** Tells somebody who wants every channel of the type on each of them, and sends it. */
async function story({ code, channels_allowed, variables, lane }: Type) {
  const [phone, email, browser] = [newPhone(), `n${randomUUID()}@books.test`, service.browser()];
  const user = await books.user();
  await books.asOwner('update users set phone = $2, phone_verified_at = now() where id = $1', [
    user,
    phone.number,
  ]);
  await subscribes(books, user, browser, push);
  for (const channel of channels_allowed)
    await saveChoice.run(books.em(), { userId: user, typeCode: code, channel, enabled: true });
  const to = {
    ...(channels_allowed.includes('email') ? { email } : {}),
    ...(channels_allowed.includes('sms') ? { sms: phone.number } : {}),
  };
  const values = Object.fromEntries(variables.map(({ name, sample }) => [name, sample]));
  await happen(books.em(), user, { type: code, to, values });
  // what fails on a busy machine is put off, and sent when it is due again
  await until(async () => {
    await sendDue(worker, lane, 500);
    return Object.values(await deliveriesOf(books, user)).every(({ status }) => status !== 'queued');
  });
  return { user, phone, email, browser };
}

describe.each(documented)('$code', ({ code, channels }) => {
  test('reaches people on each of its channels', async () => {
    const type = types.find((each) => each.code === code);
    if (type === undefined) throw new Error(`${code} is not switched on`);
    const { user, phone, email, browser } = await story(type);
    const samples = type.variables.filter(({ name }) => ['code', 'number', 'day', 'body'].includes(name));
    if (channels.includes('email')) {
      const { subject, text } = await mailboxOf(email).any();
      expect(subject).not.toMatch(/\{\{|123456/);
      for (const { sample } of samples) expect(text).toContain(sample);
    }
    if (channels.includes('sms')) expect((await phone.mail.next()).text).toMatch(/^Teller: /);
    const feed = await books.asOwner(
      'select title from notifications where user_id = $1 and shown_at is not null',
      [user],
    );
    expect(feed).toHaveLength(channels.includes('in_app') ? 1 : 0);
    expect(browser.messages()).toHaveLength(channels.includes('push') ? 1 : 0);
  });
});
