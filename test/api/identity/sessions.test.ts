/** Attacks on sessions: what has ended stays ended, and a copied refresh token is noticed without signing honest people out. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Answered } from '../../support/client.ts';
import { Asked, customer, logIn, stepUp, Tokens, type Person } from '../../support/bank/people.ts';
import { SOON_MS } from '../../support/stack/processes.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const Code = z.looseObject({ code: z.string() });
const sessionOf = ({ token }: { token: string }): unknown => claimsOf(token)['sid'];
const mayEnter = async (person: Person, token = person.token): Promise<boolean> =>
  (await person.call('GET', '/v1/users/me', { token })).status === 200;
const refresh = (person: Person, refreshToken: string): Promise<Answered> =>
  person.client.call('POST', '/v1/auth/refresh', { body: { refresh_token: refreshToken } });
/** Moves the rotation of the session's tokens into the past: the grace of ten seconds is over. */
const age = (person: Person, seconds: number): Promise<unknown> =>
  vault.sql(
    'update refresh_tokens set rotated_at = rotated_at - make_interval(secs => $2) where session_id = $1',
    [sessionOf(person), seconds],
  );

describe('what has ended is refused at the next call, not at the expiry of a token', () => {
  test('after logout neither token works, and other sessions of the user go on', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    expect(await mayEnter(person)).toBe(true);
    const answer = await person.call('POST', '/v1/auth/logout', {
      body: { refresh_token: person.refreshToken },
    });
    expect(answer.status).toBe(200);
    expect(await mayEnter(person)).toBe(false);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
    expect(await mayEnter(elsewhere)).toBe(true);
  });

  test('somebody else’s refresh token at logout ends only the caller’s own session', async () => {
    const [person, other] = await Promise.all([customer(), customer()]);
    await person.call('POST', '/v1/auth/logout', { body: { refresh_token: other.refreshToken } });
    expect(await mayEnter(person)).toBe(false);
    expect(await mayEnter(other)).toBe(true);
    expect((await refresh(other, other.refreshToken)).status).toBe(200);
  });

  test('a user who is blocked is refused with every token, and cannot log in or refresh', async () => {
    const person = await customer();
    expect(await mayEnter(person)).toBe(true);
    await vault.sql(`update users set status = 'blocked' where email = $1`, [person.email]);
    await untilRefused(person);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
    const login = await person.client.call('POST', '/v1/auth/login', {
      body: { identifier: person.email, password: person.password },
    });
    expect([login.status, login.as(Code).code]).toEqual([401, 'invalid_credentials']);
  });

  test('a session over its longest time is refused, whatever its tokens say', async () => {
    const person = await customer();
    await vault.sql('update sessions set expires_at = now() where id = $1', [sessionOf(person)]);
    await untilRefused(person);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
  });

  test('changing the password ends all other sessions and keeps this one', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    const answer = await person.call('POST', '/v1/users/me/password', {
      body: { current_password: person.password, new_password: 'nine loud herons' },
      stepUp: await stepUp(person, 'changePassword'),
    });
    expect(answer.status).toBe(200);
    expect([await mayEnter(person), await mayEnter(elsewhere)]).toEqual([true, false]);
    expect((await refresh(elsewhere, elsewhere.refreshToken)).status).toBe(401);
    const login = (password: string) =>
      person.client.call('POST', '/v1/auth/login', { body: { identifier: person.email, password } });
    expect((await login(person.password)).status).toBe(401);
    expect((await login('nine loud herons')).status).toBe(200);
    expect((await person.mail.next()).subject).toMatch(/password was changed/i);
  });
});

