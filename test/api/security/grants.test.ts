/** Rights: nobody grants what they do not hold, nor changes their own, nor is anybody left to grant nothing; a block holds at once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { exampleOf } from '../../../api/wire/naming.ts';
import { operations } from '../../../api/operations.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openBranch, type Branch } from '../../support/stack/branch.ts';
import { apiClient, newKey, type Answered } from '../../support/client.ts';
import { bodyExample, callerOf, callMadeUp } from '../../support/declared/operations.ts';
import {
  admin as realAdmin,
  Asked,
  customer as realCustomer,
  logIn,
  type Person as RealPerson,
} from '../../support/bank/people.ts';
import { stack } from '../../support/stack/stack.ts';
import { claimsOf } from '../../support/stack/vault.ts';
import { until } from '../../support/stack/processes.ts';

const Held = z.looseObject({ items: z.array(z.looseObject({ action: z.string() })) });
const REASON = 'A test of defences';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const path = (person: { readonly id: string }, more = ''): string => `/v1/admin/users/${person.id}${more}`;
const grant = (by: Person, to: { readonly id: string }, ...actions: string[]): Promise<Answered> =>
  by.client.call('POST', path(to, '/permissions'), { token: by.token, key: newKey(), body: { actions } });
const revoke = (by: Person, from: { readonly id: string }, ...actions: string[]): Promise<Answered> =>
  by.client.call('DELETE', path(from, '/permissions'), { token: by.token, body: { actions } });
const promote = (by: Person, whom: { readonly id: string }, ...actions: string[]): Promise<Answered> =>
  by.client.call('POST', path(whom, '/promote'), { token: by.token, key: newKey(), body: { actions } });
const set = (by: Person, whom: { readonly id: string }, status: string): Promise<Answered> =>
  by.client.call('PATCH', path(whom, '/status'), { token: by.token, body: { status, reason: REASON } });
const heldBy = async (person: { readonly id: string }): Promise<string[]> =>
  (
    await bank.asOwner('select action from user_permissions where user_id = $1 order by action', [person.id])
  ).map(({ action }) => String(action));
const usersSeenBy = async (person: Person): Promise<number> =>
  (await person.client.call('GET', '/v1/admin/users?limit=1', { token: person.token })).status;

describe('granting', () => {
  test('gives what the giver holds, is in effect at the next call and stands in the log', async () => {
    const [giver, colleague] = [
      await bank.admin('permissions:write', 'users:read'),
      await bank.admin('tickets:read'),
    ];
    expect(await usersSeenBy(colleague)).toBe(403);
    const answer = await grant(giver, colleague, 'users:read');
    expect(answer.as(Held).items.map(({ action }) => action)).toEqual(['tickets:read', 'users:read']);
    expect(answer.body).toMatchObject({ items: [{ granted_by: null }, { granted_by: giver.id }] });
    expect(await usersSeenBy(colleague)).toBe(200);
    const [row] = await bank.asOwner(
      `select * from audit_log where subject_id = $1 and action = 'permissions.granted'`,
      [colleague.id],
    );
    expect(row).toMatchObject({
      ...{ actor_id: giver.id, before: { actions: ['tickets:read'] } },
      after: { actions: ['tickets:read', 'users:read'] },
    });
    await revoke(giver, colleague, 'users:read', 'cards:read');
    expect(await usersSeenBy(colleague)).toBe(403);
  });

  test('taking away and promoting stand in the log too, with who, before and after', async () => {
    const [chief, colleague, person] = [
      await bank.admin('permissions:write', 'users:read'),
      await bank.admin('tickets:read', 'users:read'),
      await bank.customer(),
    ];
    expect((await revoke(chief, colleague, 'users:read')).status).toBe(200);
    expect((await promote(chief, person, 'users:read')).status).toBe(200);
    const rows = await bank.asOwner(
      `select action, subject_id, before, after, address, request_id is not null as requested from audit_log
        where actor_id = $1 order by id`,
      [chief.id],
    );
    expect(rows).toEqual([
      {
        ...{ action: 'permissions.revoked', subject_id: colleague.id, requested: true },
        address: chief.client.address,
        before: { actions: ['tickets:read', 'users:read'] },
        after: { actions: ['tickets:read'] },
      },
      {
        ...{ action: 'user.promoted', subject_id: person.id, requested: true },
        address: chief.client.address,
        before: { role: 'customer', actions: [] },
        after: { role: 'admin', actions: ['users:read'], ended_sessions: 1 },
      },
    ]);
  });

  test('what one does not hold is refused whole, and names what is missing', async () => {
    const [giver, colleague] = [await bank.admin('permissions:write', 'users:read'), await bank.admin()];
    for (const tried of [
      await grant(giver, colleague, 'users:read', 'transfers:review'),
      await promote(giver, await bank.customer(), 'users:read', 'transfers:review'),
    ])
      expect(tried.body).toMatchObject({
        ...{ status: 403, code: 'permission_not_held', permission: 'transfers:review' },
      });
    expect(await heldBy(colleague)).toEqual([]);
  });

  test('one’s own rights are changed by nobody who has them', async () => {
    const person = await bank.admin('permissions:write', 'users:read');
    for (const tried of [
      await grant(person, person, 'users:read'),
      await revoke(person, person, 'users:read'),
      await promote(person, person, 'users:read'),
    ])
      expect(tried.body).toMatchObject({ status: 403, code: 'same_person' });
    expect(await heldBy(person)).toEqual(['permissions:write', 'users:read']);
  });

  test('an action that no operation asks for does not exist, nor do rights of a customer', async () => {
    const giver = await bank.admin('permissions:write', 'users:read');
    const unknown = await grant(giver, await bank.admin(), 'users:read', 'users:own');
    expect(unknown.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/actions/1', code: 'unknown_action' }],
    });
    const customer = await grant(giver, await bank.customer(), 'users:read');
    expect(customer.body).toMatchObject({ status: 409, code: 'not_an_admin' });
  });

  test('with an invitation takes permissions:write too: who may invite cannot make somebody mightier', async () => {
    const clerk = await bank.admin('users:write', 'users:read');
    const body = {
      email: `x-${randomUUID()}@bank.test`,
      first_name: 'X',
      last_name: 'Y',
      permissions: ['users:read'],
    };
    const made = await clerk.client.call('POST', '/v1/admin/users', {
      token: clerk.token,
      key: newKey(),
      body,
    });
    expect(made.body).toMatchObject({
      status: 403,
      code: 'permission_not_held',
      permission: 'permissions:write',
    });
    expect(await bank.asOwner('select id from users where email = $1', [body.email])).toEqual([]);
  });

  test('two who strip each other at the same moment: one is left with all they had', async () => {
    const [one, other] = [await bank.admin('permissions:write'), await bank.admin('permissions:write')];
    const answers = await Promise.all([
      revoke(one, other, 'permissions:write'),
      revoke(other, one, 'permissions:write'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const left = [...(await heldBy(one)), ...(await heldBy(other))];
    expect(left).toEqual(['permissions:write']);
  });

  test('what was granted and taken away at the same moment is never granted by who no longer holds it', async () => {
    const [chief, giver, colleague] = [
      await bank.admin('permissions:write'),
      await bank.admin('permissions:write', 'users:read'),
      await bank.admin(),
    ];
    const [granted, revoked] = await Promise.all([
      grant(giver, colleague, 'users:read'),
      revoke(chief, giver, 'users:read'),
    ]);
    expect(revoked.status).toBe(200);
    const [row] = await bank.asOwner(
      `select bool_or(g.id > r.id) as late from audit_log g, audit_log r
        where g.action = 'permissions.granted' and g.subject_id = $1 and r.action = 'permissions.revoked' and r.subject_id = $2`,
      [colleague.id, giver.id],
    );
    expect([granted.status, row?.['late'] ?? null]).toEqual(
      granted.status === 200 ? [200, false] : [403, null],
    );
  });
});

describe('promoting', () => {
  test('ends all sessions, and the next one may do nothing before a second factor', async () => {
    const chief = await bank.admin('permissions:write', 'users:read');
    const person = await realCustomer();
    const id = String(claimsOf(person.token)['sub']);
    expect((await promote(chief, { id }, 'users:read')).body).toMatchObject({
      role: 'admin',
      active_sessions: 0,
    });
    expect((await person.call('GET', '/v1/users/me')).status).toBe(401);
    const refreshed = await person.client.call('POST', '/v1/auth/refresh', {
      body: { refresh_token: person.refreshToken },
    });
    expect(refreshed.status).toBe(401);
    const again = await logIn(person);
    expect((await again.call('GET', '/v1/admin/users')).body).toMatchObject({
      code: 'second_factor_required',
    });
    expect((await promote(chief, { id })).body).toMatchObject({ code: 'already_an_admin' });
    const mails = [await person.mail.next(), await person.mail.next()].map(({ subject }) => subject);
    expect(mails).toContain('You are now an administrator');
  });
});

describe('blocking', () => {
  test('holds at once, at every replica of the API, and for what waits for a code', async () => {
    const branch: Branch = await openBranch({ database: 'shared' });
    try {
      await branch.startApi();
      const clerk = await bank.admin('users:write');
      const elsewhere = apiClient(branch.api);
      /** Somebody who is blocked, and how many milliseconds they could go on at the other replica. */
      async function blocked(): Promise<{ person: RealPerson; id: string; wentOn: number }> {
        const person = await realCustomer();
        const id = String(claimsOf(person.token)['sub']);
        const there = () => elsewhere.call('GET', '/v1/users/me', { token: person.token });
        expect((await there()).status).toBe(200);
        expect((await set(clerk, { id }, 'blocked')).body).toMatchObject({
          status: 'blocked',
          active_sessions: 0,
        });
        const begun = performance.now();
        expect((await person.call('GET', '/v1/users/me')).status).toBe(401);
        await until(async () => (await there()).status === 401);
        return { person, id, wentOn: performance.now() - begun };
      }
      let { person, id, wentOn } = await blocked();
      // the notice travels for milliseconds; what is kept without it lives for two seconds. A busy machine may delay one, and not all
      for (let more = 0; more < 5 && wentOn > 1_000; more++) ({ person, id, wentOn } = await blocked());
      expect(wentOn).toBeLessThan(1_000);
      const body = { identifier: person.email, password: person.password };
      expect((await person.client.call('POST', '/v1/auth/login', { body })).body).toMatchObject({
        code: 'invalid_credentials',
      });
      expect((await set(clerk, { id }, 'active')).body).toMatchObject({ status: 'active' });
      expect((await person.call('GET', '/v1/users/me')).status).toBe(401);
      expect((await (await logIn(person)).call('GET', '/v1/users/me')).status).toBe(200);
    } finally {
      await branch.close();
    }
  });

  test('leaves no session of a login that was under way', async () => {
    const clerk = await bank.admin('users:write');
    const person = await realCustomer();
    const id = String(claimsOf(person.token)['sub']);
    const body = { identifier: person.email, password: person.password };
    const logins = Array.from({ length: 6 }, () => person.client.call('POST', '/v1/auth/login', { body }));
    await set(clerk, { id }, 'blocked');
    await Promise.all(logins);
    const live = await bank.asOwner('select id from sessions where user_id = $1 and ended_at is null', [id]);
    expect(live).toEqual([]);
  });

  test('leaves no session of a login that was taking its code, also once unblocked', async () => {
    const clerk = await bank.admin('users:write');
    for (let round = 0; round < 3; round += 1) {
      const person = await realCustomer();
      const id = String(claimsOf(person.token)['sub']);
      await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
      const body = { identifier: person.email, password: person.password };
      const { challenge_id } = (await person.client.call('POST', '/v1/auth/login', { body })).as(Asked);
      const proof = { challenge_id, code: await person.mail.nextCode() };
      await Promise.all([
        person.client.call('POST', '/v1/auth/login/mfa', { body: proof }),
        set(clerk, { id }, 'blocked'),
      ]);
      await set(clerk, { id }, 'active');
      const live = await bank.asOwner('select id from sessions where user_id = $1 and ended_at is null', [
        id,
      ]);
      expect(live).toEqual([]);
    }
  });

  test('ends a login that waits for its code: it is worth nothing once unblocked', async () => {
    const clerk = await bank.admin('users:write');
    const person = await realCustomer();
    const id = String(claimsOf(person.token)['sub']);
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const body = { identifier: person.email, password: person.password };
    const { challenge_id } = (await person.client.call('POST', '/v1/auth/login', { body })).as(Asked);
    const proof = { challenge_id, code: await person.mail.nextCode() };
    for (const status of ['blocked', 'active']) expect((await set(clerk, { id }, status)).status).toBe(200);
    const answer = await person.client.call('POST', '/v1/auth/login/mfa', { body: proof });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_code' });
  });

  test('of an administrator takes permissions:write; nobody blocks themselves', async () => {
    const [clerk, chief] = [
      await bank.admin('users:write'),
      await bank.admin('users:write', 'permissions:write'),
    ];
    const colleague = await bank.admin('tickets:read');
    expect((await set(clerk, colleague, 'blocked')).body).toMatchObject({
      ...{ status: 403, code: 'permission_not_held', permission: 'permissions:write' },
    });
    for (const person of [clerk, chief])
      expect((await set(person, person, 'blocked')).body).toMatchObject({ status: 403, code: 'same_person' });
    expect((await set(chief, colleague, 'blocked')).status).toBe(200);
    expect((await colleague.client.call('GET', '/v1/users/me', { token: colleague.token })).status).toBe(401);
  });

  test('two who block each other at the same moment: one is still in', async () => {
    const both = [
      await bank.admin('users:write', 'permissions:write'),
      await bank.admin('users:write', 'permissions:write'),
    ];
    const [one, other] = both;
    if (one === undefined || other === undefined) throw new Error('two admins');
    const answers = await Promise.all([set(one, other, 'blocked'), set(other, one, 'blocked')]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const active = await bank.asOwner(`select id from users where id = any ($1) and status = 'active'`, [
      [one.id, other.id],
    ]);
    expect(active).toHaveLength(1);
  });
});

