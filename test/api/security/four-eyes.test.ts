/** What loosens a control waits for a second administrator, who is neither the maker, nor made by the maker, nor gains by it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { openBank, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { ChangeAnswer, decideOn } from '../../support/bank/second-person.ts';
import { newKey, patiently, type Answered, type CallOptions, type Method } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const Money = (amount: string) => ({ amount, currency: 'EUR' });
const List = z.object({ items: z.array(ChangeAnswer), next_cursor: z.string().nullable() });

let bank: Bank;
beforeAll(async () => {
  bank = openBank();
  // nobody is asked for a change in a bank of one
  await bank.admin('accounts:write', 'permissions:write', 'users:write');
});
afterAll(() => bank.close());

const as = (person: Person, method: Method, path: string, options: CallOptions = {}): Promise<Answered> =>
  person.client.call(method, path, { token: person.token, ...options });
const overdraft = (by: Person, account: { id: string }, amount: string, more: CallOptions = {}) =>
  as(by, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, {
    body: { overdraft_limit: Money(amount), reason: 'salary' },
    ...more,
  });
const limitOf = async ({ id }: { id: string }): Promise<string> =>
  String(
    (await bank.asOwner('select overdraft_limit from accounts where id = $1', [id]))[0]?.['overdraft_limit'],
  );
const rowOf = async ({ id }: { id: string }) =>
  (await bank.asOwner('select * from pending_changes where id = $1', [id]))[0] ?? {};

interface Asked {
  readonly account: AccountAnswer;
  readonly owner: Person;
  readonly maker: Person;
  readonly change: ChangeAnswer;
}

/** An overdraft of 500.00 that an administrator has asked for. */
async function asked(): Promise<Asked> {
  const owner = await bank.customer();
  const [account, maker] = [await bank.account(owner), await bank.admin('accounts:write')];
  const answer = await overdraft(maker, account, '500.00');
  expect(answer.status).toBe(202);
  return { account, owner, maker, change: answer.as(ChangeAnswer) };
}
const checker = (): Promise<Person> => bank.admin('accounts:write');

describe('a change that loosens', () => {
  test('changes nothing, and says what it would change and where to follow it', async () => {
    const owner = await bank.customer();
    const [account, maker] = [await bank.account(owner), await bank.admin('accounts:write')];
    const answer = await overdraft(maker, account, '500.00');
    const change = answer.as(ChangeAnswer);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('Location')).toBe(`/v1/admin/changes/${change.id}`);
    expect(change).toMatchObject({
      ...{ operation: 'setAccountLimits', resource: `account/${account.id}`, status: 'open' },
      ...{ requested_by: maker.id, decided_by: null },
      before: { overdraft_limit: Money('0.00') },
      after: { overdraft_limit: Money('500.00') },
    });
    expect(await limitOf(account)).toBe('0');
    const log = await bank.asOwner(`select action from audit_log where subject_id = $1`, [account.id]);
    expect(log.map(({ action }) => action)).not.toContain('account.limited');
  });

  test('is carried out by the approval, as its maker, and both stand in the log', async () => {
    const { account, maker, change } = await asked();
    const second = await checker();
    const answer = await decideOn(second, change, 'approve');
    expect(answer.body).toMatchObject({ status: 'applied', decided_by: second.id });
    expect(await limitOf(account)).toBe('50000');
    const log = await bank.asOwner(
      'select actor_id, action from audit_log where subject_id = any ($1) and action ~ $2 order by id',
      [[account.id, change.id], '^(change|account)[.](requested|limited|applied)'],
    );
    expect(log).toEqual([
      { actor_id: maker.id, action: 'change.requested' },
      { actor_id: maker.id, action: 'account.limited' },
      { actor_id: second.id, action: 'change.applied' },
    ]);
  });

  test('is not needed to tighten, nor to leave as it is', async () => {
    const { account, maker, change } = await asked();
    await decideOn(await checker(), change, 'approve');
    for (const amount of ['500.00', '100.00'])
      expect(await overdraft(maker, account, amount)).toMatchObject({ status: 200 });
    expect(await limitOf(account)).toBe('10000');
  });

  test('that the handler refuses is refused at once', async () => {
    const { account, owner } = await asked();
    await bank.asOwner(`update users set role = 'admin' where id = $1`, [owner.id]);
    await bank.asOwner(`insert into user_permissions (user_id, action) values ($1, 'accounts:write')`, [
      owner.id,
    ]);
    const tried = async () =>
      (await overdraft(owner, account, '900.00')).as(z.looseObject({ code: z.string() })).code;
    // the replica knows the session as it was for up to two seconds
    await until(async () => (await tried()) !== 'forbidden');
    expect(await tried()).toBe('same_person');
    const maker = await checker();
    expect((await overdraft(maker, { id: randomUUID() }, '1.00')).status).toBe(404);
    expect((await overdraft(maker, account, '1.001')).status).toBe(400);
  });

  test('asked for again by its maker is the same change, by another body or another person is refused', async () => {
    const { account, maker, change } = await asked();
    const again = await overdraft(maker, account, '500.00');
    expect([again.status, again.as(ChangeAnswer).id]).toEqual([202, change.id]);
    for (const other of [
      await overdraft(maker, account, '501.00'),
      await overdraft(await checker(), account, '500.00'),
    ])
      expect(other.body).toMatchObject({ status: 409, code: 'change_pending', change_id: change.id });
  });

  test('asked for a dozen times at once is one change', async () => {
    const [account, maker] = [await bank.account(await bank.customer()), await checker()];
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => patiently(() => overdraft(maker, account, '7.00'))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.as(ChangeAnswer).id)).size).toBe(1);
  });
});

