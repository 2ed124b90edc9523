/** The door of the custodian: what it has signed is kept once and never turned away, and nothing else gets in. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { takeCustodianWebhook } from '../../../api/crypto/webhooks/partner-operations.ts';
import { SHARED } from '../../support/stack/database.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { base64url, newWebhookKey, openJwks } from '../../support/custodian/jwks.ts';
import { SignedBody } from '../../support/custodian/control.ts';
import { custodianControl } from '../../support/custodian/shared.ts';
import { freePort } from '../../support/stack/processes.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { apiClient, patiently, type Answered, type CallOptions } from '../../support/client.ts';

const DOOR = '/v1/crypto/webhooks/custodian';
const key = newWebhookKey('custodian');
const open: { close(): unknown }[] = [];
let jwks: Awaited<ReturnType<typeof openJwks>>;
let world: FrameWorld;
let books: Books;

/** A bank that reads these keys; Temporal is away. */
async function bankWith(settings: Parameters<typeof serve>[1]): Promise<FrameWorld> {
  const bank = await serve([takeCustodianWebhook], { TEMPORAL_ADDRESS: '127.0.0.1:1', ...settings });
  open.push(bank);
  return bank;
}
beforeAll(async () => {
  books = openBooks(SHARED);
  jwks = await openJwks(key);
  open.push(jwks, books);
  world = await bankWith({ CUSTODIAN_JWKS_URL: jwks.url });
});
afterAll(async () => {
  for (const each of open.toReversed()) await each.close();
});

const event = (more: object = {}): Record<string, unknown> => ({
  ...{ id: randomUUID(), eventType: 'transaction.status.updated', resourceId: randomUUID() },
  ...{ workspaceId: randomUUID(), createdAt: 1_795_241_200_123, data: { amount: 1.0, note: 'é' } },
  ...more,
});
const bytesOf = (body: object | string | Buffer): Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
const postTo = (
  to: FrameWorld,
  body: Buffer,
  headers: Record<string, string>,
  query: CallOptions['query'] = '',
) => to.call('POST', DOOR, { bytes: new Uint8Array(body), headers, query });
const signature = (body: Buffer) => ({ 'Fireblocks-Webhook-Signature': key.sign(body) });

/** Sends it as the custodian does. */
function send(body: object | string | Buffer, more: CallOptions = {}): Promise<Answered> {
  const bytes = bytesOf(body);
  return postTo(world, bytes, { ...signature(bytes), ...more.headers }, more.query);
}

/** What is kept of a body, or of all bodies with that key. */
const kept = (body: Buffer | string) =>
  world.sql<Record<string, unknown>>(
    `select id, event_key, type, resource, body, status, fault from custody_events
      where ${typeof body === 'string' ? 'event_key' : 'body'} = $1 order by id`,
    [body],
  );
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

test('a signed event of a transaction is kept byte by byte, and waits', async () => {
  const body = event();
  const bytes = Buffer.from(JSON.stringify(body, null, 2).replace('"é"', '"\\u00e9"').replace('1,', '1.0,'));
  expect(await send(bytes)).toMatchObject({ status: 200, body: { message: 'Kept.' } });
  expect(await kept(String(body['id']))).toMatchObject([
    ...[
      { type: body['eventType'], resource: body['resourceId'], status: 'waiting', fault: null, body: bytes },
    ],
  ]);
});

test('a bank takes what the sandbox custodian has signed', async () => {
  const body = event();
  const wish = { body: JSON.stringify(body), sign: 'good' };
  const { body_base64, headers } = SignedBody.parse(await custodianControl('POST', '/webhooks/sign', wish));
  const bytes = new Uint8Array(Buffer.from(body_base64, 'base64'));
  const answer = await patiently(() => apiClient().call('POST', DOOR, { bytes, headers }));
  expect(answer).toMatchObject({ status: 200, body: { message: 'Kept.' } });
  expect(await kept(String(body['id']))).toMatchObject([{ status: 'waiting' }]);
});

test('a hundred copies of an event that come at once leave one row, and are all answered 200', async () => {
  const body = event();
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const told = answers.map(({ text }) => text);
  expect(told.filter((text) => text.includes('Kept'))).toHaveLength(1);
  expect(await kept(String(body['id']))).toHaveLength(1);
});

test('an event with the id of another is kept beside it, once', async () => {
  const one = event();
  const other = { ...one, data: { amount: 2 } };
  await send(one);
  for (const message of ['Kept.', 'Known already.'])
    expect(await send(other)).toMatchObject({ status: 200, body: { message } });
  expect(await send(one)).toMatchObject({ status: 200, body: { message: 'Known already.' } });
  expect(await kept(String(one['id']))).toMatchObject([{ body: bytesOf(one) }]);
  expect(await kept(sha256(bytesOf(other)))).toMatchObject([{ body: bytesOf(other), status: 'waiting' }]);
});