describe('the application’s own role in the database', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client(stack.databaseUrl);
    await client.connect();
  });
  afterAll(() => client.end());

  test('can neither grant, promote nor block but through the functions, and they ask for who acts', async () => {
    const [mighty, person] = [await bank.admin('permissions:write', 'users:read'), await bank.customer()];
    const denied = { code: '42501' };
    for (const statement of [
      `insert into user_permissions (user_id, action) values ('${mighty.id}', 'transfers:review')`,
      `delete from user_permissions where user_id = '${mighty.id}'`,
      `update user_permissions set action = 'transfers:review' where user_id = '${mighty.id}'`,
      `update users set role = 'admin' where id = '${person.id}'`,
      `update users set status = 'blocked' where id = '${person.id}'`,
      `update users set kyc_level = 2 where id = '${person.id}'`,
      `update admin_invitations set accepted_at = null`,
      `select lock_permissions()`,
    ])
      await expect(client.query(statement)).rejects.toMatchObject(denied);
    const said = async (call: string): Promise<unknown> =>
      (await client.query<{ refusal: string }>(`select refusal from ${call}`)).rows[0]?.refusal;
    expect(await said(`permissions_grant('${person.id}', '${mighty.id}', '{users:read}')`)).toBe(
      'permission_not_held',
    );
    expect(await said(`permissions_grant('${mighty.id}', '${mighty.id}', '{users:read}')`)).toBe(
      'same_person',
    );
    expect(await said(`user_promote('${person.id}', '${person.id}', '{}')`)).toBe('same_person');
    expect(await said(`user_set_status('${person.id}', '${mighty.id}', 'blocked')`)).toBe(
      'permission_not_held',
    );
  });
});