describe('an approval', () => {
  test('by the maker is refused', async () => {
    const { account, maker, change } = await asked();
    expect((await decideOn(maker, change, 'approve')).body).toMatchObject({
      status: 403,
      code: 'same_person',
    });
    expect((await decideOn(maker, change, 'reject')).body).toMatchObject({
      status: 403,
      code: 'same_person',
    });
    expect(await limitOf(account)).toBe('0');
    expect((await decideOn(maker, change, 'withdraw')).body).toMatchObject({ status: 'withdrawn' });
  });

  test('by the owner of the account is refused', async () => {
    const { account, owner, change } = await asked();
    await bank.asOwner(`update users set role = 'admin' where id = $1`, [owner.id]);
    await bank.asOwner(`insert into user_permissions (user_id, action) values ($1, 'accounts:write')`, [
      owner.id,
    ]);
    const approving = () => decideOn(owner, change, 'approve');
    const codeOf = async () => (await approving()).as(z.looseObject({ code: z.string() })).code;
    // what is kept of a session in memory is dropped by a notice, which travels
    await until(async () => (await codeOf()) !== 'forbidden');
    expect((await approving()).body).toMatchObject({ status: 403, code: 'same_person' });
    expect(await limitOf(account)).toBe('0');
  });

  test('by whoever lacks the permission of the operation is refused, and to who may not read it the change is not there', async () => {
    const { change } = await asked();
    const [reader, stranger] = [await bank.admin('accounts:read'), await bank.admin('tickets:read')];
    expect((await decideOn(reader, change, 'approve')).body).toMatchObject({
      ...{ status: 403, code: 'forbidden', permission: 'accounts:write' },
    });
    expect((await as(reader, 'GET', `/v1/admin/changes/${change.id}`)).status).toBe(200);
    expect((await decideOn(stranger, change, 'approve')).status).toBe(404);
    expect((await as(stranger, 'GET', `/v1/admin/changes/${change.id}`)).status).toBe(404);
    expect((await decideOn(reader, change, 'withdraw')).status).toBe(403);
  });

  test('by somebody whom the maker has made, or who has made the maker, is refused until a third has countersigned', async () => {
    const { account, maker, change } = await asked();
    const [made, maker2] = [await checker(), await checker()];
    const step = 'insert into empowerments (person_id, empowered_by, kind) values ($1, $2, $3)';
    await bank.asOwner(step, [made.id, maker.id, 'promoted']);
    await bank.asOwner(step, [maker.id, maker2.id, 'created']);
    for (const person of [made, maker2])
      expect((await decideOn(person, change, 'approve')).body).toMatchObject({ code: 'same_person' });
    expect(await limitOf(account)).toBe('0');
    await bank.asOwner(
      'update empowerments set countersigned_by = $2, countersigned_at = now() where person_id = $1',
      [made.id, (await checker()).id],
    );
    expect((await decideOn(made, change, 'approve')).body).toMatchObject({ status: 'applied' });
  });

  test('twenty at once carry it out once', async () => {
    const { account, change } = await asked();
    const people = [await checker(), await checker()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, newKey).map((key, at) =>
        patiently(() => decideOn(people[at % 2] as Person, change, 'approve', key)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers)
      if (status !== 200)
        expect(body).toMatchObject({ status: 409, code: 'already_decided', decision: 'applied' });
    const log = await bank.asOwner(
      `select 1 from audit_log where subject_id = $1 and action = 'account.limited'`,
      [account.id],
    );
    expect(log).toHaveLength(1);
  });

  test('with one key is answered alike twice', async () => {
    const { change } = await asked();
    const [second, key] = [await checker(), newKey()];
    const first = await decideOn(second, change, 'approve', key);
    const again = await decideOn(second, change, 'approve', key);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
  });

  test('after the limits have changed has no effect: the change is stale', async () => {
    const { account, change } = await asked();
    await bank.asOwner('update accounts set max_balance = 100000 where id = $1', [account.id]);
    expect((await decideOn(await checker(), change, 'approve')).body).toMatchObject({
      ...{ status: 409, code: 'change_stale', change_id: change.id },
    });
    expect([await limitOf(account), (await rowOf(change))['status']]).toEqual(['0', 'stale']);
  });

  test('after the account was closed has no effect: the change has failed, for the reason that the handler gave', async () => {
    const { account, change } = await asked();
    await bank.asOwner(`update accounts set status = 'closed', closed_at = now() where id = $1`, [
      account.id,
    ]);
    expect((await decideOn(await checker(), change, 'approve')).body).toMatchObject({
      ...{ status: 409, code: 'change_failed', failure: 'account_closed' },
    });
    expect(await rowOf(change)).toMatchObject({ status: 'failed', failure: 'account_closed' });
  });

  test.each([
    ['was blocked', `update users set status = 'blocked' where id = $1`],
    ['lost the permission', 'delete from user_permissions where user_id = $1'],
  ])('after the maker %s has no effect', async (_what, statement) => {
    const { account, maker, change } = await asked();
    await bank.asOwner(statement, [maker.id]);
    expect((await decideOn(await checker(), change, 'approve')).body).toMatchObject({
      ...{ code: 'change_failed', failure: 'forbidden' },
    });
    expect(await limitOf(account)).toBe('0');
  });

  test.each([
    ['was blocked', `update users set status = 'blocked' where id = $1`],
    ['lost the permission', 'delete from user_permissions where user_id = $1'],
  ])('by somebody who %s a moment ago has no effect', async (_what, statement) => {
    const { account, change } = await asked();
    const second = await checker();
    await bank.asOwner(statement, [second.id]);
    expect([401, 403, 404]).toContain((await decideOn(second, change, 'approve')).status);
    expect(await limitOf(account)).toBe('0');
  });

  test('comes too late once time is over, also before the process has noticed', async () => {
    const { account, maker, change } = await asked();
    await decideOn(maker, change, 'withdraw');
    const id = randomUUID();
    await bank.asOwner(
      `insert into pending_changes (id, operation, permission, resource_type, resource_id, etag, request, request_mac, requested_by, expires_at)
       select $1, operation, permission, resource_type, resource_id, etag, request, request_mac, requested_by, now() - interval '1 second'
         from pending_changes where id = $2`,
      [id, change.id],
    );
    expect((await decideOn(await checker(), { id }, 'approve')).body).toMatchObject({
      ...{ status: 409, code: 'already_decided', decision: 'expired' },
    });
    expect(await limitOf(account)).toBe('0');
  });

  test('of a request that somebody has swapped for another one has no effect', async () => {
    const [one, other] = [await asked(), await asked()];
    const client = new pg.Client(stack.databaseUrl);
    await client.connect();
    try {
      await expect(
        client.query('update pending_changes set request = $1', [Buffer.alloc(1)]),
      ).rejects.toThrow(/permission denied/);
      await decideOn(one.maker, one.change, 'withdraw');
      const id = randomUUID();
      await client.query('begin');
      await client.query('select act_as($1)', [other.maker.id]);
      await client.query(
        `insert into pending_changes (id, operation, permission, resource_type, resource_id, etag, request, request_mac, requested_by, expires_at)
         select $1, operation, permission, resource_type, $3, etag, request, $4, requested_by, expires_at from pending_changes where id = $2`,
        [id, other.change.id, randomUUID(), Buffer.alloc(32)],
      );
      await client.query('commit');
      expect((await decideOn(await checker(), { id }, 'approve')).status).toBe(500);
      expect([await limitOf(one.account), await limitOf(other.account)]).toEqual(['0', '0']);
    } finally {
      await client.end();
    }
  });
});

describe('changes are found', () => {
  test('by status, operation, resource and maker, and counted alike', async () => {
    const { account, maker, change } = await asked();
    await bank.asOwner(`update users set first_name = 'Quilla', last_name = $2 where id = $1`, [
      maker.id,
      `Maker${maker.id.slice(0, 8)}`,
    ]);
    const reader = await bank.admin('accounts:read');
    const found = async (query: Record<string, string>): Promise<string[]> =>
      (await as(reader, 'GET', '/v1/admin/changes', { query })).as(List).items.map(({ id }) => id);
    const q = `quilla maker${maker.id.slice(0, 8)}`;
    for (const query of [
      { resource: `account/${account.id}` },
      { resource: account.id, status: 'open' },
      { q, operation: 'setAccountLimits' },
    ])
      expect(await found(query)).toEqual([change.id]);
    for (const query of [
      { resource: `account_type/${account.id}` },
      { resource: account.id, status: 'applied' },
      { q, operation: 'createFeeRule' },
      { q: `${q}x` },
    ])
      expect(await found(query)).toEqual([]);
    const count = await as(reader, 'GET', '/v1/admin/changes/count', { query: { resource: account.id } });
    expect(count.body).toEqual({ count: 1, by_status: { open: 1 } });
    const blind = await bank.admin('tickets:read');
    const hidden = await as(blind, 'GET', '/v1/admin/changes', { query: { resource: account.id } });
    expect(hidden.as(List).items).toEqual([]);
  });

  test('with what was sent sealed, and by a process that ends with them', async () => {
    const { account, change } = await asked();
    const { request } = await rowOf(change);
    expect(String(request)).not.toContain(account.id);
    await decideOn(await checker(), change, 'reject');
    expect((await as(await checker(), 'GET', `/v1/admin/changes/${change.id}`)).body).toMatchObject({
      ...{ status: 'rejected', reason: 'Not like this' },
    });
    await until(
      async () =>
        (await bank.asOwner('select 1 from process_outbox where workflow_id = $1', [`change/${change.id}`]))
          .length === 0,
    );
  });
});

describe('whoever may decide', () => {
  const invite = (by: Person, permissions: string[]) =>
    as(by, 'POST', '/v1/admin/users', {
      key: newKey(),
      body: { email: `n-${randomUUID()}@bank.test`, first_name: 'New', last_name: 'Person', permissions },
    });
  const grant = (by: Person, to: { id: string }, ...actions: string[]) =>
    as(by, 'POST', `/v1/admin/users/${to.id}/permissions`, { key: newKey(), body: { actions } });
  const chief = () =>
    bank.admin('users:write', 'users:read', 'permissions:write', 'transfers:review', 'adjustments:write');

  test('is invited, promoted or given the action by two', async () => {
    const [one, other, person] = [await chief(), await chief(), await bank.customer()];
    const invited = await invite(one, ['transfers:review']);
    expect(invited.status).toBe(202);
    expect(invited.as(ChangeAnswer)).toMatchObject({
      before: null,
      // whose mailbox it is decides whether this is another person
      after: {
        invited: 'New Person',
        login: expect.stringMatching(/^n-[0-9a-f-]{36}@bank\.test$/),
        actions: ['transfers:review'],
      },
    });
    const [, id = ''] = invited.as(ChangeAnswer).resource.split('/');
    expect(await bank.asOwner('select 1 from users where id = $1', [id])).toEqual([]);
    expect((await decideOn(other, invited.as(ChangeAnswer), 'approve')).status).toBe(200);
    const steps = await bank.asOwner(
      'select distinct countersigned_by from empowerments where person_id = $1',
      [id],
    );
    expect(steps).toEqual([{ countersigned_by: other.id }]);

    const path = `/v1/admin/users/${person.id}/promote`;
    const promoted = await as(one, 'POST', path, { key: newKey(), body: { actions: ['transfers:review'] } });
    expect(promoted.status).toBe(202);
    expect((await decideOn(other, promoted.as(ChangeAnswer), 'approve')).status).toBe(200);

    const colleague = await bank.admin('tickets:read');
    const granted = await grant(one, colleague, 'transfers:review', 'users:read');
    expect(granted.status).toBe(202);
    expect(granted.as(ChangeAnswer).after).toMatchObject({
      actions: ['tickets:read', 'transfers:review', 'users:read'],
    });
    expect((await grant(one, colleague, 'users:read')).status).toBe(200);
  });

  test('is not made by one who invites a helper and lets the helper approve', async () => {
    const thief = await chief();
    const [account] = [await bank.account(await bank.customer())];
    // without an action that decides a helper comes in at once, and is worth nothing as a second pair of eyes
    const helper = await bank.customer();
    const promote = `/v1/admin/users/${helper.id}/promote`;
    expect((await as(thief, 'POST', promote, { key: newKey(), body: { actions: [] } })).status).toBe(200);
    const wish = await grant(thief, helper, 'transfers:review');
    expect(wish.status).toBe(202);
    expect((await decideOn(thief, wish.as(ChangeAnswer), 'approve')).status).toBe(403);
    const [independent] = await bank.asOwner('select independent_of($1, $2) as is', [helper.id, thief.id]);
    expect(independent).toEqual({ is: false });
    expect(await limitOf(account)).toBe('0');
  });

  test('does not approve what they are to be given', async () => {
    const [one, other] = [await chief(), await bank.admin('permissions:write', 'tickets:read')];
    const wish = await grant(one, other, 'transfers:review');
    expect((await decideOn(other, wish.as(ChangeAnswer), 'approve')).body).toMatchObject({
      code: 'same_person',
    });
  });
});