test('changing the password ends logins that wait for their code', async () => {
  const person = await customer();
  await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
  const asked = await person.client.call('POST', '/v1/auth/login', {
    body: { identifier: person.email, password: person.password },
  });
  const code = await person.mail.nextCode();
  const changed = await person.call('POST', '/v1/users/me/password', {
    body: { current_password: person.password, new_password: 'nine loud herons' },
    stepUp: await stepUp(person, 'changePassword'),
  });
  expect(changed.status).toBe(200);
  const answer = await person.client.call('POST', '/v1/auth/login/mfa', {
    body: { challenge_id: asked.as(Asked).challenge_id, code },
  });
  expect([answer.status, answer.as(Code).code]).toEqual([400, 'invalid_code']);
});

describe('refresh tokens', () => {
  test('two honest calls at once get the same successor, and nobody is signed out', async () => {
    const person = await customer();
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(person, person.refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const successors = new Set(answers.map((answer) => answer.as(Tokens).refresh_token));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect((await refresh(person, successor)).status).toBe(200);
    expect(await mayEnter(person)).toBe(true);
  });

  test('a lost answer is repeated within ten seconds', async () => {
    const person = await customer();
    const first = (await refresh(person, person.refreshToken)).as(Tokens);
    await age(person, 4);
    const again = (await refresh(person, person.refreshToken)).as(Tokens);
    expect(again.refresh_token).toBe(first.refresh_token);
  });

  test('after that a used token ends the whole family, and the user is told', async () => {
    const person = await customer();
    const first = (await refresh(person, person.refreshToken)).as(Tokens);
    await age(person, 11);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
    expect((await refresh(person, first.refresh_token)).status).toBe(401);
    expect([await mayEnter(person), await mayEnter(person, first.access_token)]).toEqual([false, false]);
    expect((await person.mail.next()).subject).toMatch(/ended your sessions/i);
    const [session] = await vault.sql('select end_reason from sessions where id = $1', [sessionOf(person)]);
    expect(session).toEqual({ end_reason: 'refresh_reuse' });
  });

  test('a token two steps behind ends the family even within ten seconds', async () => {
    const person = await customer();
    const first = (await refresh(person, person.refreshToken)).as(Tokens);
    const second = (await refresh(person, first.refresh_token)).as(Tokens);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
    expect((await refresh(person, second.refresh_token)).status).toBe(401);
  });

  test('the end of one family leaves the user’s other sessions alone', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    await refresh(person, person.refreshToken);
    await age(person, 11);
    await refresh(person, person.refreshToken);
    expect((await refresh(elsewhere, elsewhere.refreshToken)).status).toBe(200);
  });

  test('a token that lay idle too long is refused without harm to its family', async () => {
    const person = await customer();
    await vault.sql('update refresh_tokens set expires_at = now() where session_id = $1', [
      sessionOf(person),
    ]);
    expect((await refresh(person, person.refreshToken)).status).toBe(401);
    expect(await mayEnter(person)).toBe(true);
  });

  test('an invented token and an access token are refused alike', async () => {
    const person = await customer();
    for (const token of ['x'.repeat(43), person.token.slice(0, 200)]) {
      const answer = await refresh(person, token);
      expect([answer.status, answer.as(Code).code]).toEqual([401, 'invalid_refresh_token']);
    }
  });

  test('neither tokens nor codes stand readable in the database', async () => {
    const person = await customer();
    await refresh(person, person.refreshToken);
    const tables = ['refresh_tokens', 'sessions', 'challenges', 'audit_log', 'signing_keys', 'users'];
    const hex = Buffer.from(person.refreshToken).toString('hex');
    for (const table of tables) {
      const text = JSON.stringify(await vault.sql(`select t::text from ${table} t`));
      expect(text.includes(person.refreshToken) || text.includes(hex)).toBe(false);
      expect(text.includes(person.password)).toBe(false);
    }
  });
});

/** A change made in the database itself is heard by NOTIFY, within a moment; two seconds are the most in any case, on a quiet machine. */
async function untilRefused(person: Person): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  while (await mayEnter(person)) {
    if (performance.now() > deadline) throw new Error('the token still works');
  }
}