describe('somebody is always left who can grant', () => {
  let branch: Branch;
  beforeAll(async () => {
    branch = await openBranch();
  });
  afterAll(() => branch.close());

  test('whatever writes: two transactions at once cannot take the last two, nor block the last one', async () => {
    const own = branch.bank;
    const [one, other] = [await own.admin('permissions:write'), await own.admin('permissions:write')];
    const take = (person: Person) =>
      own.asOwner(`delete from user_permissions where user_id = $1 and action = 'permissions:write'`, [
        person.id,
      ]);
    const ended = await Promise.allSettled([take(one), take(other)]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [left] = await own.asOwner(
      `select user_id from user_permissions where action = 'permissions:write'`,
    );
    for (const statement of [
      `update users set status = 'blocked' where id = $1`,
      `delete from user_permissions where user_id = $1`,
    ])
      await expect(own.asOwner(statement, [left?.['user_id']])).rejects.toMatchObject({
        constraint: 'permissions_have_a_holder',
      });
  });
});

describe('a body cannot carry what it does not declare', () => {
  const withBody = operations.filter(
    ({ body, access, id }) => body !== undefined && access.auth !== 'signature' && id !== 'decodePayloads',
  );

  test.each(withBody.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const caller = await callerOf(operation, bank);
    const declared = Object.keys(bodyExample(operation));
    const smuggled = {
      role: 'admin',
      status: 'active',
      permissions: ['permissions:write'],
      kyc_level: 2,
      user_id: randomUUID(),
    };
    for (const [name, value] of Object.entries(smuggled)) {
      if (declared.includes(name) || takes(operation.body, name)) continue;
      const answer = await callMadeUp(operation, caller, {
        body: { ...bodyExample(operation), [name]: value },
      });
      expect({ name, status: answer.status, body: answer.body }).toMatchObject({
        ...{
          name,
          status: 400,
          body: { errors: expect.arrayContaining([expect.objectContaining({ pointer: `/${name}` })]) },
        },
      });
    }
  });

  /** An optional field that the example leaves out. */
  function takes(schema: z.ZodType | undefined, name: string): boolean {
    return schema instanceof z.ZodObject && name in schema.shape && exampleOf(schema) !== undefined;
  }
});

test('an admin by command may do what was given by command, and nothing else', async () => {
  const person = await realAdmin(['users:read']);
  expect((await person.call('GET', '/v1/admin/users?limit=1')).status).toBe(200);
  expect((await person.call('GET', '/v1/admin/audit-log')).body).toMatchObject({ permission: 'audit:read' });
});
