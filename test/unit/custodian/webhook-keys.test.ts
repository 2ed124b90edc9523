/** The keys of the custodian's webhooks: how long they are used, when they are read again, and what is said while they cannot be. */
import { afterEach, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { createWebhookKeys, type KeyTimes } from '../../../adapters/custody/webhook-keys.ts';
import { newWebhookKey, openJwks, type WebhookKey } from '../../support/custodian/jwks.ts';

const BODY = Buffer.from('{"id":"1"}');
const [first, second, third] = [newWebhookKey('first'), newWebhookKey('second'), newWebhookKey('third')];
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A JWKS that publishes the first key, and what reads it. */
async function keyring(times: Partial<KeyTimes> = {}) {
  const jwks = await openJwks(first);
  closing.push(jwks.close);
  const warned: unknown[] = [];
  const log = { warn: (what: unknown) => void warned.push(what) };
  const keys = createWebhookKeys({ CUSTODIAN_JWKS_URL: jwks.url }, log, times);
  const judged = (by: WebhookKey, body = BODY) => keys.judge(body, by.sign(BODY));
  return { jwks, judged, keys, warned };
}

test('keys are read once and used for an hour', async () => {
  const { jwks, judged } = await keyring();
  expect(await judged(first)).toBe('signed');
  expect(await judged(first, Buffer.from('{"id":"2"}'))).toBe('forged');
  expect(jwks.asked()).toBe(1);
});

test('a key that is unknown after the keys were read for it signs nothing', async () => {
  const { judged } = await keyring();
  expect(await judged(second)).toBe('forged');
});

test('a new key is taken without anybody doing anything, and the old one with it', async () => {
  const { jwks, judged } = await keyring({ pauseMilliseconds: 0 });
  expect(await judged(first)).toBe('signed');
  jwks.publish(first, second);
  expect(await judged(second)).toBe('signed');
  expect(await judged(first)).toBe('signed');
  expect(jwks.asked()).toBe(2);
});

test('whoever sends unknown keys cannot have the JWKS asked again and again, and nobody can say whose they are', async () => {
  const { jwks, judged } = await keyring();
  expect(await judged(first)).toBe('signed');
  jwks.publish(first, second);
  expect(await Promise.all([judged(second), judged(third)])).toEqual(['unknown', 'unknown']);
  expect(jwks.asked()).toBe(1);
});

test('an event that joins a reading is not told that its key does not exist', async () => {
  const { jwks, judged } = await keyring();
  const [one, other] = [judged(second), judged(third)];
  expect(await Promise.all([one, other])).toEqual(['forged', 'unknown']);
  expect(jwks.asked()).toBe(1);
});

test('keys that a cache has kept prove nothing about a key that they lack', async () => {
  const { jwks, judged } = await keyring();
  jwks.restore({ Age: '20' });
  expect(await judged(second)).toBe('unknown');
  expect(await judged(first)).toBe('signed');
});

test('known keys stay usable while the JWKS is away, and are replaced once it is back', async () => {
  const times = { keptMilliseconds: 50, pauseMilliseconds: 0, pauseAfterFailureMilliseconds: 0 };
  const { jwks, judged, warned } = await keyring(times);
  expect(await judged(first)).toBe('signed');
  jwks.answer((response) => response.writeHead(500).end());
  await wait(60);
  expect(await judged(first)).toBe('signed');
  expect(await judged(second)).toBe('unknown');
  expect(warned.length).toBeGreaterThan(0);
  jwks.restore();
  jwks.publish(second);
  expect(await judged(first)).toBe('forged');
  expect(await judged(second)).toBe('signed');
});

test('after a failure the JWKS is left alone for a while', async () => {
  const { jwks, judged } = await keyring();
  jwks.answer((response) => response.destroy());
  expect([await judged(first), await judged(first)]).toEqual(['unknown', 'unknown']);
  expect(jwks.asked()).toBe(1);
});

test.each<[string, Parameters<Awaited<ReturnType<typeof openJwks>>['answer']>[0]]>([
  ['is no JSON', (response) => response.writeHead(200).end('keys')],
  ['has no list of keys', (response) => response.writeHead(200).end('{"keys":{}}')],
  ['has no key that could sign', (response) => response.writeHead(200).end('{"keys":[{"kty":"EC"}]}')],
  ['leads elsewhere', (response) => response.writeHead(302, { Location: '/other' }).end()],
  ['never ends', (response) => response.writeHead(200).write('{"keys":[')],
  ['is very large', (response) => response.writeHead(200).end(`{"keys":[]}${' '.repeat(200_000)}`)],
])('an answer of the JWKS that %s proves nothing', async (_what, answer) => {
  const { jwks, judged } = await keyring();
  jwks.answer(answer);
  expect(await judged(first)).toBe('unknown');
  expect(jwks.asked()).toBe(1);
});

test('a header of another form is refused without asking anybody', async () => {
  const { jwks, keys } = await keyring();
  const good = first.sign(BODY);
  const [head = '', signature = ''] = good.split('..');
  const forms = [undefined, '', good.replace('..', '.e30.'), `${good}=`, ` ${good}`, head, `..${signature}`];
  const headers = [
    ...[{ alg: 'none' }, { alg: 'RS256' }, { alg: 'PS512' }, { kid: undefined }, { kid: 7 }],
    ...[{ crit: ['b64'], b64: false }, { b64: true }, { crit: ['other'] }],
  ];
  const signed = headers.map((header) => first.sign(BODY, header));
  for (const header of [...forms, ...signed, `e30..${signature}`, `bm8..${signature}`])
    expect({ header, verdict: await keys.judge(BODY, header) }).toEqual({ header, verdict: 'forged' });
  expect(jwks.asked()).toBe(0);
});

test('without an address of keys nobody can say anything', async () => {
  const keys = createWebhookKeys({ CUSTODIAN_JWKS_URL: undefined }, { warn: () => undefined });
  expect(await keys.judge(BODY, first.sign(BODY))).toBe('unknown');
});
