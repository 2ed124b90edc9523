/** Hostile input to identity: fields one may not set, text that is not what it looks like, sizes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { customer, registered, registration, stranger } from '../../support/bank/people.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const Problem = z.looseObject({
  code: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), code: z.string() })).optional(),
});
const register = async (more: object) => {
  const who = stranger();
  return who.client.call('POST', '/v1/auth/register', { body: registration(who, more) });
};
/** The birthday of somebody who is that old, and for another day yet wherever it is tomorrow already. */
const bornYearsAgo = (years: number): string => {
  const birthday = new Date(Date.now() + 2 * 86_400_000);
  return `${birthday.getUTCFullYear() - years - 1}${birthday.toISOString().slice(4, 10)}`;
};
const pointers = (problem: z.output<typeof Problem>): string[] =>
  (problem.errors ?? []).map(({ pointer }) => pointer);

describe('nobody makes themselves more than they are', () => {
  test.each([
    ['role', 'admin'],
    ['status', 'active'],
    ['permissions', ['users:write']],
    ['email_verified', true],
    ['id', '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e'],
    ['password_hash', '$argon2id$x'],
  ])('%s cannot be sent with a registration or a change of the profile', async (field, value) => {
    const answer = await register({ [field]: value });
    expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, [`/${field}`]]);
    const person = await customer();
    const change = await person.call('PATCH', '/v1/users/me', { body: { [field]: value } });
    expect([change.status, pointers(change.as(Problem))]).toEqual([400, [`/${field}`]]);
  });

  test('email and phone are not changed by a change of the profile', async () => {
    const person = await customer();
    for (const body of [{ email: 'other@people.test' }, { phone: '+491711234567' }])
      expect((await person.call('PATCH', '/v1/users/me', { body })).status).toBe(400);
  });

  test('the application’s own role in the database cannot make an admin or unblock anybody', async () => {
    const { client } = await import('pg').then(async ({ default: pg }) => {
      const made = new pg.Client({ connectionString: vault.config.DATABASE_URL });
      await made.connect();
      return { client: made };
    });
    const denied = { code: '42501' };
    try {
      await expect(client.query(`update users set role = 'admin'`)).rejects.toMatchObject(denied);
      await expect(client.query(`update users set status = 'active'`)).rejects.toMatchObject(denied);
      await expect(client.query(`delete from users`)).rejects.toMatchObject(denied);
      await expect(client.query(`update refresh_tokens set token_hash = ''`)).rejects.toMatchObject(denied);
      await expect(client.query(`update sessions set user_id = id`)).rejects.toMatchObject(denied);
      await expect(client.query(`update audit_log set action = 'x'`)).rejects.toMatchObject(denied);
    } finally {
      await client.end();
    }
  });

  test('a customer cannot hold a permission, whoever writes it', async () => {
    const who = await registered();
    const grant = vault.sql(
      `insert into user_permissions (user_id, action) select id, 'users:write' from users where email = $1`,
      [who.email],
    );
    await expect(grant).rejects.toMatchObject({ constraint: 'user_permissions_admins_only' });
  });
});

