/** Attacks on tokens. Each test changes one thing of a token that works, and each fails if its defence is taken away. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';
import { customer, stepUp, type Person } from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
let victim: Person;
let claims: Record<string, unknown>;

beforeAll(async () => {
  vault = openVault();
  victim = await customer();
  claims = claimsOf(victim.token);
});
afterAll(() => vault.close());

const statusWith = async (token: string): Promise<number> =>
  (await victim.call('GET', '/v1/users/me', { token })).status;
const base64url = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

test('a token built as the service builds it is taken, so what follows is refused for its one change', async () => {
  expect(await statusWith(await vault.token({ claims }))).toBe(200);
});

describe('the algorithm is not for the token to choose', () => {
  test('alg none is refused, signed or not', async () => {
    const { kid } = await vault.signingKey();
    for (const alg of ['none', 'None', 'NONE']) {
      const unsigned = `${base64url({ alg, typ: 'at+jwt', kid })}.${base64url(claims)}.`;
      expect(await statusWith(unsigned)).toBe(401);
      const [, , signature = ''] = victim.token.split('.');
      expect(await statusWith(unsigned + signature)).toBe(401);
    }
  });

  test('HS256 keyed with the public key is refused', async () => {
    const { kid, publicJwk } = await vault.signingKey();
    const signed = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid })}.${base64url(claims)}`;
    for (const secret of [JSON.stringify(publicJwk), z.object({ x: z.string() }).parse(publicJwk).x]) {
      const mac = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await statusWith(`${signed}.${mac}`)).toBe(401);
    }
  });

  test('another asymmetric algorithm with a key of its own is refused', async () => {
    const { privateKey } = await generateKeyPair('EdDSA');
    expect(await statusWith(await vault.token({ claims, header: { alg: 'EdDSA' }, key: privateKey }))).toBe(
      401,
    );
  });
});

describe('the key is not for the token to bring', () => {
  test('an unknown kid, one like a path, one like SQL and one of an object are refused', async () => {
    const { privateKey: key } = await generateKeyPair('ES256');
    const kids = ['unknown', '../../../../dev/null', "' or '1'='1", '__proto__', 'constructor', ''];
    for (const kid of kids) {
      expect(await statusWith(await vault.token({ claims, header: { kid }, key }))).toBe(401);
      expect(await statusWith(await vault.token({ claims, header: { kid } }))).toBe(401);
    }
  });

  test('the right kid with a signature of another key is refused', async () => {
    const { privateKey: key } = await generateKeyPair('ES256');
    expect(await statusWith(await vault.token({ claims, key }))).toBe(401);
  });

  test('a key in the header (jwk) is refused', async () => {
    const { publicKey, privateKey: key } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    expect(await statusWith(await vault.token({ claims, key, header: { jwk } }))).toBe(401);
    expect(await statusWith(await vault.token({ claims, header: { jwk } }))).toBe(401);
  });

  test('an address of keys in the header (jku, x5u) is refused and never asked', async () => {
    const { publicKey, privateKey: key } = await generateKeyPair('ES256');
    const { kid } = await vault.signingKey();
    const keys = [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }];
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end(JSON.stringify({ keys }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // a failure below must not leave the run waiting
    server.unref();
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    expect(await statusWith(await vault.token({ claims, key, header: { jku: url } }))).toBe(401);
    expect(await statusWith(await vault.token({ claims, key, header: { x5u: url } }))).toBe(401);
    expect(await statusWith(await vault.token({ claims, header: { jku: url } }))).toBe(401);
    server.close();
    expect(asked).toBe(0);
  });
});

describe('the claims are those of this service, now', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  test.each<[string, () => Record<string, unknown>]>([
    ['expired', () => ({ exp: now() - 1 })],
    ['not yet valid', () => ({ nbf: now() + 60 })],
    ['without an expiry', () => ({ exp: undefined })],
    ['of another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['without an issuer', () => ({ iss: undefined })],
    ['for another audience', () => ({ aud: 'another-service' })],
    ['without an audience', () => ({ aud: undefined })],
    ['of another user in the same session', () => ({ sub: randomUUID() })],
    ['of an unknown session', () => ({ sid: randomUUID() })],
    ['without a session', () => ({ sid: undefined })],
    ['with a session that is no id', () => ({ sid: "' or 1=1 --" })],
  ])('a token %s is refused', async (_name, change) => {
    expect(await statusWith(await vault.token({ claims: { ...claims, ...change() } }))).toBe(401);
  });

  test.each(['JWT', 'step-up+jwt', 'id+jwt', ''])('a token of type "%s" is refused', async (typ) => {
    expect(await statusWith(await vault.token({ claims, header: { typ } }))).toBe(401);
  });

  test('a token that was taken a moment ago is refused once it has expired', async () => {
    const token = await vault.token({ claims: { ...claims, exp: now() + 6 } });
    expect(await statusWith(token)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 6_100));
    expect(await statusWith(token)).toBe(401);
  });

  test('a changed payload under an old signature is refused', async () => {
    const [header = '', , signature = ''] = victim.token.split('.');
    const changed = base64url({ ...claims, exp: now() + 86_400 });
    expect(await statusWith(`${header}.${changed}.${signature}`)).toBe(401);
  });

  test('a token longer than any of ours is refused, whoever signed it', async () => {
    // under Node's own limit of header bytes, so that ours decides
    const token = await vault.token({ claims: { ...claims, padding: 'x'.repeat(6_000) } });
    expect(await statusWith(token)).toBe(401);
  });

  test('a token in the query or a cookie is not read', async () => {
    const { client, token } = victim;
    const query = { access_token: token };
    expect((await client.call('GET', '/v1/users/me', { query })).status).not.toBe(200);
    const headers = { Cookie: `access_token=${token}` };
    expect((await client.call('GET', '/v1/users/me', { headers })).status).toBe(401);
  });
});

describe('a step-up token is for one thing', () => {
  const change = { current_password: 'not the password', new_password: 'nine loud herons' };
  const problem = z.looseObject({ code: z.string() });

  test('it is no access token, and an access token is no step-up token', async () => {
    const person = await customer();
    const token = await stepUp(person, 'changePassword');
    expect((await person.client.call('GET', '/v1/users/me', { token })).status).toBe(401);
    const reverse = await person.call('POST', '/v1/users/me/password', {
      body: change,
      stepUp: person.token,
    });
    expect([reverse.status, reverse.as(problem).code]).toEqual([401, 'step_up_required']);
  });

  test('it does not open another operation, another session or another user’s door, and works once', async () => {
    const [person, other] = await Promise.all([customer(), customer()]);
    const body = change;
    const codeOf = async (who: Person, stepUpToken: string): Promise<string> =>
      (await who.call('POST', '/v1/users/me/password', { body, stepUp: stepUpToken })).as(problem).code;

    expect(await codeOf(person, await stepUp(person, 'openAccount'))).toBe('step_up_required');
    const token = await stepUp(person, 'changePassword');
    expect(await codeOf(other, token)).toBe('step_up_required');
    const secondSession = (
      await person.client.call('POST', '/v1/auth/login', {
        body: { identifier: person.email, password: person.password },
      })
    ).as(z.looseObject({ access_token: z.string() })).access_token;
    const elsewhere = { body, stepUp: token, token: secondSession };
    const answer = await person.client.call('POST', '/v1/users/me/password', elsewhere);
    expect(answer.as(problem).code).toBe('step_up_required');

    // the password is wrong, but the token was good for getting that far, once
    expect(await codeOf(person, token)).toBe('invalid_credentials');
    expect(await codeOf(person, token)).toBe('step_up_required');
  });

  test('two uses at the same moment: one gets through', async () => {
    const person = await customer();
    const token = await stepUp(person, 'changePassword');
    const use = () => person.call('POST', '/v1/users/me/password', { body: change, stepUp: token });
    const codes = (await Promise.all([use(), use(), use()])).map((answer) => answer.as(problem).code);
    expect(codes.sort()).toEqual(['invalid_credentials', 'step_up_required', 'step_up_required']);
  });

  test('one that has expired, or lacks its operation, is refused', async () => {
    const person = await customer();
    const good = claimsOf(await stepUp(person, 'changePassword'));
    const header = { typ: 'step-up+jwt' };
    const past = Math.floor(Date.now() / 1_000) - 1;
    const wrongs = [
      ['expired', { exp: past }],
      ['invalid', { operation: undefined }],
      ['invalid', { jti: undefined }],
      ['other_request', { request: 'a hash' }],
    ] as const;
    for (const [reason, wrong] of wrongs) {
      const token = await vault.token({ claims: { ...good, ...wrong }, header });
      const answer = await person.call('POST', '/v1/users/me/password', { body: change, stepUp: token });
      expect(answer.body).toMatchObject({ code: 'step_up_required', reason });
    }
  });
});
