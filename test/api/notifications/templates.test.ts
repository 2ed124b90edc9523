/** Types and templates in the back office: what is refused, what is kept, and what reaches people. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { feedOf, lookAtFeed, writeTo } from '../../support/bank/notifications.ts';
import { codeOf, newKey, type Answered, type Method } from '../../support/client.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';

const TYPES = '/v1/admin/notification-types';
const TEMPLATES = '/v1/admin/notification-templates';
const Template = z.looseObject({ id: z.uuid(), version: z.number(), status: z.string() });
const Faults = z.looseObject({
  errors: z.array(
    z.looseObject({ pointer: z.string(), code: z.string(), line: z.number(), column: z.number() }),
  ),
});

let bank: Bank;
let admin: Person;
beforeAll(async () => {
  bank = openBank();
  admin = await bank.admin('notifications:read', 'notifications:write', 'notifications:send');
});
afterAll(() => bank.close());

const call = (method: Method, path: string, body?: object, headers = {}): Promise<Answered> =>
  admin.client.call(method, path, {
    token: admin.token,
    headers,
    ...(method === 'POST' ? { key: newKey() } : {}),
    ...(body === undefined ? {} : { body }),
  });

async function newType(more: object = {}): Promise<string> {
  const code = `t${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  const type = {
    ...{ code, name: 'A branch closes', category: 'service' },
    ...{ channels_allowed: ['in_app', 'email', 'sms'], channels_default: ['in_app', 'email'] },
    variables: [{ name: 'branch', type: 'text', sample: 'Main Street', personal: false }],
    ...more,
  };
  expect(await call('POST', TYPES, type)).toMatchObject({ status: 201 });
  return code;
}

const text = (type: string, more: object = {}): object => ({
  ...{ type_code: type, channel: 'email', locale: 'en', status: 'live' },
  ...{ subject: '{{ branch }} closes', body: 'Dear {{ customer.first_name }}, {{ branch }} closes.' },
  ...more,
});
const made = async (type: string, more: object = {}) =>
  (await call('POST', TEMPLATES, text(type, more))).as(Template);

test('a new type with its texts reaches people on its default channels, and sends what it says now', async () => {
  const [type, customer] = [await newType(), await bank.customer()];
  await made(type, { channel: 'in_app', body: '{{ branch }} closes.' });
  await made(type);
  const variables = { branch: 'Main Street' };
  expect(
    (await call('POST', `${TYPES}/${type}/send`, { user_ids: [customer.id, customer.id], variables })).body,
  ).toEqual({ count: 1, announcement_id: null });
  expect((await feedOf(customer, 1)).items[0]).toMatchObject({
    type,
    title: 'Main Street closes',
    body: 'Main Street closes.',
  });
  expect(await mailboxOf(`${customer.id}@bank.test`).next()).toMatchObject({ subject: 'Main Street closes' });
});

test('a type that is switched off is not sent, nor one with a value that is missing or unknown', async () => {
  const [type, off] = [await newType(), await newType({ enabled: false })];
  const user_ids = [(await bank.customer()).id];
  const send = async (code: string, variables: object) =>
    codeOf(await call('POST', `${TYPES}/${code}/send`, { user_ids, variables }));
  expect(await send(off, { branch: 'x' })).toBe('notification_type_disabled');
  expect(await send(type, {})).toBe('invalid_request');
  expect(await send(type, { branch: 'x', other: 'y' })).toBe('invalid_request');
  const nobody = { user_ids: [randomUUID()], variables: { branch: 'x' } };
  expect(codeOf(await call('POST', `${TYPES}/${type}/send`, nobody))).toBe('invalid_request');
});

test('a text with a fault is refused at its line and column', async () => {
  const answer = await call('POST', TEMPLATES, text(await newType(), { body: 'Dear\n {{ nobody }}' }));
  expect(answer.status).toBe(400);
  expect(answer.as(Faults).errors).toEqual([
    expect.objectContaining({ pointer: '/body', code: 'unknown_variable', line: 2, column: 5 }),
  ]);
});

test.each([
  ['/type_code', { type_code: 'no_such_type' }],
  ['/channel', { channel: 'push' }],
  ['/subject', { channel: 'sms' }],
  ['/subject', { subject: null }],
])('a template is refused at %s if it is %j', async (pointer, more) => {
  const answer = await call('POST', TEMPLATES, text(await newType(), more));
  expect(
    z.looseObject({ errors: z.array(z.looseObject({ pointer: z.string() })) }).parse(answer.body).errors,
  ).toMatchObject([{ pointer }]);
});

test('two live texts of one type, channel and language are refused; a draft beside it is taken, and does not go live', async () => {
  const type = await newType();
  await made(type);
  expect(codeOf(await call('POST', TEMPLATES, text(type)))).toBe('conflict');
  const { id } = await made(type, { status: 'draft' });
  expect(codeOf(await call('PATCH', `${TEMPLATES}/${id}`, { status: 'live' }))).toBe('conflict');
});

test('each change is a version, and a roll-back says again what an earlier one said', async () => {
  const { id } = await made(await newType());
  await call('PATCH', `${TEMPLATES}/${id}`, { body: 'Second.' });
  const back = await call('POST', `${TEMPLATES}/${id}/roll-back`, { version: 1 });
  expect(back.body).toMatchObject({
    version: 3,
    body: 'Dear {{ customer.first_name }}, {{ branch }} closes.',
  });
  const { body } = await call('GET', `${TEMPLATES}/${id}/versions`);
  expect(body).toMatchObject({ items: [{ version: 3 }, { version: 2, body: 'Second.' }, { version: 1 }] });
  expect(codeOf(await call('POST', `${TEMPLATES}/${id}/roll-back`, { version: 9 }))).toBe('not_found');
});

test('a preview says the samples, and what a text message becomes', async () => {
  const type = await newType();
  const { id } = await made(type, {
    channel: 'sms',
    subject: undefined,
    body: 'Teller: {{ branch }} closes. ж',
  });
  const preview = {
    subject: null,
    body: 'Teller: Main Street closes. ж',
    sms: { encoding: 'UCS-2', segments: 1 },
  };
  expect((await call('GET', `${TEMPLATES}/${id}/preview`)).body).toEqual(preview);
  expect((await call('GET', `${TEMPLATES}/${id}`)).body).toMatchObject({ sms: preview.sms });
});

test('typography of a text message is shown as it is sent, and does not make it cost more', async () => {
  const body = `Teller\u00a0– „{{ branch }}“ closes… ${'x'.repeat(100)}`;
  const { id } = await made(await newType(), { channel: 'sms', subject: undefined, body });
  const sms = { encoding: 'GSM-7', segments: 1 };
  expect((await call('GET', `${TEMPLATES}/${id}/preview`)).body).toEqual({
    ...{ subject: null, sms },
    body: `Teller - "Main Street" closes... ${'x'.repeat(100)}`,
  });
  expect((await call('GET', `${TEMPLATES}/${id}`)).body).toMatchObject({ body, sms });
});

test('a mandatory type cannot be switched off, lose its channels or its last text', async () => {
  const type = await newType({ mandatory: true });
  for (const change of [
    { enabled: false },
    { mandatory: false },
    { channels_allowed: ['sms'], channels_default: ['sms'] },
  ])
    expect(codeOf(await call('PATCH', `${TYPES}/${type}`, change))).toBe('notification_mandatory');
  const { id } = await made(type);
  expect(codeOf(await call('DELETE', `${TEMPLATES}/${id}`))).toBe('notification_mandatory');
  await made(type, { locale: 'de' });
  expect((await call('DELETE', `${TEMPLATES}/${id}`)).status).toBe(204);
  expect((await call('GET', `${TEMPLATES}/${id}`)).body).toMatchObject({ status: 'retired' });
});

test('a code is one type’s for ever, and its time is a duration', async () => {
  const code = await newType({ ttl: 'P1DT2H3M4S' });
  expect((await call('GET', `${TYPES}/${code}`)).body).toMatchObject({ ttl: 'P1DT2H3M4S' });
  const again = {
    code,
    name: 'Another',
    category: 'money',
    channels_allowed: ['email'],
    channels_default: [],
  };
  expect(codeOf(await call('POST', TYPES, again))).toBe('conflict');
  expect(codeOf(await call('PATCH', `${TYPES}/${code}`, { ttl: 'soon' }))).toBe('invalid_request');
  expect(codeOf(await call('PATCH', `${TYPES}/${code}`, { channels_default: ['push'] }))).toBe(
    'invalid_request',
  );
  expect(codeOf(await call('PATCH', `${TYPES}/${code}`, { name: 'x' }, { 'If-Match': '"other"' }))).toBe(
    'etag_mismatch',
  );
});

test('the text of a code keeps what it confirms, and nobody says by hand what concerns a login', async () => {
  const { body } = await call('GET', `${TEMPLATES}?type=payment_code&channel=sms&locale=en`);
  const [text] = z.looseObject({ items: z.array(Template) }).parse(body).items;
  const change = { body: 'Teller: {{ code }}. Never tell it to anyone.' };
  expect((await call('PATCH', `${TEMPLATES}/${text?.id ?? ''}`, change)).body).toMatchObject({
    errors: [{ pointer: '/body', code: 'variable_missing' }],
  });
  expect(codeOf(await call('PATCH', `${TYPES}/payment_code`, { variables: [] }))).toBe('invalid_request');
  expect(codeOf(await call('PATCH', `${TYPES}/password_changed`, { category: 'service' }))).toBe(
    'notification_mandatory',
  );
  const by = { user_ids: [admin.id], variables: { at: 'now' } };
  expect(codeOf(await call('POST', `${TYPES}/password_changed/send`, by))).toBe('notification_mandatory');
  const linked = { user_ids: [admin.id], variables: { branch: 'https://evil.example' } };
  expect(codeOf(await call('POST', `${TYPES}/${await newType()}/send`, linked))).toBe('invalid_request');
});

test('nothing that tells a secret is put into the feed, where the back office reads', async () => {
  for (const [code, channel] of [
    ['password_reset', 'in_app'],
    ['login_code', 'push'],
    ['admin_invited', 'in_app'],
  ] as const) {
    const channels_allowed = ['email', 'sms', channel];
    expect((await call('PATCH', `${TYPES}/${code}`, { channels_allowed })).body).toMatchObject({
      errors: [{ pointer: '/channels_allowed', code: 'not_allowed' }],
    });
    const secret = { channel, subject: 'Look', body: '{{ code }}' };
    expect((await call('POST', TEMPLATES, text(code, secret))).body).toMatchObject({
      errors: [{ pointer: '/channel' }],
    });
  }
  const type = await newType();
  const variables = [{ name: 'reset_token', type: 'text', sample: 'x', personal: true }];
  expect(codeOf(await call('PATCH', `${TYPES}/${type}`, { variables }))).toBe('invalid_request');
  const change = { name: 'Code', channels_default: ['email'] };
  expect((await call('PATCH', `${TYPES}/step_up_code`, change)).body).toMatchObject({
    errors: [{ pointer: '/channels_default', code: 'not_editable' }],
  });
  expect((await call('PATCH', `${TYPES}/step_up_code`, { name: 'Code to confirm a request' })).status).toBe(
    200,
  );
});

test('a type that concerns a login is mandatory', async () => {
  const type = {
    ...{ code: 'login_seen', name: 'A login was seen', category: 'security', mandatory: false },
    ...{ channels_allowed: ['email'], channels_default: ['email'], variables: [] },
  };
  expect((await call('POST', TYPES, type)).body).toMatchObject({
    errors: [{ pointer: '/mandatory', code: 'mandatory' }],
  });
});

test('a type keeps the variables that its live texts say, and a list shows texts that lost one', async () => {
  const type = await newType();
  const without = { variables: [] };
  const { id } = await made(type, { channel: 'sms', subject: undefined });
  expect((await call('PATCH', `${TYPES}/${type}`, without)).body).toMatchObject({
    errors: [{ pointer: '/variables', code: 'in_use' }],
  });
  expect((await call('PATCH', `${TYPES}/new_device`, without)).body).toMatchObject({
    errors: [{ pointer: '/variables', code: 'not_editable' }],
  });
  await call('PATCH', `${TEMPLATES}/${id}`, { status: 'draft' });
  expect((await call('PATCH', `${TYPES}/${type}`, without)).status).toBe(200);
  expect((await call('GET', `${TEMPLATES}?type=${type}`)).body).toMatchObject({ items: [{ id, sms: null }] });
});

test('who was told by a type is in the audit log, and what as a hash; never oneself, nor by a message', async () => {
  const [type, customer] = [await newType(), await bank.customer()];
  const send = (code: string, user_ids: readonly string[], variables: object) =>
    call('POST', `${TYPES}/${code}/send`, { user_ids, variables });
  const message = { title: 'Hello', body: 'World' };
  expect(codeOf(await send('admin_message', [customer.id], message))).toBe('invalid_request');
  expect(codeOf(await send(type, [customer.id, admin.id], { branch: 'x' }))).toBe('same_person');
  for (const branch of ['a\u202eb', 'a\u0000b', ''])
    expect(codeOf(await send(type, [customer.id], { branch }))).toBe('invalid_request');
  for (const title of ['a\nb', 'x'.repeat(301)])
    expect(codeOf(await send('announcement', [customer.id], { ...message, title }))).toBe('invalid_request');
  expect((await send(type, [customer.id], { branch: 'Main Street' })).status).toBe(201);
  const noted = await bank.asOwner(
    `select after from audit_log where action = 'notification_type.sent' and subject_id = $1`,
    [type],
  );
  expect(noted).toEqual([
    { after: { recipients: [customer.id], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  ]);
});

test('the back office reads what one of it wrote, and of all else only that it was told', async () => {
  const [type, customer] = [await newType(), await bank.customer()];
  await made(type, { channel: 'in_app' });
  const by = { user_ids: [customer.id], variables: { branch: 'Main Street' } };
  await call('POST', `${TYPES}/${type}/send`, by);
  await feedOf(customer, 1);
  await writeTo(bank, customer, { title: 'Hello', body: 'World' });
  await feedOf(customer, 2);
  expect((await call('GET', `/v1/admin/users/${customer.id}/notifications`)).body).toMatchObject({
    items: [
      { type: 'admin_message', title: 'Hello', body: 'World' },
      { type, title: null, body: null },
    ],
  });
});

test('a test goes to whoever asks for it, with the samples', async () => {
  const { id } = await made(await newType(), { status: 'draft' });
  expect((await call('POST', `${TEMPLATES}/${id}/test-send`)).status).toBe(200);
  const mail = await mailboxOf(`${admin.id}@bank.test`).next();
  expect(mail).toMatchObject({
    subject: 'Main Street closes',
    text: expect.stringContaining('Dear Ada, Main Street closes.'),
  });
});

test('the variables of each type are listed with samples', async () => {
  const type = await newType();
  const { body } = await call('GET', `${TEMPLATES}/variables`);
  expect(body).toMatchObject({
    common: expect.arrayContaining([expect.objectContaining({ name: 'customer.first_name' })]),
  });
  expect(JSON.stringify(body)).toContain(type);
});

test('nobody writes to themselves, and a message links to the bank only', async () => {
  const message = { title: 'Hello', body: 'Look.' };
  expect(codeOf(await call('POST', `/v1/admin/users/${admin.id}/messages`, message))).toBe('same_person');
  const customer = await bank.customer();
  const path = `/v1/admin/users/${customer.id}/messages`;
  for (const body of ['See https://evil.example/x', 'See www.evil.example', 'See http://127.0.0.1:1/'])
    expect(codeOf(await call('POST', path, { ...message, body }))).toBe('invalid_request');
  expect((await lookAtFeed(customer)).items).toEqual([]);
});

test('one person gets ten messages of administrators a day, and a repeat is none', async () => {
  const customer = await bank.customer();
  const path = `/v1/admin/users/${customer.id}/messages`;
  const write = async (title: string, key = newKey()) =>
    codeOf(
      await admin.client.call('POST', path, { token: admin.token, key, body: { title, body: 'Look.' } }),
    );
  const key = newKey();
  const first = [await write('0', key), await write('0', key)];
  const more = await Promise.all(Array.from({ length: 12 }, (_, place) => write(String(place + 1))));
  expect([...first, ...more].map(String).sort()).toEqual([
    ...Array.from({ length: 11 }, () => '201'),
    ...Array.from({ length: 3 }, () => 'too_many_requests'),
  ]);
  expect((await feedOf(customer, 10)).items).toHaveLength(10);
});

test('a message of an administrator is in the feed and the mail, and in the audit log as a hash', async () => {
  const customer = await bank.customer();
  await writeTo(bank, customer, { title: 'Your documents', body: 'Send the proof of address.' });
  await feedOf(customer, 1);
  expect((await mailboxOf(`${customer.id}@bank.test`).next()).text).toContain('Send the proof of address.');
  const [noted] = await bank.asOwner(
    `select after from audit_log where action = 'message.sent' and subject_id = $1`,
    [customer.id],
  );
  expect(JSON.stringify(noted)).toMatch(/[0-9a-f]{64}/);
  expect(JSON.stringify(noted)).not.toContain('proof of address');
});