describe('text', () => {
  test.each([
    ['NUL', 'An\u0000n'],
    ['a line break', 'Ann\r\nBcc: all@example.com'],
    ['a control of direction', 'nnA\u202e'],
    ['an isolate', 'Ann\u2066'],
    ['an invisible space', 'A\u200bnn'],
    ['an unpaired surrogate', 'Ann\ud800'],
    ['only spaces', '   '],
    ['more than 100 characters', 'A'.repeat(101)],
  ])('a name with %s is refused', async (_what, first_name) => {
    const answer = await register({ first_name });
    expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, ['/first_name']]);
  });

  test.each(['José', 'Jose\u0301', 'Нина', '王小明', 'شیرین‌ گل', 'O’Hara-Łukasz', '𝒜nn'])(
    'the name %s is kept, in one form of Unicode',
    async (first_name) => {
      const person = await customer({ first_name });
      const answer = await person.call('GET', '/v1/users/me');
      expect(answer.body).toMatchObject({ first_name: first_name.normalize('NFC') });
    },
  );

  test.each([
    'no-at.example.com',
    'a@b',
    'a b@example.com',
    'a@exa mple.com',
    'a@example.com\r\nBcc: x@example.com',
    '"a"@example.com',
    'a@[127.0.0.1]',
    'a..b@example.com',
    '\u202ea@example.com',
    `${'a'.repeat(65)}@example.com`,
    'a@example.com, b@example.com',
    'Ann <a@example.com>',
  ])('%j is no email address', async (email) => {
    const answer = await register({ email });
    expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, ['/email']]);
  });

  test.each(['0171 1234567', '+49', '+49 171 12', 'tel:+491711234567', '+491711234567;ext=1', '+1 555'])(
    '%j is no phone number',
    async (phone) => {
      const answer = await register({ phone });
      expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, ['/phone']]);
    },
  );

  test.each([
    ['date_of_birth', '2999-01-01'],
    ['date_of_birth', '1990-02-30'],
    ['date_of_birth', '1899-12-31'],
    ['date_of_birth', bornYearsAgo(17)],
    ['country', 'XX'],
    ['country', 'de'],
    ['locale', 'not a locale'],
  ])('%s %j is refused', async (field, value) => {
    const answer = await register({ [field]: value });
    expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, [`/${field}`]]);
  });
});

describe('passwords', () => {
  test.each([
    ['eleven characters', 'abcdefgh123'],
    ['129 characters', 'x7'.repeat(64) + 'y'],
  ])('%s are refused', async (_what, password) => {
    const answer = await register({ password });
    expect([answer.status, pointers(answer.as(Problem))]).toEqual([400, ['/password']]);
  });

  test.each([
    ['common', 'Password1234!'],
    ['repetitive', 'abababababab'],
    ['personal', 'Kowalczyk and co'],
    ['personal', 'zx 23111988 qv ww'],
  ])('a %s one (%s) is refused with its reason', async (code, password) => {
    const answer = await register({ password });
    const problem = answer.as(Problem);
    expect([answer.status, problem.code]).toEqual([400, 'weak_password']);
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/password', code })]);
    expect(answer.text).not.toContain(password);
  });

  test('a password of a megabyte is refused before anything is hashed', async () => {
    const answer = await register({ password: 'x7'.repeat(500_000) });
    expect(answer.status).toBe(413);
  });

  test('twelve characters of any script are enough, counted as characters; the password is taken exactly as it is', async () => {
    const password = ' 𝒜😀éñ漢字пар  x';
    const person = await registered({ password }, { ...stranger(), password });
    const logIn = (given: string) =>
      person.client.call('POST', '/v1/auth/login', { body: { identifier: person.email, password: given } });
    expect((await logIn(password)).status).toBe(200);
    expect((await logIn(password.trim())).status).toBe(401);
    expect((await logIn(password.normalize('NFD'))).status).toBe(401);
    expect((await logIn(password.toUpperCase())).status).toBe(401);
  });
});

test('header and JSON injection reach no later part', async () => {
  const person = await customer();
  const headers = { 'X-Request-Id': 'x"}\nlevel:fatal', 'User-Agent': `curl"},{"sql":"drop` };
  const raw = person.client.call('GET', '/v1/users/me', { headers: { 'User-Agent': headers['User-Agent'] } });
  expect((await raw).status).toBe(401);
  const bytes = `{"identifier":"${person.email}","password":"x","password":"${person.password}"}`;
  // a gateway in front may read the first of two members with one name, and we the last
  const twice = await person.client.call('POST', '/v1/auth/login', { bytes });
  expect([twice.status, pointers(twice.as(Problem))]).toEqual([400, ['/password']]);
  const proto = `{"__proto__":{"role":"admin"},"first_name":"Ann"}`;
  const change = await person.call('PATCH', '/v1/users/me', { bytes: proto });
  expect(change.status).toBe(400);
});
