/** The frame's second pair of eyes: operations that only a test declares, on the real frame and the real database. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { forAdmins } from '../../../api/declaration/operation.ts';
import type { Operation } from '../../../api/declaration/operation.ts';
import { operations as changeOperations } from '../../../api/platform/changes/operations.ts';
import { guardNamed } from '../../../api/pipeline/four-eyes/named-changes.ts';
import { named } from '../../../api/wire/naming.ts';
import { ConfigError } from '../../../config.ts';
import { operations } from '../../../api/operations.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { ChangeAnswer } from '../../support/bank/second-person.ts';
import { newKey, type Answered, type Method } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { rows } from '../../support/stack/sql.ts';

const Request = named('TestNamed', z.strictObject({ text: z.string() }), { text: 'a' });
const Said = named('TestSaid', z.strictObject({ id: z.uuid(), text: z.string(), email: z.string() }));
/** An action that nobody in the shared database holds. */
const permission =
  `test-${[...randomBytes(12).toString('hex')].map((c) => 'abcdefghijklmnop'[parseInt(c, 16)]).join('')}:write` as const;
const SAID = `insert into audit_log (actor_role, action, subject_type, subject_id, reason) values ('system', 'test.said', 'test-said', $1, $2)`;

const outline = {
  area: 'Test',
  title: 'Say',
  description: 'For tests.',
  permission,
  body: Request,
  status: 201,
  answer: Said,
  refuses: ['conflict'],
} as const;

const say = forAdmins({
  ...outline,
  id: 'sayTest',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/sayings',
  effect: 'transaction',
  async handle({ body, db, newId, refusal }) {
    if (body.text === 'refused') throw refusal('conflict');
    await rows(db, SAID, [newId, body.text]);
    return { id: newId, text: body.text, email: 'ann@bank.test' };
  },
});
const answersASecret = { ...say, id: 'secretTest', path: '/v1/admin/secrets', idempotency: 'none' } as const;
const inSteps = { ...say, id: 'stepsTest', path: '/v1/admin/steps', effect: 'own_transactions' } as const;

let bank: Bank;
let world: FrameWorld;
let later: FrameWorld;
beforeAll(async () => {
  bank = openBank();
  const all = [say, ...changeOperations];
  world = await serve(all, { FOUR_EYES_OPERATIONS: ['sayTest'] });
  later = await serve(all);
});
afterAll(() => Promise.all([bank.close(), world.close(), later.close()]));

const as = (person: Person, method: Method, path: string, body?: object, key = newKey()): Promise<Answered> =>
  world.call(method, path, { token: person.token, key, ...(body === undefined ? {} : { body }) });
const saidOf = (id: string) =>
  bank.asOwner(`select reason from audit_log where subject_type = 'test-said' and subject_id = $1`, [id]);

test('a change that nobody else could approve is refused at the first call', async () => {
  const alone = await bank.admin(permission);
  const answer = await as(alone, 'POST', '/v1/admin/sayings', { text: 'alone' });
  expect(answer.body).toMatchObject({ status: 409, code: 'no_second_person', permission });
  // neither somebody whom the caller has made, nor somebody who may not come in, is a second person
  const [made, blocked] = [await bank.admin(permission), await bank.admin(permission)];
  await bank.asOwner(`insert into empowerments (person_id, empowered_by, kind) values ($1, $2, 'created')`, [
    made.id,
    alone.id,
  ]);
  // the database blocks an administrator only while another one can grant
  await bank.admin('permissions:write');
  await bank.asOwner(`update users set status = 'blocked' where id = $1`, [blocked.id]);
  const again = await as(alone, 'POST', '/v1/admin/sayings', { text: 'alone' });
  expect(again.body).toMatchObject({ code: 'no_second_person' });
});

describe('an operation that the configuration names', () => {
  test('waits with every change, shows no personal data, and is carried out once', async () => {
    const [maker, checker] = [await bank.admin(permission), await bank.admin(permission)];
    const key = newKey();
    const answer = await as(maker, 'POST', '/v1/admin/sayings', { text: 'hello' }, key);
    expect(answer.status).toBe(202);
    const change = answer.as(ChangeAnswer);
    expect(change).toMatchObject({ before: null, after: { text: 'hello', email: '•••' } });
    const [kind, id = ''] = change.resource.split('/');
    expect([kind, await saidOf(id)]).toEqual(['sayings', []]);
    const repeated = await as(maker, 'POST', '/v1/admin/sayings', { text: 'hello' }, key);
    expect([repeated.status, repeated.text]).toEqual([202, answer.text]);
    expect(repeated.headers.get('Location')).toBe(answer.headers.get('Location'));
    // without the key it makes something with another id, and is the same request all the same
    const unkeyed = await as(maker, 'POST', '/v1/admin/sayings', { text: 'hello' });
    expect(unkeyed.as(ChangeAnswer).id).toBe(change.id);
    expect((await as(checker, 'POST', `/v1/admin/changes/${change.id}/approve`, {})).status).toBe(200);
    expect(await saidOf(id)).toEqual([{ reason: 'hello' }]);
  });

  test('refuses at once what its handler refuses', async () => {
    const maker = await bank.admin(permission);
    const answer = await as(maker, 'POST', '/v1/admin/sayings', { text: 'refused' });
    expect(answer.body).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('carries out what waits also after the configuration names it no longer', async () => {
    const [maker, checker] = [await bank.admin(permission), await bank.admin(permission)];
    const body = { text: randomUUID() };
    const change = (await as(maker, 'POST', '/v1/admin/sayings', body)).as(ChangeAnswer);
    const path = `/v1/admin/changes/${change.id}/approve`;
    const done = await later.call('POST', path, { token: checker.token, key: newKey(), body: {} });
    expect(done.body).toMatchObject({ status: 'applied' });
    expect(await saidOf(change.resource.split('/')[1] ?? '')).toEqual([{ reason: body.text }]);
  });

  test.each<[string, readonly Operation[], string]>([
    ['that does not exist', [say], 'nothing'],
    ['for customers', operations, 'createTransfer'],
    ['open to every administrator', operations, 'approveChange'],
    ['whose answer only its caller may see', [answersASecret], 'secretTest'],
    ['of several transactions', [inSteps], 'stepsTest'],
    ['of a process', operations, 'executePendingTransfer'],
    ['that reads', operations, 'listUsers'],
  ])('cannot be one %s: the service does not start', (_what, list, id) => {
    expect(() => guardNamed(list, [id])).toThrow(ConfigError);
  });

  test('cannot be one that takes a secret, neither by its format nor by its name', () => {
    const secrets = [
      z.strictObject({ phrase: z.string().meta({ format: 'password' }) }),
      z.strictObject({ api_token: z.string() }),
    ];
    for (const body of secrets) {
      expect(() => guardNamed([{ ...say, body }], ['sayTest'])).toThrow(/secret/);
      const declared = guardNamed([say], ['sayTest']).map((operation) => ({ ...operation, body }));
      expect(() => guardNamed(declared, [])).toThrow(/secret/);
    }
  });
});
