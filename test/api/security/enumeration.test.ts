/** Nobody learns who is a customer: not from registration, not from login, by body, status or headers; by time: timing.alone.test.ts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiClient, type Answered } from '../../support/client.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';
import {
  customer,
  newPhone,
  registered,
  Registered,
  registration,
  stranger,
  type Stranger,
} from '../../support/bank/people.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

/** An answer without what differs between any two answers. */
function shapeOf({ status, body, headers }: Answered): unknown {
  const { request_id: _id, ...rest } = z.looseObject({}).parse(body);
  const names = [...headers.keys()].filter((name) => name !== 'date').sort();
  return { status, rest, names, length: headers.get('content-length') };
}

/** From an address nobody has called from, so that no throttle tells anything. */
const logIn = (identifier: string, password: string): Promise<Answered> =>
  apiClient().call('POST', '/v1/auth/login', { body: { identifier, password } });

test('a wrong password, an unknown address, an unknown number, nonsense and a blocked user answer alike', async () => {
  const [known, blocked] = await Promise.all([registered(), registered()]);
  await vault.sql(`update users set status = 'blocked' where email = $1`, [blocked.email]);
  const answers = await Promise.all([
    logIn(known.email, 'a wrong password'),
    logIn(known.email.toUpperCase(), 'a wrong password'),
    logIn(stranger().email, 'a wrong password'),
    logIn(newPhone().number, 'a wrong password'),
    logIn('not an identifier', 'a wrong password'),
    logIn("' or 1=1 --@x.example", 'a wrong password'),
    logIn(blocked.email, blocked.password),
    logIn(blocked.email, 'a wrong password'),
  ]);
  const [first, ...others] = answers.map(shapeOf);
  expect(first).toMatchObject({ status: 401, rest: { code: 'invalid_credentials' } });
  for (const other of others) expect(other).toEqual(first);
});

test('registering a taken address answers as a fresh one, and writes to its owner', async () => {
  const owner = await registered();
  const attacker: Stranger = { ...stranger(), email: owner.email };
  const fresh = stranger();
  const register = (who: Stranger) =>
    who.client.call('POST', '/v1/auth/register', { body: registration(who) });
  const [taken, free] = await Promise.all([register(attacker), register(fresh)]);
  expect([taken.status, free.status]).toEqual([201, 201]);
  const keys = (answer: Answered): string[] => Object.keys(answer.as(Registered)).sort();
  expect(keys(taken)).toEqual(keys(free));
  expect((await owner.mail.next()).subject).toMatch(/already have a login/i);
  expect((await fresh.mail.next()).subject).toMatch(/confirm your email/i);

  // the owner's login is as it was, and the attacker's password opens nothing
  const { verification_id } = taken.as(Registered);
  const guess = { verification_id, code: '000000' };
  const wrong = await attacker.client.call('POST', '/v1/auth/email/verify', { body: guess });
  expect(wrong.status).toBe(400);
  expect((await logIn(owner.email, owner.password)).status).toBe(200);
});

test('a taken address with a phone number sends the text message too', async () => {
  const owner = await registered();
  const phone = newPhone();
  const body = registration(owner, { phone: phone.number });
  const answer = await apiClient().call('POST', '/v1/auth/register', { body });
  expect(answer.as(Registered).phone_verification_id).not.toBeNull();
  expect(await phone.mail.nextCode()).toMatch(/^\d{6}$/);
});

test('an address that was registered but never proven answers like an unknown one, and stays free', async () => {
  const squatter = stranger();
  const register = (who: Stranger, password: string) =>
    who.client.call('POST', '/v1/auth/register', { body: registration({ ...who, password }) });
  await register(squatter, 'mine because I was first');
  await squatter.mail.nextCode();
  const unknown = shapeOf(await logIn(stranger().email, 'mine because I was first'));
  expect(shapeOf(await logIn(squatter.email, 'mine because I was first'))).toEqual(unknown);

  const owner: Stranger = { ...stranger(), email: squatter.email, mail: squatter.mail };
  const { verification_id } = (await register(owner, owner.password)).as(Registered);
  const body = { verification_id, code: await owner.mail.nextCode() };
  expect((await owner.client.call('POST', '/v1/auth/email/verify', { body })).status).toBe(200);
  expect((await logIn(owner.email, owner.password)).status).toBe(200);
  expect((await logIn(owner.email, 'mine because I was first')).status).toBe(401);
});

