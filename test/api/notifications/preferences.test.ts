/** What somebody wants to be told, and what they are told whatever they want. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { feedOf, writeTo } from '../../support/bank/notifications.ts';
import { codeOf, newKey, type Answered } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';

const PATH = '/v1/notifications/preferences';
const Preferences = z.looseObject({
  types: z.array(
    z.looseObject({
      code: z.string(),
      channels: z.record(z.string(), z.boolean()),
      mandatory: z.boolean(),
      editable: z.boolean(),
    }),
  ),
  quiet_hours: z.looseObject({ start: z.string(), end: z.string(), enabled: z.boolean() }),
  locale: z.string(),
});
const Faults = z.looseObject({
  code: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), code: z.string() })),
});

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const of = async (person: Person) =>
  (await person.client.call('GET', PATH, { token: person.token })).as(Preferences);
const change = (person: Person, body: object): Promise<Answered> =>
  person.client.call('PATCH', PATH, { token: person.token, body });
const choose = (code: string, channels: object): object => ({ types: [{ code, channels }] });
const typeIn = ({ types }: z.output<typeof Preferences>, code: string) =>
  types.find((type) => type.code === code);

test('everybody begins with the defaults of every type that is switched on', async () => {
  const preferences = await of(await bank.customer());
  expect(typeIn(preferences, 'ticket_reply')).toMatchObject({
    channels: { in_app: true, email: true, sms: false, push: true },
    mandatory: false,
    editable: true,
  });
  expect(typeIn(preferences, 'login_code')).toMatchObject({ mandatory: true, editable: false });
  expect(typeIn(preferences, 'crypto_withdrawal')).toBeUndefined();
  expect(preferences.quiet_hours.enabled).toBe(false);
});

test('what is left out stays, also of one type', async () => {
  const customer = await bank.customer();
  await change(customer, choose('ticket_reply', { email: false }));
  const after = await change(customer, choose('ticket_reply', { sms: true }));
  expect(typeIn(after.as(Preferences), 'ticket_reply')?.channels).toEqual({
    in_app: true,
    email: false,
    sms: true,
    push: true,
  });
  await change(customer, { quiet_hours: { start: '21:30' } });
  expect((await of(customer)).quiet_hours).toMatchObject({ start: '21:30', end: '07:00', enabled: false });
});

test('a mandatory type keeps a channel, also if two changes come at the same moment', async () => {
  const customer = await bank.customer();
  const none = await change(customer, choose('password_changed', { in_app: false, email: false }));
  expect(none.as(Faults)).toMatchObject({
    code: 'notification_mandatory',
    errors: [{ pointer: '/types/0/channels' }],
  });
  const both = await Promise.all([
    change(customer, choose('password_changed', { in_app: false })),
    change(customer, choose('password_changed', { email: false })),
  ]);
  expect(both.map(codeOf).sort()).toEqual([200, 'notification_mandatory']);
  const { push: _anyBrowser, ...left } = typeIn(await of(customer), 'password_changed')?.channels ?? {};
  expect(Object.values(left).filter(Boolean)).toHaveLength(1);
});

test('text messages alone are no channel for what is mandatory, unless a number is proven', async () => {
  const onlySms = choose('payment_sent', { in_app: false, email: false, push: false, sms: true });
  const none = await change(await bank.customer(), onlySms);
  expect(none.as(Faults).errors).toEqual([
    expect.objectContaining({ pointer: '/types/0/channels', code: 'mandatory' }),
  ]);
  const reachable = await bank.customer();
  await bank.asOwner(`update users set phone = $2, phone_verified_at = now() where id = $1`, [
    reachable.id,
    `+49151${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`,
  ]);
  expect(codeOf(await change(reachable, onlySms))).toBe(200);
});

test('whoever hears less of their login is told so by mail, also if that was what they switched off', async () => {
  const customer = await bank.customer();
  await change(customer, choose('security_notices_off', { email: false }));
  await change(customer, choose('ticket_reply', { email: false }));
  await change(customer, choose('new_device', { sms: true }));
  await change(customer, choose('new_device', { email: false }));
  await until(async () => {
    const sent = await bank.asOwner(
      `select 1 from notification_deliveries d join notifications n on n.id = d.notification_id
        where n.user_id = $1 and n.type_code = 'security_notices_off' and d.channel = 'email' and d.status = 'sent'`,
      [customer.id],
    );
    return sent.length === 2;
  });
  const { items } = await feedOf(customer, 2);
  expect(items.map(({ type }) => type)).toEqual(['security_notices_off', 'security_notices_off']);
});

test.each([
  ['/types/0/code', choose('address_taken', { email: false })],
  ['/types/0/code', choose('no_such_type', { email: false })],
  ['/types/0/code', choose('login_code', { sms: false })],
  ['/types/0/channels/sms', choose('announcement', { sms: true })],
  ['/quiet_hours/end', { quiet_hours: { start: '22:00', end: '22:00' } }],
  ['/quiet_hours/time_zone', { quiet_hours: { time_zone: '+01:00' } }],
  ['/quiet_hours/time_zone', { quiet_hours: { time_zone: 'Mars/Olympus' } }],
])('a change that makes no sense is refused at %s', async (pointer, body) => {
  const answer = await change(await bank.customer(), body);
  expect(answer.status).toBe(400);
  expect(answer.as(Faults).errors.map((fault) => fault.pointer)).toEqual([pointer]);
});

test('the language is that of the profile', async () => {
  const customer = await bank.customer();
  await change(customer, { locale: 'de-AT' });
  const profile = await customer.client.call('GET', '/v1/users/me', { token: customer.token });
  expect(profile.body).toMatchObject({ locale: 'de-AT' });
  expect((await of(customer)).locale).toBe('de-AT');
});

test('an administrator sees why a customer did not get a mail', async () => {
  const customer = await bank.customer();
  await change(customer, choose('admin_message', { email: false }));
  await writeTo(bank, customer, { title: 'Hello', body: 'World', channels: ['email'] });
  await feedOf(customer, 1);
  const admin = await bank.admin('notifications:read');
  const path = `/v1/admin/users/${customer.id}/notifications`;
  await until(async () => {
    const { body } = await admin.client.call('GET', path, { token: admin.token });
    const found = z
      .looseObject({
        items: z.array(
          z.looseObject({
            deliveries: z.array(
              z.looseObject({ channel: z.string(), status: z.string(), reason: z.string().nullable() }),
            ),
          }),
        ),
      })
      .parse(body);
    return (
      found.items[0]?.deliveries.some((each) => each.channel === 'email' && each.reason === 'preference') ===
      true
    );
  });
});

test('waiting mails are released at once when quiet hours are switched off', async () => {
  const customer = await bank.customer();
  const hour = (offset: number) =>
    `${String((new Date().getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`;
  await change(customer, { quiet_hours: { start: hour(-1), end: hour(3), time_zone: 'UTC', enabled: true } });
  const admin = await bank.admin('notifications:send');
  await admin.client.call('POST', `/v1/admin/users/${customer.id}/messages`, {
    ...{ token: admin.token, key: newKey(), body: { title: 'Quiet', body: 'Later.' } },
  });
  const status = async (): Promise<unknown> =>
    (
      await bank.asOwner(
        `select d.status, d.reason from notification_deliveries d join notifications n on n.id = d.notification_id
        where n.user_id = $1 and d.channel = 'email'`,
        [customer.id],
      )
    )[0];
  await until(async () => JSON.stringify(await status()).includes('quiet_hours'));
  await change(customer, { quiet_hours: { enabled: false } });
  await until(async () => JSON.stringify(await status()).includes('sent'));
});
