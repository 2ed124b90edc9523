/** Where somebody is logged in: they see it, they end it, and a login from a device that is new is told. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { deviceName } from '../../../services/identity/sessions/devices.ts';
import { newAddress, apiClient, type Answered } from '../../support/client.ts';
import { Asked, customer, logIn, personOf, stepUp, Tokens, type Person } from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const Sessions = z.object({
  items: z.array(
    z.looseObject({
      id: z.uuid(),
      device_label: z.string().nullable(),
      address: z.string(),
      current: z.boolean(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
const SESSIONS = '/v1/users/me/sessions';
const sessionsOf = async (person: Person, query: Record<string, string> = {}) =>
  (await person.call('GET', SESSIONS, { query })).as(Sessions);
const idOf = ({ token }: Person): string => String(claimsOf(token)['sid']);
const mayEnter = async (person: Person): Promise<boolean> =>
  (await person.call('GET', '/v1/users/me')).status === 200;
const logInFrom = (person: Person, more: object, address = newAddress()): Promise<Answered> =>
  apiClient(undefined, address).call('POST', '/v1/auth/login', {
    body: { identifier: person.email, password: person.password, ...more },
  });
const logOut = (person: Person): Promise<Answered> =>
  person.call('POST', '/v1/auth/logout', { body: { refresh_token: person.refreshToken } });
const sent = async (person: Person): Promise<string[]> => {
  const found = await vault.sql(
    `select type_code from notifications n join users u on u.id = n.user_id where u.email = $1 order by n.id`,
    [person.email],
  );
  return found.map(({ type_code }) => String(type_code));
};

describe('the list of one’s own sessions', () => {
  test('names device and address, marks the present one, newest first, and nobody else’s', async () => {
    const [person, other] = [await customer(), await customer()];
    const phone = await logInFrom(person, { device_label: 'Ines’ phone' }, 'fd00:1:2:3::9');
    const { items, next_cursor } = await sessionsOf(person);
    expect(items).toMatchObject([
      { device_label: 'Ines’ phone', address: 'fd00:1:2:3::9', current: false },
      { id: idOf(person), device_label: null, address: person.client.address, current: true },
    ]);
    expect(next_cursor).toBeNull();
    expect(phone.status).toBe(200);
    expect((await sessionsOf(other)).items).toHaveLength(1);
  });

  test('is read on by its cursor', async () => {
    let person = await customer();
    for (let turn = 0; turn < 4; turn += 1) person = await logIn(person);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: z.output<typeof Sessions> = await sessionsOf(person, {
        limit: '2',
        ...(cursor === '' ? {} : { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  test('leaves out what has ended, and what lay idle too long', async () => {
    const person = await customer();
    const [idle, out] = [await logIn(person), await logIn(person)];
    await vault.sql('update refresh_tokens set expires_at = now() where session_id = $1', [idOf(idle)]);
    await out.call('POST', '/v1/auth/logout', { body: { refresh_token: out.refreshToken } });
    expect((await sessionsOf(person)).items.map(({ id }) => id)).toEqual([idOf(person)]);
  });
});

describe('ending sessions', () => {
  test('one of one’s own stops at once; a second time it is not found', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    const end = () => person.call('DELETE', `${SESSIONS}/${idOf(elsewhere)}`);
    expect((await end()).status).toBe(204);
    expect([await mayEnter(elsewhere), await mayEnter(person)]).toEqual([false, true]);
    expect((await end()).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('somebody else’s is not found and goes on', async () => {
    const [person, other] = [await customer(), await customer()];
    const answer = await person.call('DELETE', `${SESSIONS}/${idOf(other)}`);
    expect(answer.status).toBe(404);
    expect(await mayEnter(other)).toBe(true);
  });

  test('all others end together, the present one goes on', async () => {
    const person = await customer();
    const others = [await logIn(person), await logIn(person)];
    expect((await person.call('DELETE', SESSIONS)).body).toEqual({ message: 'Ended: 2.' });
    for (const other of others) expect(await mayEnter(other)).toBe(false);
    expect(await mayEnter(person)).toBe(true);
  });
});

describe('a login from a device', () => {
  test('that was never seen for this user is told by mail, with device, address and time', async () => {
    const person = await customer();
    await logInFrom(person, { device_label: 'A stranger’s box' }, 'fd00:a:b:c::1');
    const { subject, text } = await person.mail.next();
    expect(subject).toBe('New login to your account');
    expect(text).toContain('A stranger’s box');
    expect(text).toContain('fd00:a:b:c::1');
    expect(text).toMatch(/On [A-Z][a-z]{2} \d\d?, \d{4}, \d\d?:\d\d\s[AP]M [A-Z]/);
  });

  test('that is known by its token is not, from wherever it calls; nor is the very first', async () => {
    const person = await customer();
    expect(person.deviceToken).toMatch(/^[\w-]{43}$/);
    const again = await logInFrom(person, { device_token: person.deviceToken });
    expect(again.as(Tokens).device_token).toBeUndefined();
    expect(await sent(person)).not.toContain('new_device');
  });

  test('of another user, or with an invented token, is a new one', async () => {
    const [person, other] = [await customer(), await customer()];
    for (const device_token of [other.deviceToken, 'x'.repeat(43)]) {
      const answer = await logInFrom(person, { device_token });
      expect(answer.as(Tokens).device_token).toMatch(/^[\w-]{43}$/);
    }
    expect((await sent(person)).filter((template) => template === 'new_device')).toHaveLength(2);
  });

  test('whose session the user has ended is new again', async () => {
    const person = await customer();
    const thief = personOf(person, await logInFrom(person, {}));
    await person.call('DELETE', `${SESSIONS}/${idOf(thief)}`);
    const back = await logInFrom(person, { device_token: thief.deviceToken });
    expect(back.as(Tokens).device_token).not.toBeUndefined();
    expect((await sent(person)).filter((template) => template === 'new_device')).toHaveLength(2);
  });

  test('that had logged out before, and came back, is new once that session was ended', async () => {
    const person = await customer();
    const early = personOf(person, await logInFrom(person, {}));
    await logOut(early);
    const thief = personOf(early, await logInFrom(person, { device_token: early.deviceToken }));
    expect(thief.deviceToken).toBe(early.deviceToken);
    await person.call('DELETE', `${SESSIONS}/${idOf(thief)}`);
    const back = await logInFrom(person, { device_token: thief.deviceToken });
    expect(back.as(Tokens).device_token).not.toBeUndefined();
    expect((await sent(person)).filter((template) => template === 'new_device')).toHaveLength(2);
    // it is another device from here on, and known as that
    const known = await logInFrom(person, { device_token: back.as(Tokens).device_token });
    expect(known.as(Tokens).device_token).toBeUndefined();
  });

  test('is new after the password was changed elsewhere, and known where it was changed', async () => {
    const person = await customer();
    const early = personOf(person, await logInFrom(person, {}));
    await logOut(early);
    await logInFrom(person, { device_token: early.deviceToken });
    // an earlier session of the device that changes it ends, too
    const here = await logIn(person);
    const body = { current_password: person.password, new_password: 'nine loud herons' };
    const changed = await here.call('POST', '/v1/users/me/password', {
      body,
      stepUp: await stepUp(here, 'changePassword'),
    });
    expect(changed.status).toBe(200);
    const owner = { ...person, password: body.new_password };
    const there = await logInFrom(owner, { device_token: early.deviceToken });
    expect(there.as(Tokens).device_token).not.toBeUndefined();
    await logOut(here);
    const again = await logInFrom(owner, { device_token: person.deviceToken });
    expect(again.as(Tokens).device_token).toBeUndefined();
    expect((await sent(person)).filter((template) => template === 'new_device')).toHaveLength(2);
  });

  test('is known after a session of it has lain idle or reached its time', async () => {
    const person = await customer();
    await vault.sql(
      `update sessions set created_at = now() - interval '91 days', expires_at = now() - interval '1 day' where id = $1`,
      [idOf(person)],
    );
    const again = await logInFrom(person, { device_token: person.deviceToken });
    expect(again.as(Tokens).device_token).toBeUndefined();
  });

  test('is remembered across the second factor', async () => {
    const person = await customer();
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const { challenge_id } = (await logInFrom(person, { device_token: person.deviceToken })).as(Asked);
    const body = { challenge_id, code: await person.mail.nextCode() };
    const answer = await person.client.call('POST', '/v1/auth/login/mfa', { body });
    expect(answer.as(Tokens).device_token).toBeUndefined();
    expect(await sent(person)).not.toContain('new_device');
  });

  test('has its token nowhere readable', async () => {
    const person = await customer();
    const hex = Buffer.from(person.deviceToken ?? '').toString('hex');
    const text = JSON.stringify(await vault.sql('select s::text from sessions s'));
    expect(text.includes(person.deviceToken ?? '') || text.includes(hex)).toBe(false);
  });
});

describe('what the mail calls a device', () => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  test.each([
    ['Ann’s phone', agent, '“Ann’s phone”'],
    [null, agent, 'Firefox on Linux'],
    [
      null,
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26 Mobile Safari/604.1',
      'Safari on iOS',
    ],
    [null, 'node', '?'],
    ['https://evil.example/login', agent, '“https evil example login”'],
    ['call +49 30 123456 @ once', agent, '“call 49 30 123456 once”'],
    ['...', agent, 'Firefox on Linux'],
  ])('%j with %j is %s', (label, userAgent, name) => {
    expect(deviceName(label, userAgent)).toBe(name);
  });
});
