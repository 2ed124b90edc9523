/** People at the back office: found whatever script they write in, masked, invited, corrected, and all of it written down. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { undescribed } from '../../../api/derived/permissions.ts';
import { operations } from '../../../api/operations.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { apiClient, newKey, type Answered, type CallOptions, type Method } from '../../support/client.ts';
import { mailboxOf } from '../../support/stack/inbox.ts';
import { invitationCode } from '../../support/bank/invitations.ts';
import { personOf, registration, withTotp, type Stranger } from '../../support/bank/people.ts';

const Found = z.object({
  items: z.array(z.looseObject({ id: z.string(), email: z.string() })),
  next_cursor: z.string().nullable(),
});
const Made = z.looseObject({ id: z.string(), status: z.string() });
const Log = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      action: z.string(),
      actor_id: z.string().nullable(),
      before: z.unknown(),
      after: z.unknown(),
      reason: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
const NEW_PASSWORD = 'nine loud herons by a pond';

let bank: Bank;
let clerk: Person;
beforeAll(async () => {
  bank = openBank();
  clerk = await bank.admin('users:read', 'users:write', 'users:unmask', 'audit:read', 'permissions:read');
});
afterAll(() => bank.close());

const as = (person: Person, method: Method, path: string, options: CallOptions = {}): Promise<Answered> =>
  person.client.call(method, path, { token: person.token, ...options });

/** A word that no other test has, in letters. */
const mark = (): string =>
  [...randomBytes(9).toString('hex')].map((c) => 'abcdefghijklmnop'[parseInt(c, 16)]).join('');

async function called(first: string, last: string): Promise<Person> {
  const person = await bank.customer();
  await bank.asOwner('update users set first_name = $2, last_name = $3 where id = $1', [
    person.id,
    first,
    last,
  ]);
  return person;
}

const search = async (query: Record<string, string>): Promise<string[]> =>
  (await as(clerk, 'GET', '/v1/admin/users', { query })).as(Found).items.map(({ id }) => id);

const logOf = async (id: string, more: Record<string, string> = {}) =>
  (
    await as(clerk, 'GET', '/v1/admin/audit-log', {
      query: { resource_type: 'user', resource_id: id, ...more },
    })
  ).as(Log).items;

