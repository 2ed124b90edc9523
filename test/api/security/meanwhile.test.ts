/** What changes while a request is on its way: who was blocked, lost a right or a session, or exchanged a credential, is not served as before. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import pg from 'pg';
import { z } from 'zod';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { apiClient, newAddress, type Answered } from '../../support/client.ts';
import {
  Asked,
  customer,
  registered,
  steadyStep,
  stepUp,
  stranger,
  withTotp,
  type Person,
  type Stranger,
} from '../../support/bank/people.ts';
import { stack } from '../../support/stack/stack.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
let bank: Bank;
beforeAll(() => {
  vault = openVault();
  bank = openBank();
});
afterAll(() => Promise.all([vault.close(), bank.close()]));

const NEW_PASSWORD = 'nine loud herons';
const PATIENCE_MILLISECONDS = 60_000;
const Opened = z.looseObject({ verification_id: z.uuid() });
const Code = z.looseObject({ code: z.string() });
const idOf = ({ token }: Person): string => String(claimsOf(token)['sub']);
const logInWith = (who: Stranger, client = who.client): Promise<Answered> =>
  client.call('POST', '/v1/auth/login', { body: { identifier: who.email, password: who.password } });
const emailCodes = (person: Person): Promise<Answered> =>
  person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
const forget = (email: string): Promise<Answered> =>
  apiClient().call('POST', '/v1/auth/password/forgot', { body: { email } });

/** A request whose headers have arrived and whose body is held back. */
interface HeldBack {
  /** Sends the body; answers the status. */
  send(): Promise<number>;
}

