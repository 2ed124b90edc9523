/** Request authentication of the sandbox custodian: the official token passes, and each fault has the code that Fireblocks documents. */
import { beforeAll, expect, test } from '@jest/globals';
import { createHash, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { createAuthentication, type Signed } from '../../../dev/custodian/api/authentication.ts';
import { Refused } from '../../../dev/custodian/api/refused.ts';

const API_KEY = 'a-key';
const URL = '/v1/vault/accounts_paged?limit=1';
const BODY = Buffer.from('{"name":"é"}');
const NOW_SECONDS = 1_800_000_000;

let privateKey: KeyObject;
let authenticate: (request: Signed) => Promise<void>;
beforeAll(() => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  privateKey = pair.privateKey;
  authenticate = createAuthentication(
    { apiKey: API_KEY, publicKey: pair.publicKey },
    () => NOW_SECONDS * 1_000,
  );
});

function claims(changes: object = {}) {
  const bodyHash = createHash('sha256').update(BODY).digest('hex');
  const right = {
    uri: URL,
    nonce: randomUUID(),
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 55,
    sub: API_KEY,
    bodyHash,
  };
  return { ...right, ...changes };
}

/** A request with a token that differs from the right one in these claims. */
async function signed(
  changes: object = {},
  request: Partial<Signed> = {},
  key = privateKey,
): Promise<Signed> {
  const token = await new SignJWT(claims(changes)).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(key);
  return { url: URL, apiKey: API_KEY, authorization: `Bearer ${token}`, body: BODY, ...request };
}

/** The code that a request is refused with; undefined if it passes. */
async function codeOf(request: Signed): Promise<number | null | undefined> {
  try {
    await authenticate(request);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    expect(error.status).toBe(401);
    return error.code;
  }
}

test('a token over the address and the bytes of the request passes once', async () => {
  const request = await signed();
  expect(await codeOf(request)).toBeUndefined();
  expect(await codeOf(request)).toBe(-7);
});

test.each<[string, number, object]>([
  ['another address', -4, { uri: '/v1/vault/accounts_paged' }],
  ['an API key that is missing', -2, { sub: undefined }],
  ['another API key', -6, { sub: 'other' }],
  ['a body that has another hash', -7, { bodyHash: createHash('sha256').update('').digest('hex') }],
  ['an end that has passed', -10, { iat: NOW_SECONDS - 60, exp: NOW_SECONDS }],
  ['a life of more than 60 seconds', -7, { exp: NOW_SECONDS + 61 }],
  ['a beginning in the future', -12, { iat: NOW_SECONDS + 5 }],
  ['no nonce', -5, { nonce: undefined }],
])('a token with %s is refused with code %d', async (_, code, changes) => {
  expect(await codeOf(await signed(changes))).toBe(code);
});

test('a token of another key is refused as wrongly signed, and one with another algorithm too', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(await codeOf(await signed({}, {}, other.privateKey))).toBe(-1);
  const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS512' }).sign(privateKey);
  expect(await codeOf(await signed({}, { authorization: `Bearer ${token}` }))).toBe(-1);
});

test('a request without a token, with none that can be read, or with the header of another user is refused', async () => {
  expect(await codeOf(await signed({}, { authorization: undefined }))).toBe(-3);
  expect(await codeOf(await signed({}, { authorization: 'Bearer nonsense' }))).toBe(-5);
  expect(await codeOf(await signed({}, { apiKey: 'other' }))).toBe(-6);
  expect(await codeOf(await signed({}, { body: Buffer.from('{"name":"e"}') }))).toBe(-7);
});
