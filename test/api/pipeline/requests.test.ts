/** What may not come in, and what is said about it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { forAnybody } from '../../../api/declaration/operation.ts';
import { keyset } from '../../../api/wire/cursor.ts';
import { Amount } from '../../../api/wire/shapes.ts';
import { newKey } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';

const Echo = named(
  'TestEcho',
  z.strictObject({
    text: z.string().max(20).optional(),
    count: z.int().optional(),
    price: Amount.optional(),
    tags: z.array(z.strictObject({ name: z.string() })).optional(),
    way: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), one: z.string() }),
        z.strictObject({ kind: z.literal('b'), two: z.string() }),
      ])
      .optional(),
    anything: z.record(z.string(), z.unknown()).optional(),
  }),
  { text: 'a' },
);
const Said = named('TestSaid', z.strictObject({ fields: z.array(z.string()) }));

const echo = forAnybody({
  id: 'echoTest',
  area: 'Test',
  title: 'Echo',
  description: 'For tests.',
  method: 'POST',
  idempotency: 'none',
  path: '/echo/{id}',
  effect: 'own_transactions',
  bodyLimit: 2_000,
  params: z.strictObject({ id: z.uuid() }),
  query: keyset('echo', z.string(), (row: string) => row).query({
    status: z.array(z.enum(['open', 'closed'])).optional(),
  }),
  body: Echo,
  status: 200,
  answer: Said,
  refuses: [],
  handle: ({ body, query }) => Promise.resolve({ fields: [...Object.keys(body), ...(query.status ?? [])] }),
});

const bare = forAnybody({
  id: 'bareTest',
  area: 'Test',
  title: 'Bare',
  description: 'For tests.',
  method: 'POST',
  idempotency: 'none',
  path: '/bare',
  effect: 'own_transactions',
  status: 204,
  answer: null,
  refuses: [],
  handle: () => Promise.resolve(null),
});

let world: FrameWorld;
beforeAll(async () => {
  world = await serve([echo, bare]);
});
afterAll(() => world.close());

const path = `/echo/${newKey()}`;
const send = (body: unknown) => world.call('POST', path, { body });
const sendText = (bytes: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  world.call('POST', path, { bytes, headers });
const Faults = z.object({
  code: z.literal('invalid_request'),
  errors: z.array(z.object({ pointer: z.string(), code: z.string() })),
});
const faultsOf = (answer: Awaited<ReturnType<typeof send>>): string[] =>
  answer.as(Faults).errors.map(({ pointer, code }) => `${pointer} ${code}`);

test('every fault is named, in all places at once', async () => {
  const body = {
    text: 5,
    extra: 1,
    tags: [{ name: 'a' }, { nam: 'b' }],
    price: { amount: 12.5, currency: 'EUR' },
  };
  const answer = await world.call('POST', '/echo/5?limit=0&cursor=abc', { body });
  expect(answer.status).toBe(400);
  expect(faultsOf(answer).toSorted()).toEqual(
    [
      ...[
        'path/id invalid_format',
        'query/limit too_small',
        'query/cursor invalid_cursor',
        '/text invalid_type',
        '/extra unknown_field',
      ],
      ...['/tags/1/name required', '/tags/1/nam unknown_field', '/price/amount invalid_type'],
    ].toSorted(),
  );
});

test.each([
  [{ amount: '1.234', currency: 'EUR' }, '/price/amount too_many_digits'],
  [{ amount: '1.2', currency: 'JPY' }, '/price/amount too_many_digits'],
  [{ amount: '0.00', currency: 'EUR' }, '/price/amount not_positive'],
  [{ amount: '-1', currency: 'EUR' }, '/price/amount not_positive'],
  [{ amount: '1', currency: 'ZZZ' }, '/price/currency unknown_currency'],
  [{ amount: '1e3', currency: 'EUR' }, '/price/amount invalid_format'],
  [{ amount: '9'.repeat(50), currency: 'EUR' }, '/price/amount too_large'],
  [{ amount: '1', currency: 'EUR', scale: 2 }, '/price/scale unknown_field'],
])('money %j is refused with %s', async (price, fault) => {
  expect(faultsOf(await send({ price }))).toEqual([fault]);
});

test('of a union, the faults of the branch that was meant are named', async () => {
  expect(faultsOf(await send({ way: { kind: 'b', one: 'x' } })).toSorted()).toEqual([
    '/way/one unknown_field',
    '/way/two required',
  ]);
  expect(faultsOf(await send({ way: { kind: 'c' } }))).toEqual(['/way/kind invalid_union']);
});

test.each([
  ['a NUL in a string', '{"anything":{"a":["x\\u0000y"]}}', '/anything/a/0 invalid_characters'],
  ['an unpaired surrogate', '{"text":"\\ud800"}', '/text invalid_characters'],
  ['a NUL in a name', '{"anything":{"a\\u0000":1}}', '/anything invalid_characters'],
  ['a field that is there twice', '{"text":"a","text":"b"}', '/text repeated'],
  ['a field inside that is there twice', '{"anything":{"a":[{"b":1,"b":2}]}}', '/anything/a/0/b repeated'],
  ['__proto__', '{"anything":{"__proto__":{"admin":true}}}', '/anything/__proto__ unknown_field'],
  ['__proto__ at the top', '{"__proto__":{"text":"x"}}', '/__proto__ unknown_field'],
  ['a number beyond all', '{"count":1e999}', '/count invalid_type'],
  ['a number beyond exact integers', '{"count":9007199254740993}', '/count too_big'],
  ['nesting without end', `{"anything":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`, undefined],
])('%s is refused', async (_name, text, fault) => {
  const answer = await sendText(text);
  expect(answer.status).toBe(400);
  const found = faultsOf(answer);
  if (fault === undefined) expect(found[0]).toMatch(/ too_deep$/);
  else expect(found).toContain(fault);
});

test.each([
  ['half a document', '{"text":'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a string', '"text"'],
  ['two documents', '{}{}'],
  ['bytes that are not UTF-8', Uint8Array.from([0x7b, 0x22, 0x74, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])('%s is malformed', async (_name, bytes) => {
  const answer = await sendText(bytes);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'malformed_json' });
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'multipart/form-data',
])('a body of %s is not accepted', async (type) => {
  expect((await sendText('{}', { 'Content-Type': type })).status).toBe(415);
});

test('a compressed body is not accepted', async () => {
  expect((await sendText('{}', { 'Content-Encoding': 'gzip' })).status).toBe(415);
});

test('a body over the limit is refused by its declared length, and while it streams', async () => {
  const declared = await send({ text: 'x'.repeat(3_000) });
  const stream = new Blob([`{"text":"${'x'.repeat(100_000)}"}`]).stream();
  const streamed = await fetch(`${world.base}${path}`, {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: { 'Content-Type': 'application/json' },
  });
  expect([declared.status, streamed.status]).toEqual([413, 413]);
  expect(declared.body).toMatchObject({ code: 'payload_too_large', limit_bytes: 2_000 });
});

test('no body reads as an empty one where all is optional, and is nothing where none is declared', async () => {
  expect((await world.call('POST', path)).status).toBe(200);
  expect((await world.call('POST', '/bare')).status).toBe(204);
  expect((await world.call('POST', '/bare', { body: {} })).status).toBe(204);
  expect(faultsOf(await world.call('POST', '/bare', { body: { a: 1 } }))).toEqual(['/a unknown_field']);
});

test('query parameters: unknown and repeated ones are refused, a list may repeat', async () => {
  const get = (query: string) => world.call('POST', path, { query, body: {} });
  expect(faultsOf(await get('offset=1'))).toEqual(['query/offset unknown_parameter']);
  expect(faultsOf(await get('limit=1&limit=2'))).toEqual(['query/limit repeated']);
  expect(faultsOf(await get('cursor=%00'))).toContain('query/cursor invalid_characters');
  expect((await get('status=open')).body).toEqual({ fields: ['open'] });
  expect((await get('status=open&status=closed')).body).toEqual({ fields: ['open', 'closed'] });
});

test('paths: another method is 404 with Allow, OPTIONS tells, a trailing slash and another case are other paths', async () => {
  const other = await world.call('PATCH', path, { body: {} });
  expect([other.status, other.headers.get('Allow')]).toEqual([404, 'POST, OPTIONS']);
  expect((await world.call('OPTIONS', path)).status).toBe(204);
  expect((await world.call('POST', '/bare/')).status).toBe(404);
  expect((await world.call('POST', '/BARE')).status).toBe(404);
  expect((await world.call('POST', '/echo/%E0%A4%A', { body: {} })).status).toBe(400);
});

test('a request that is not HTTP gets 400 and nothing internal', async () => {
  const { port } = new URL(world.base);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/9.9\r\n\r\n'));
    socket
      .on('data', (chunk) => (text += String(chunk)))
      .on('close', () => {
        resolve(text);
      });
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
});