describe('finding people', () => {
  test.each([
    ['accents', 'Łódź', 'lodz'],
    ['small letters', 'Straße', 'STRASSE'],
    ['accents that are left out', 'Zoë', 'zoe'],
    ['accents that are typed apart', 'Jose\u0301', 'José'],
    ['Greek', 'Παπαδόπουλος', 'παπαδοπουλοσ'],
    ['Cyrillic', 'Фёдоров', 'федоров'],
    ['Chinese', '王小明', '小明'],
    ['Arabic', 'محمد', 'محمد'],
  ])('%s do not stand in the way', async (_what, name, typed) => {
    const family = mark();
    const person = await called(name, family);
    expect(await search({ search: `${typed} ${family}` })).toEqual([person.id]);
    expect(await search({ search: `${family.slice(0, 9)} ${typed}` })).toEqual([person.id]);
  });

  test('a phone number is found however it is grouped, an address by a part of it', async () => {
    const person = await bank.customer();
    const digits = `49171${String(Number.parseInt(randomBytes(3).toString('hex'), 16)).padStart(8, '1')}`;
    await bank.asOwner('update users set phone = $2 where id = $1', [person.id, `+${digits}`]);
    expect(await search({ search: `+49 (171) ${digits.slice(5, 8)}-${digits.slice(8)}` })).toEqual([
      person.id,
    ]);
    expect(await search({ search: `${person.id}@BANK` })).toEqual([person.id]);
  });

  test('who sees them masked finds an address or a number by the whole of it only', async () => {
    const family = mark();
    const person = await called('Ann', family);
    const phone = `+4917${String(Number.parseInt(randomBytes(4).toString('hex'), 16)).padStart(10, '1')}`;
    await bank.asOwner('update users set phone = $2 where id = $1', [person.id, phone]);
    const reader = await bank.admin('users:read');
    const seen = async (typed: string): Promise<[number, number]> => {
      const query = { search: typed };
      const list = await as(reader, 'GET', '/v1/admin/users', { query });
      const count = await as(reader, 'GET', '/v1/admin/users/count', { query });
      return [list.as(Found).items.length, count.as(z.looseObject({ count: z.int() })).count];
    };
    for (const whole of [`${person.id}@bank.test`, phone, phone.slice(1), `ann ${family.toUpperCase()}`])
      expect(await seen(whole)).toEqual([1, 1]);
    for (const part of [
      `${person.id}@bank`,
      `${family} ${person.id.slice(0, 4)}`,
      `${family} ${phone.slice(-3)}`,
      phone.slice(0, -1),
    ])
      expect(await seen(part)).toEqual([0, 0]);
    expect(await search({ search: `${family} ${phone.slice(-3)}` })).toEqual([person.id]);
  });

  test('what stands for any text in a database stands for itself here', async () => {
    const family = mark();
    await called('Ann', family);
    for (const typed of [
      `${family.slice(0, 4)}%${family.slice(6)}`,
      `${family.slice(0, 17)}_`,
      `${family}\\`,
      `％${family}`,
    ])
      expect(await search({ search: typed })).toEqual([]);
    const odd = await called('100%_', family);
    expect(await search({ search: `0%_ ${family}` })).toEqual([odd.id]);
  });

  test('lists and counts narrow alike, and pages hold everybody once', async () => {
    const family = mark();
    const people = [];
    for (let made = 0; made < 5; made += 1) people.push(await called('Page', family));
    await bank.asOwner(
      `update users set status = 'blocked', kyc_status = 'approved', kyc_level = 2 where id = $1`,
      [people[1]?.id],
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query = { search: family, limit: '2', ...(cursor === null ? {} : { cursor }) };
      const page: z.output<typeof Found> = (await as(clerk, 'GET', '/v1/admin/users', { query })).as(Found);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(
      people
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const count = await as(clerk, 'GET', '/v1/admin/users/count', { query: { search: family } });
    expect(count.body).toEqual({ count: 5, by_status: { active: 4, blocked: 1 } });
    for (const narrower of [{ status: 'blocked' }, { kyc_status: 'approved' }])
      expect(await search({ search: family, ...narrower })).toEqual([people[1]?.id]);
    expect(await search({ search: family, role: 'admin' })).toEqual([]);
  });
});

describe('personal data', () => {
  test('is masked in lists and details, and shown for a reason that is written down', async () => {
    const family = mark();
    const person = await called('Ann', family);
    await bank.asOwner(
      `update users set phone = '+4930901820', date_of_birth = '1990-04-02',
         address = '{"line1":"Geheimgasse 7","postal_code":"1010","city":"Wien","country":"AT"}' where id = $1`,
      [person.id],
    );
    const masked = {
      ...{ email: `${person.id.slice(0, 1)}•••@bank.test`, phone: '+49•••20', masked: true },
      ...{ date_of_birth: null, address: null, kyc: { status: 'none', level: 0 }, active_sessions: 1 },
    };
    const path = `/v1/admin/users/${person.id}`;
    const listed = await as(clerk, 'GET', '/v1/admin/users', { query: { search: family } });
    const detail = await as(clerk, 'GET', path);
    expect(detail.body).toMatchObject(masked);
    expect(listed.as(Found).items[0]).toEqual(detail.body);

    const reason = 'They called from an unknown number';
    const shown = await as(clerk, 'POST', `${path}/reveal`, { body: { reason } });
    expect(shown.body).toMatchObject({
      ...{
        email: `${person.id}@bank.test`,
        phone: '+4930901820',
        date_of_birth: '1990-04-02',
        masked: false,
      },
      address: { line1: 'Geheimgasse 7' },
    });
    expect(await logOf(person.id, { action: 'user.revealed' })).toMatchObject([
      { actor_id: clerk.id, reason },
    ]);

    const curious = await bank.admin('users:read', 'users:write');
    const refused = await as(curious, 'POST', `${path}/reveal`, { body: { reason } });
    expect(refused.body).toMatchObject({ status: 403, permission: 'users:unmask' });
  });

  test('that an admin corrects is in the log with before and after, and hidden from its readers', async () => {
    const person = await called('Ann', 'Smyth');
    const path = `/v1/admin/users/${person.id}`;
    const { headers } = await as(clerk, 'GET', path);
    const body = { last_name: 'Smith', country: 'AT', locale: 'de-AT' };
    const answer = await as(clerk, 'PATCH', path, {
      body,
      headers: { 'If-Match': headers.get('ETag') ?? '' },
    });
    expect(answer.body).toMatchObject({ ...body, first_name: 'Ann' });
    expect(await logOf(person.id, { action: 'user.updated' })).toMatchObject([
      {
        before: { last_name: '•••', country: null, locale: 'en' },
        after: { last_name: '•••', country: 'AT', locale: 'de-AT' },
      },
    ]);
    const [kept] = await bank.asOwner(
      `select before, after from audit_log where subject_id = $1 and action = 'user.updated'`,
      [person.id],
    );
    expect(kept).toMatchObject({ before: { last_name: 'Smyth' }, after: { last_name: 'Smith' } });
  });
});

describe('an invited administrator', () => {
  const newcomer = () => ({ email: `new-${randomUUID()}@bank.test`, first_name: 'Bo', last_name: 'Lind' });
  const invite = (admin: Person, body: object): Promise<Answered> =>
    as(admin, 'POST', '/v1/admin/users', { key: newKey(), body });
  const accept = (code: string, password = NEW_PASSWORD): Promise<Answered> =>
    apiClient().call('POST', '/v1/auth/accept-invitation', { body: { code, password } });

  test('sets the password and a second factor, and only then may do what was granted', async () => {
    const admin = await bank.admin('users:write', 'users:read', 'permissions:write');
    const body = { ...newcomer(), locale: 'de', permissions: ['users:read'] };
    const made = await invite(admin, body);
    expect(made.body).toMatchObject({
      role: 'admin',
      status: 'pending',
      locale: 'de',
      email_verified: false,
    });
    const client = apiClient();
    const login = (): Promise<Answered> =>
      client.call('POST', '/v1/auth/login', { body: { identifier: body.email, password: NEW_PASSWORD } });
    expect((await login()).status).toBe(401);

    const mail = mailboxOf(body.email);
    const code = await invitationCode(body.email, mail);
    expect((await accept(code, 'bo.lind is great')).body).toMatchObject({ code: 'weak_password' });
    expect((await accept(code)).status).toBe(200);
    expect((await accept(code)).body).toMatchObject({ status: 400, code: 'invalid_code' });

    const who: Stranger = { email: body.email, password: NEW_PASSWORD, client, mail };
    const person = personOf(who, await login());
    expect((await person.call('GET', '/v1/admin/users')).body).toMatchObject({
      code: 'second_factor_required',
    });
    await withTotp(person);
    expect((await person.call('GET', '/v1/admin/users')).status).toBe(200);
    const actions = (await logOf(made.as(Made).id)).map(({ action }) => action).reverse();
    expect(actions.slice(0, 4)).toEqual([
      'user.invited',
      'login.failed',
      'user.invitation_accepted',
      'session.started',
    ]);
  });

  test('comes in by the last invitation only, within its days, and once also where two come at once', async () => {
    const admin = await bank.admin('users:write');
    const body = newcomer();
    const { id } = (await invite(admin, body)).as(Made);
    const mail = mailboxOf(body.email);
    const first = await invitationCode(body.email, mail);
    expect((await as(admin, 'POST', `/v1/admin/users/${id}/invitation`)).status).toBe(200);
    const second = await invitationCode(body.email, mail);
    expect((await accept(first)).body).toMatchObject({ code: 'invalid_code' });
    await bank.asOwner(
      `update admin_invitations set created_at = now() - interval '4 days', expires_at = now() - interval '1 second'
      where user_id = $1`,
      [id],
    );
    expect((await accept(second)).body).toMatchObject({ code: 'invalid_code' });
    expect((await as(admin, 'POST', `/v1/admin/users/${id}/invitation`)).status).toBe(200);
    const third = await invitationCode(body.email, mail);
    const answers = await Promise.all([accept(third), accept(third, 'ten quiet herons by a pond')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const late = await as(admin, 'POST', `/v1/admin/users/${id}/invitation`);
    expect(late.body).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('is not made where the address has a login, nor with a password that somebody else chose', async () => {
    const admin = await bank.admin('users:write');
    const known = await bank.customer();
    const taken = await invite(admin, { ...newcomer(), email: `${known.id}@BANK.test` });
    expect(taken.body).toMatchObject({ status: 409, code: 'login_exists' });
    const chosen = await invite(admin, { ...newcomer(), password: NEW_PASSWORD });
    expect(chosen.body).toMatchObject({ status: 400, errors: [{ pointer: '/password' }] });
  });

  test('has no login before they came: neither a forgotten password nor a registration opens it', async () => {
    const admin = await bank.admin('users:write');
    const body = newcomer();
    const { id } = (await invite(admin, body)).as(Made);
    const mail = mailboxOf(body.email);
    await invitationCode(body.email, mail);
    const client = apiClient();
    const forgotten = await client.call('POST', '/v1/auth/password/forgot', { body: { email: body.email } });
    expect(forgotten.status).toBe(200);
    expect((await mail.next()).subject).toBe('There is no login with this address');
    const who: Stranger = { email: body.email, password: NEW_PASSWORD, client, mail };
    expect((await client.call('POST', '/v1/auth/register', { body: registration(who) })).status).toBe(201);
    expect((await mail.next()).subject).toBe('You already have a login');
    const [row] = await bank.asOwner('select status, password_hash from users where id = $1', [id]);
    expect(row).toEqual({ status: 'pending', password_hash: null });
  });

  test('who is blocked before they came cannot come, and still can once unblocked', async () => {
    const admin = await bank.admin('users:write', 'permissions:write');
    const body = newcomer();
    const { id } = (await invite(admin, body)).as(Made);
    const code = await invitationCode(body.email);
    const set = (status: string) =>
      as(admin, 'PATCH', `/v1/admin/users/${id}/status`, { body: { status, reason: 'A test' } });
    expect((await set('blocked')).body).toMatchObject({ status: 'blocked' });
    expect((await accept(code)).body).toMatchObject({ code: 'invalid_code' });
    expect((await set('active')).body).toMatchObject({ status: 'pending' });
    expect((await accept(code)).status).toBe(200);
  });
});

describe('the audit log', () => {
  test('is narrowed by actor, action, resource and time, and read in pages', async () => {
    const admin = await bank.admin('users:write');
    const person = await bank.customer();
    const begun = new Date(Date.now() - 1_000).toISOString();
    const set = (status: string) =>
      as(admin, 'PATCH', `/v1/admin/users/${person.id}/status`, { body: { status, reason: 'A test' } });
    await set('blocked');
    await set('active');
    await set('blocked');
    const read = async (query: Record<string, string>) =>
      (await as(clerk, 'GET', '/v1/admin/audit-log', { query: { actor_id: admin.id, ...query } })).as(Log);
    const acts = ['user.blocked', 'user.unblocked', 'user.blocked'];
    const actionsOf = ({ items }: z.output<typeof Log>) => items.map(({ action }) => action);
    expect(actionsOf(await read({}))).toEqual(acts);
    expect(actionsOf(await read({ from: begun, to: new Date(Date.now() + 60_000).toISOString() }))).toEqual(
      acts,
    );
    expect(actionsOf(await read({ to: begun }))).toEqual([]);
    expect(actionsOf(await read({ from: new Date(Date.now() + 60_000).toISOString() }))).toEqual([]);
    expect(actionsOf(await read({ action: 'user.unblocked' }))).toEqual(['user.unblocked']);
    expect(actionsOf(await read({ resource_type: 'account' }))).toEqual([]);
    const first = await read({ limit: '2' });
    const rest = await read({ limit: '2', cursor: first.next_cursor ?? '' });
    expect([...actionsOf(first), ...actionsOf(rest)]).toEqual(acts);
    expect(rest.items[0]).toMatchObject({
      ...{ before: { status: 'active' }, after: { status: 'blocked', ended_sessions: 1 }, reason: 'A test' },
    });
  });
});

test('every action of the catalogue says what its holder may do', async () => {
  expect(undescribed(operations)).toEqual([]);
  const catalogue = await as(clerk, 'GET', '/v1/admin/permissions');
  const Actions = z.object({
    items: z.array(
      z.object({ action: z.string(), description: z.string(), operations: z.array(z.string()) }),
    ),
  });
  const { items } = catalogue.as(Actions);
  expect(items.map(({ action }) => action)).toContain('permissions:write');
  expect(
    items.every(({ description, operations: opened }) => description.endsWith('.') && opened.length > 0),
  ).toBe(true);
});