async function holdBack(method: string, path: string, token: string, body: object): Promise<HeldBack> {
  const { hostname, port } = new URL(stack.api);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString())).once('error', reject);
  });
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `X-Forwarded-For: ${newAddress()}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(text))}`,
    'Connection: close',
  ];
  // the first half of the body proves that the service has the headers and waits
  await new Promise<void>((resolve) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 1)}`, () => resolve());
  });
  return {
    async send() {
      socket.write(text.slice(1));
      const first = await answer;
      socket.destroy();
      return Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    },
  };
}

/** A transaction of somebody else's, which others wait for. */
async function transaction(
  act: (tx: pg.Client, untilWaitedFor: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const tx = new pg.Client(stack.ownerUrl);
  await tx.connect();
  try {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    await tx.query('begin');
    await act(tx, () => untilWaited(rows[0]?.pid));
    await tx.query('commit');
  } finally {
    await tx.end();
  }
}

async function untilWaited(pid: number | undefined): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  while (performance.now() < deadline) {
    const waiting = await vault.sql(
      'select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
      [pid],
    );
    if (waiting.length > 0) return;
  }
  throw new Error('nobody waits for the transaction');
}

describe('a request whose body is held back', () => {
  /** Until the service has read the headers, the call is not under way: a second call on the same API comes after it. */
  const settled = (): Promise<Answered> => apiClient().call('GET', '/.well-known/jwks.json');

  test('is refused where its user was blocked meanwhile', async () => {
    const clerk = await bank.admin('users:write');
    const person = await customer();
    const late = await holdBack('PATCH', '/v1/users/me', person.token, { first_name: 'Late' });
    await settled();
    const body = { status: 'blocked', reason: 'A test of defences' };
    await clerk.client.call('PATCH', `/v1/admin/users/${idOf(person)}/status`, { token: clerk.token, body });
    expect(await late.send()).toBe(401);
    const [row] = await vault.sql('select first_name from users where id = $1', [idOf(person)]);
    expect(row).toEqual({ first_name: 'Ines' });
  });

  test('is refused where its session has ended, and served where nothing has changed', async () => {
    const [person, other] = [await customer(), await customer()];
    const late = await holdBack('PATCH', '/v1/users/me', person.token, { first_name: 'Late' });
    const slow = await holdBack('PATCH', '/v1/users/me', other.token, { first_name: 'Slow' });
    await settled();
    await person.call('POST', '/v1/auth/logout', { body: { refresh_token: person.refreshToken } });
    expect([await late.send(), await slow.send()]).toEqual([401, 200]);
  });

  test('is refused where the right it needs was taken away', async () => {
    const [chief, clerk, person] = [
      await bank.admin('permissions:write', 'users:write'),
      await bank.admin('users:write'),
      await bank.customer(),
    ];
    const late = await holdBack('PATCH', `/v1/admin/users/${person.id}`, clerk.token, { first_name: 'Late' });
    await settled();
    const body = { actions: ['users:write'] };
    const path = `/v1/admin/users/${clerk.id}/permissions`;
    expect((await chief.client.call('DELETE', path, { token: chief.token, body })).status).toBe(200);
    expect(await late.send()).toBe(403);
  });
});

describe('a new address', () => {
  test('does not replace the old one where the session that proves it has just ended', async () => {
    const [person, next] = [await customer(), stranger()];
    const options = { body: { email: next.email }, stepUp: await stepUp(person, 'changeEmail') };
    const { verification_id } = (await person.call('POST', '/v1/users/me/email', options)).as(Opened);
    const body = { verification_id, code: await next.mail.nextCode() };
    let proof: Promise<Answered> | undefined;
    await transaction(async (tx, untilWaitedFor) => {
      await tx.query('select 1 from users where id = $1 for no key update', [idOf(person)]);
      proof = person.call('POST', '/v1/users/me/email/verify', { body });
      await untilWaitedFor();
      const ended = `update sessions set ended_at = now(), end_reason = 'password_changed' where user_id = $1`;
      await tx.query(ended, [idOf(person)]);
    });
    expect((await proof)?.status).toBe(401);
    const [row] = await vault.sql('select email from users where id = $1', [idOf(person)]);
    expect(row).toEqual({ email: person.email });
  });

  test('gets no code for a new password that was asked for with the old one', async () => {
    const [who, next] = [await registered(), stranger()];
    let asked: Promise<Answered> | undefined;
    await transaction(async (tx, untilWaitedFor) => {
      await tx.query('update users set email = $2 where email = $1', [who.email, next.email]);
      asked = forget(who.email);
      await untilWaitedFor();
    });
    expect((await asked)?.status).toBe(200);
    expect((await who.mail.next()).subject).toBe('There is no login with this address');
  });
});

describe('a login', () => {
  test('with the old password gets no challenge once the password has changed', async () => {
    const person = await customer();
    await emailCodes(person);
    let login: Promise<Answered> | undefined;
    await transaction(async (tx, untilWaitedFor) => {
      await tx.query(`update users set password_hash = '$argon2id$none' where id = $1`, [idOf(person)]);
      login = logInWith(person);
      await untilWaitedFor();
    });
    expect((await login)?.as(Code).code).toBe('invalid_credentials');
  });

  test.each([
    ['the password has changed', `update users set password_hash = '$argon2id$none' where id = $1`],
    ['a second factor was set up', 'update users set email_otp_enabled = true where id = $1'],
    ['the customer was made an administrator', `update users set role = 'admin' where id = $1`],
    ['the customer was blocked', `update users set status = 'blocked' where id = $1`],
  ])('by the password alone starts no session once %s', async (_what, change) => {
    const person = await customer();
    let login: Promise<Answered> | undefined;
    await transaction(async (tx, untilWaitedFor) => {
      await tx.query(change, [idOf(person)]);
      login = logInWith(person);
      await untilWaitedFor();
    });
    expect((await login)?.as(Code).code).toBe('invalid_credentials');
  });

  test('that takes its code and a new password do not stop each other: the login waits, and its code is worth nothing', async () => {
    const person = await customer();
    await emailCodes(person);
    const { challenge_id } = (await logInWith(person)).as(Asked);
    const code = await person.mail.nextCode();
    let login: Promise<Answered> | undefined;
    await transaction(async (tx, untilWaitedFor) => {
      await tx.query(`set local lock_timeout = '500ms'`);
      await tx.query('select 1 from users where id = $1 for no key update', [idOf(person)]);
      login = person.client.call('POST', '/v1/auth/login/mfa', { body: { challenge_id, code } });
      await untilWaitedFor();
      // as endChallenges does, with the user's row held: whoever holds the challenge must not wait for the user
      await tx.query('update challenges set consumed_at = now() where subject_id = $1', [idOf(person)]);
    });
    expect((await login)?.as(Code).code).toBe('invalid_code');
  });

  test('two codes for a new password, used at the same moment: one counts, neither stops the other', async () => {
    const who = await registered();
    const resets: { reset_id: string; code: string }[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { reset_id } = (await forget(who.email)).as(z.looseObject({ reset_id: z.uuid() }));
      resets.push({ reset_id, code: await who.mail.nextCode(8) });
    }
    const answers = await Promise.all(
      resets.map((reset) =>
        apiClient().call('POST', '/v1/auth/password/reset', {
          body: { ...reset, new_password: NEW_PASSWORD },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('a code that was sent', () => {
  test('by email does not step up once an authenticator is on', async () => {
    const person = await customer();
    const asked = await person.call('POST', '/v1/auth/step-up', { body: { operation: 'changePassword' } });
    const { challenge_id } = asked.as(Asked);
    const code = await person.mail.nextCode();
    await withTotp(person);
    const answer = await person.call('POST', '/v1/auth/step-up/verify', { body: { challenge_id, code } });
    expect(answer.as(Code).code).toBe('invalid_code');
  });

  test('by email does not finish a login once email is switched off', async () => {
    const person = await customer();
    await withTotp(person);
    await emailCodes(person);
    await steadyStep();
    const body = { identifier: person.email, password: person.password, method: 'email_otp' };
    const { challenge_id } = (await person.client.call('POST', '/v1/auth/login', { body })).as(Asked);
    const code = await person.mail.nextCode();
    const off = { body: { email_otp_enabled: false } };
    expect((await person.call('PATCH', '/v1/users/me/mfa', off)).status).toBe(200);
    const answer = await person.client.call('POST', '/v1/auth/login/mfa', { body: { challenge_id, code } });
    expect(answer.as(Code).code).toBe('invalid_code');
  });
});

test('who has stolen a password cannot use up the codes that its owner’s session needs', async () => {
  const owner = await customer();
  await emailCodes(owner);
  const answers = await Promise.all(Array.from({ length: 21 }, () => logInWith(owner, apiClient())));
  expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
  const asked = await owner.call('POST', '/v1/auth/step-up', { body: { operation: 'changePassword' } });
  expect(asked.status).toBe(200);
});