test.each<[string, object, object]>([
  ['without an id', { id: undefined }, { status: 'waiting' }],
  ['with a number for an id', { id: 7 }, { status: 'waiting' }],
  ['with a very long id', { id: 'x'.repeat(81) }, { status: 'waiting' }],
  ['with an empty id', { id: '' }, { status: 'waiting' }],
  [
    'about a transaction that only its data names',
    { id: 1, resourceId: null, data: { id: 'tx' } },
    { resource: 'tx' },
  ],
  [
    'about a transaction that nothing names',
    { id: 1, resourceId: 5 },
    { status: 'aside', fault: 'no_resource' },
  ],
  ['about a vault', { id: 1, eventType: 'vault_account.asset.added' }, { status: 'done', fault: null }],
  ['of no type', { id: 1, eventType: undefined }, { status: 'aside', fault: 'no_type', type: null }],
  ['of a type that is no text', { id: 1, eventType: {} }, { status: 'aside', fault: 'no_type' }],
])('an event %s is kept under the hash of its body', async (_what, more, row) => {
  const bytes = bytesOf(event(more));
  expect((await send(bytes)).status).toBe(200);
  expect(await kept(sha256(bytes))).toMatchObject([{ ...row, body: bytes }]);
});

const mark = (): string => `"${randomUUID()}"`;
test.each<[string, () => Buffer, CallOptions, string]>([
  ['no JSON', () => bytesOf(`{${mark()}`), {}, 'malformed_json'],
  ['a JSON array', () => bytesOf(`[${mark()}]`), {}, 'malformed_json'],
  [
    'no UTF-8',
    () => Buffer.concat([bytesOf(`{"id":${mark()},"x":"`), Buffer.from([0xff]), bytesOf('"}')]),
    {},
    'malformed_json',
  ],
  ['a NUL', () => bytesOf(`{"id":${mark()},"x":"\\u0000"}`), {}, 'invalid_characters'],
  [
    'a very deep nesting',
    () => bytesOf(`{"id":${mark()},"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    {},
    'too_deep',
  ],
  ['a name twice', () => bytesOf(`{"id":${mark()},"id":${mark()}}`), {}, 'repeated'],
  ['a prototype', () => bytesOf(`{"id":${mark()},"__proto__":{}}`), {}, 'unknown_field'],
  [
    'another content type',
    () => bytesOf(event()),
    { headers: { 'Content-Type': 'text/plain' } },
    'unsupported_media_type',
  ],
  [
    'a content encoding',
    () => bytesOf(event()),
    { headers: { 'Content-Encoding': 'gzip' } },
    'unsupported_media_type',
  ],
  ['a query', () => bytesOf(event()), { query: { x: '1' } }, 'unknown_parameter'],
])(
  'a signed body with %s is put aside and answered with 200, and an alert names it without its text',
  async (_what, body, more, fault) => {
    const bytes = body();
    expect((await send(bytes, more)).status).toBe(200);
    expect((await send(bytes, more)).status).toBe(200);
    const rows = await kept(bytes);
    expect(rows).toMatchObject([{ status: 'aside', fault, type: null, event_key: sha256(bytes) }]);
    const lines = world
      .log()
      .split('\n')
      .filter((line) => line.includes(String(rows[0]?.['id'])));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"alert":"custody_event_unreadable"');
    expect(lines[0]).not.toContain(bytes.toString().slice(3, 30));
  },
);

test('an event that came in a form that cannot be read waits once it comes in the right one', async () => {
  const body = event();
  await send(body, { headers: { 'Content-Type': 'text/plain' } });
  expect(await send(body)).toMatchObject({ status: 200, body: { message: 'Kept.' } });
  expect(await kept(String(body['id']))).toMatchObject([{ status: 'waiting' }]);
});

type Forgery = (body: Buffer) => { readonly headers: Record<string, string>; readonly body?: Buffer };
const signedBy = (header: string) => ({ headers: { 'Fireblocks-Webhook-Signature': header } });

/** What somebody sends who is not the custodian, and has seen a body. */
const FORGERIES: readonly [string, Forgery][] = [
  ['no signature', () => ({ headers: {} })],
  ['the legacy signature only', (body) => ({ headers: { 'Fireblocks-Signature': sha256(body) } })],
  ['no form', () => signedBy('signed')],
  ['a payload inside', (body) => signedBy(key.sign(body).replace('..', `.${base64url(body)}.`))],
  ['the algorithm none', () => signedBy(`${base64url('{"alg":"none","kid":"custodian"}')}..`)],
  ['RS256 by the right key', (body) => signedBy(key.sign(body, { alg: 'RS256' }, 'sha256'))],
  ['HS512 with the public key', (body) => signedBy(hs512(body))],
  ['another key', (body) => signedBy(newWebhookKey(key.kid).sign(body))],
  [
    'a flipped byte',
    (body) => ({ headers: signature(body), body: bytesOf(body.toString().replace('1795', '1796')) }),
  ],
  [
    'the same JSON, written again',
    (body) => ({
      headers: signature(body),
      body: bytesOf(JSON.stringify(JSON.parse(body.toString()), null, 1)),
    }),
  ],
  ['a space more', (body) => ({ headers: signature(body), body: bytesOf(`${body.toString()} `) })],
  ['another content encoding and no signature', () => ({ headers: { 'Content-Encoding': 'gzip' } })],
];
function hs512(body: Buffer): string {
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
  const head = base64url(JSON.stringify({ alg: 'HS512', kid: key.kid }));
  const mac = createHmac('sha512', pem)
    .update(`${head}.${base64url(body)}`)
    .digest('base64url');
  return `${head}..${mac}`;
}

test.each(FORGERIES)('a message with %s is refused with 401 and leaves nothing', async (_what, forge) => {
  const told = event();
  const bytes = bytesOf(told);
  const { headers, body = bytes } = forge(bytes);
  // the keys are known from here on
  await send(event());
  const answer = await postTo(world, body, headers);
  expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
  expect(await kept(body)).toEqual([]);
  expect(await kept(String(told['id']))).toEqual([]);
});

test('a key that the fresh keys lack is refused, and a moment later nobody can say', async () => {
  const bank = await bankWith({ CUSTODIAN_JWKS_URL: jwks.url });
  const stranger = newWebhookKey('stranger');
  const bytes = bytesOf(event());
  const post = () => postTo(bank, bytes, { 'Fireblocks-Webhook-Signature': stranger.sign(bytes) });
  expect(await post()).toMatchObject({ status: 401 });
  const later = await post();
  expect(later).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(later.headers.get('Retry-After')).not.toBeNull();
  expect(await kept(bytes)).toEqual([]);
});

test.each([
  [
    'the keys cannot be reached',
    async () => ({ CUSTODIAN_JWKS_URL: `http://127.0.0.1:${String(await freePort())}/` }),
  ],
  ['no address of keys is set', () => Promise.resolve({ CUSTODIAN_JWKS_URL: undefined })],
  [
    'the database is away',
    async () => ({
      CUSTODIAN_JWKS_URL: jwks.url,
      DATABASE_URL: `postgresql://app:app@127.0.0.1:${String(await freePort())}/bank`,
    }),
  ],
])('while %s the custodian is told to come again, and then the event is taken', async (_what, settings) => {
  const bank = await bankWith(await settings());
  const body = event();
  const bytes = bytesOf(body);
  expect(await postTo(bank, bytes, signature(bytes))).toMatchObject({ status: 503 });
  expect(await kept(String(body['id']))).toEqual([]);
  expect(await send(bytes)).toMatchObject({ status: 200, body: { message: 'Kept.' } });
});

test('a body of 256 KB is taken, and a larger one is refused', async () => {
  const padded = (length: number): Buffer => {
    const start = JSON.stringify(event({ pad: '' })).replace('"pad":""}', '"pad":"');
    return bytesOf(`${start}${'x'.repeat(length - Buffer.byteLength(start) - 2)}"}`);
  };
  expect((await send(padded(262_144))).status).toBe(200);
  expect(await send(padded(262_145))).toMatchObject({ status: 413, body: { limit_bytes: 262_144 } });
});

test('what has come can neither be changed nor removed, by the owner of the tables either', async () => {
  const body = event();
  await send(body);
  const own = [body['id']];
  const changes = [
    ...['body = $$x$$', 'event_key = $$other$$', `type = 'other'`, `resource = 'other'`],
    'received_at = received_at + interval $$1 s$$',
  ];
  for (const change of changes)
    await expect(
      books.asOwner(`update custody_events set ${change} where event_key = $1`, own),
    ).rejects.toThrow(/append-only/);
  await expect(books.asOwner('delete from custody_events where event_key = $1', own)).rejects.toThrow(
    /append-only/,
  );
  await expect(books.asOwner('truncate custody_events')).rejects.toThrow(/append-only/);
  await expect(
    world.sql(`update custody_events set status = 'done' where event_key = $1`, own),
  ).rejects.toThrow(/permission denied/);
  await books.asOwner(`update custody_events set status = 'aside', fault = 'test' where event_key = $1`, own);
  await books.asOwner(`update custody_events set status = 'done', fault = null where event_key = $1`, own);
  await expect(
    books.asOwner(`update custody_events set status = 'waiting' where event_key = $1`, own),
  ).rejects.toThrow(/has ended/);
});