test('guesses at one login are limited, and its owner still gets in from where they are known', async () => {
  const owner = await registered();
  const first = await owner.client.call('POST', '/v1/auth/login', {
    body: { identifier: owner.email, password: owner.password },
  });
  expect(first.status).toBe(200);
  const attacker = apiClient();
  const tries = await Promise.all(
    Array.from({ length: 25 }, () =>
      attacker.call('POST', '/v1/auth/login', { body: { identifier: owner.email, password: 'a guess 123' } }),
    ),
  );
  const refused = tries.filter(({ status }) => status === 429);
  expect(refused.length).toBe(5);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  // the right password does not get through there either: a limit that tells is no limit
  const right = { identifier: owner.email, password: owner.password };
  expect((await attacker.call('POST', '/v1/auth/login', { body: right })).status).toBe(429);
  expect((await owner.client.call('POST', '/v1/auth/login', { body: right })).status).toBe(200);
});

test('many guesses from many networks do not lock the owner out; where the owner has ended the only session is not where they are known', async () => {
  const owner = await customer();
  const right = { identifier: owner.email, password: owner.password };
  const thief = apiClient();
  const known = await thief.call('POST', '/v1/auth/login', { body: right });
  expect(known.status).toBe(200);
  expect((await owner.call('DELETE', '/v1/users/me/sessions')).body).toEqual({ message: 'Ended: 1.' });
  const wrong = { identifier: owner.email, password: 'a guess 123' };
  const tries: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => apiClient().call('POST', '/v1/auth/login', { body: wrong })),
    );
    tries.push(...answers.map(({ status }) => status));
  }
  expect(tries.filter((status) => status === 401).length).toBe(100 - 2);
  expect(tries.filter((status) => status === 429).length).toBe(7);
  expect((await thief.call('POST', '/v1/auth/login', { body: right })).status).toBe(429);
  expect((await owner.client.call('POST', '/v1/auth/login', { body: right })).status).toBe(200);
  // a new address of the same network, as computers take every day; and anywhere, on a device of the owner’s
  const nextDoor = apiClient(undefined, owner.client.address.replace(/::1$/, '::77'));
  expect((await nextDoor.call('POST', '/v1/auth/login', { body: right })).status).toBe(200);
  const onDevice = { ...right, device_token: owner.deviceToken };
  expect((await apiClient().call('POST', '/v1/auth/login', { body: onDevice })).status).toBe(200);
  const onNone = { ...right, device_token: 'x'.repeat(43) };
  expect((await apiClient().call('POST', '/v1/auth/login', { body: onNone })).status).toBe(429);
  const guesses = await Promise.all(
    Array.from({ length: 25 }, () =>
      apiClient().call('POST', '/v1/auth/login', { body: { ...wrong, device_token: owner.deviceToken } }),
    ),
  );
  expect(guesses.filter(({ status }) => status === 401).length).toBe(20 - 1);
});

test('one identifier registered and proven from many places at once becomes one login', async () => {
  const address = stranger().email;
  const mail = mailboxOf(address);
  const rivals = Array.from({ length: 4 }, (_, index) => ({
    ...stranger(),
    email: index % 2 === 0 ? address : address.toUpperCase(),
    password: `rival password ${String(index)} xyz`,
  }));
  const opened = await Promise.all(
    rivals.map(async (rival) => {
      const body = registration(rival);
      return (await rival.client.call('POST', '/v1/auth/register', { body })).as(Registered).verification_id;
    }),
  );
  const codes = [await mail.nextCode(), await mail.nextCode(), await mail.nextCode(), await mail.nextCode()];
  // which mail belongs to which request is not to be seen from outside, so the codes are planted
  await Promise.all(
    opened.map((id, index) =>
      vault.sql('update challenges set code_mac = $2 where id = $1', [
        id,
        vault.cipher.mac('one-time-code', id, codes[index] ?? ''),
      ]),
    ),
  );
  const answers = await Promise.all(
    opened.map((verification_id, index) =>
      apiClient().call('POST', '/v1/auth/email/verify', { body: { verification_id, code: codes[index] } }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  expect(await vault.sql('select count(*)::int as n from users where email = $1', [address])).toEqual([
    { n: 1 },
  ]);
  const winner = rivals[answers.findIndex(({ status }) => status === 200)];
  expect((await logIn(address, winner?.password ?? '')).status).toBe(200);
});
