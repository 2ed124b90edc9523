/** The same key twice is one effect and one answer, whatever happens in between. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { forAnybody } from '../../../api/declaration/operation.ts';
import { rows } from '../../support/stack/sql.ts';
import { sweepIdempotencyKeys } from '../../../db/queries/platform/idempotency-keys.ts';
import { openOrm } from '../../../db/orm.ts';
import { loadConfig } from '../../../config.ts';
import { newKey, patiently } from '../../support/client.ts';
import { dice } from '../../support/dice.ts';
import { SEED } from '../../support/property.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { stack } from '../../support/stack/stack.ts';

const NoteRequest = named('TestNoteRequest', z.strictObject({ text: z.string() }), { text: 'a' });
const Note = named('TestNote', z.strictObject({ id: z.uuid(), text: z.string() }));

/** What the next calls shall meet, by the note's text. */
const refused = new Set<string>();
const crashing = new Set<string>();

const insert = `insert into audit_log (actor_role, action, subject_type, subject_id) values ('system', 'test.note', 'test-note', $1)`;

const create = forAnybody({
  area: 'Test',
  title: 'Note',
  description: 'For tests.',
  method: 'POST',
  body: NoteRequest,
  status: 201,
  answer: Note,
  id: 'createTestNote',
  path: '/notes',
  effect: 'transaction',
  idempotency: 'accepted',
  refuses: ['insufficient_funds'],
  async handle({ body, db, newId, refusal }) {
    await rows(db, insert, [newId]);
    await wait(20);
    if (crashing.delete(body.text)) throw new Error('the machine fails');
    if (refused.has(body.text)) throw refusal('insufficient_funds', { members: { available: '0.00' } });
    return { id: newId, text: body.text };
  },
});

/** Stands for an operation whose effect happens in a process that knows its own id. */
const begin = forAnybody({
  area: 'Test',
  title: 'Note',
  description: 'For tests.',
  method: 'POST',
  body: NoteRequest,
  status: 201,
  answer: Note,
  id: 'beginTestNote',
  path: '/processes',
  idempotency: 'required',
  effect: 'decision',
  process: 'test',
  refuses: ['insufficient_funds'],
  async handle({ body, db, newId, refusal }) {
    await wait(chance(50));
    await rows(db, insert, [newId]);
    if (crashing.delete(body.text)) throw new Error('the machine fails');
    if (refused.has(body.text)) throw refusal('insufficient_funds', { members: { available: '0.00' } });
    return { id: newId, text: `${body.text} ${String(Math.random())}` };
  },
});

const chance = dice(SEED);
let database: Database;
let world: FrameWorld;
beforeAll(async () => {
  // a bank of its own: one test sweeps whatever has expired
  database = await ownBank();
  world = await serve([create, begin], { DATABASE_URL: database.url });
});
afterAll(() => world.close());

const post = (path: string, key: string | undefined, text: string) =>
  world.call('POST', path, { key, body: { text } });

async function written(id: string): Promise<number> {
  const found = await world.sql<{ n: number }>(
    `select count(*)::int as n from audit_log where subject_type = 'test-note' and subject_id = $1`,
    [id],
  );
  return found[0]?.n ?? 0;
}

test('50 equal calls at once write one row and all get the same bytes', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => patiently(() => post('/notes', key, 'twins'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(49);
  expect(await written(answers[0]?.as(Note).id ?? '')).toBe(1);
});

test('50 equal calls of a process get one id and the same bytes, although each handler answers something else', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => patiently(() => post('/processes', key, 'twins'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(49);
});

test('two calls without a key are two requests', async () => {
  const [one, other] = await Promise.all([
    post('/notes', undefined, 'free'),
    post('/notes', undefined, 'free'),
  ]);
  expect(one.as(Note).id).not.toBe(other.as(Note).id);
});

test('the order of fields and white space make no other body', async () => {
  const key = newKey();
  const first = await post('/notes', key, 'spaced');
  const again = await world.call('POST', '/notes', { key, bytes: '{ "text" : "spaced" }' });
  expect(again.text).toBe(first.text);
});

test.each(['/notes', '/processes'])(
  '%s: another body with the same key is refused, and the first answer stays',
  async (path) => {
    const key = newKey();
    const first = await post(path, key, 'one');
    const other = await post(path, key, 'other');
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await post(path, key, 'one')).text).toBe(first.text);
  },
);

test.each(['/notes', '/processes'])(
  '%s: a refused key stays refused after its cause is gone, a new one does not',
  async (path) => {
    const text = `poor ${newKey()}`;
    const key = newKey();
    refused.add(text);
    const first = await post(path, key, text);
    refused.delete(text);
    const again = await post(path, key, text);
    for (const answer of [first, again]) {
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ code: 'insufficient_funds', available: '0.00' });
    }
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await post(path, newKey(), text)).status).toBe(201);
  },
);

test('a refused effect leaves no row behind', async () => {
  const text = `undone ${newKey()}`;
  refused.add(text);
  const key = newKey();
  await post('/notes', key, text);
  const [row] = await world.sql<{ resource_id: string }>(
    'select resource_id from idempotency_keys where key = $1',
    [key],
  );
  expect(await written(row?.resource_id ?? '')).toBe(0);
});

test('a crash undoes effect and reservation together, and the repeat does it once', async () => {
  const text = `crash ${newKey()}`;
  const key = newKey();
  crashing.add(text);
  expect((await post('/notes', key, text)).status).toBe(500);
  const again = await post('/notes', key, text);
  expect(again.status).toBe(201);
  expect(again.headers.get('Idempotent-Replayed')).toBeNull();
  expect(await written(again.as(Note).id)).toBe(1);
});

test('a crash between reservation and answer leaves the id: the repeat brings it to the same process', async () => {
  const text = `crash ${newKey()}`;
  const key = newKey();
  crashing.add(text);
  expect((await post('/processes', key, text)).status).toBe(500);
  const [row] = await world.sql<{ resource_id: string }>(
    'select resource_id from idempotency_keys where key = $1',
    [key],
  );
  const again = await post('/processes', key, text);
  expect(again.as(Note).id).toBe(row?.resource_id);
  expect(again.headers.get('Idempotent-Replayed')).toBe('true');
});

test('a refusal that the process itself wrote is answered, although the caller never heard it', async () => {
  const text = `unheard ${newKey()}`;
  const key = newKey();
  crashing.add(text);
  await post('/processes', key, text);
  await world.sql(
    `update idempotency_keys set refusal = '{"code": "account_blocked", "members": {"account": "x"}}' where key = $1`,
    [key],
  );
  const again = await post('/processes', key, text);
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'account_blocked', account: 'x' });
});

test('where money moves a key is required, and kept for ever; elsewhere it is swept after its day', async () => {
  expect((await post('/processes', undefined, 'keyless')).body).toMatchObject({
    code: 'idempotency_key_required',
  });
  const [kept, swept] = [newKey(), newKey()];
  await post('/processes', kept, 'kept');
  const first = await post('/notes', swept, 'swept');
  const rowsOf = () =>
    world.sql<{ key: string; expires_at: string | null }>(
      'select key, expires_at from idempotency_keys where key in ($1, $2)',
      [kept, swept],
    );
  expect((await rowsOf()).find(({ key }) => key === kept)?.expires_at).toBeNull();
  await world.sql('update idempotency_keys set expires_at = now() where key = $1', [swept]);
  expect((await post('/notes', swept, 'swept')).as(Note).id).not.toBe(first.as(Note).id);
  await world.sql('update idempotency_keys set expires_at = now() where key = $1', [swept]);
  const orm = openOrm({ ...loadConfig(stack.serviceEnv), DATABASE_URL: database.url });
  expect(await sweepIdempotencyKeys(orm.em.fork())).toBeGreaterThanOrEqual(1);
  await orm.close(true);
  expect((await rowsOf()).map(({ key }) => key)).toEqual([kept]);
});

test('a key is 1 to 255 printable characters', async () => {
  const answer = await post('/notes', 'x'.repeat(256), 'long');
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ errors: [{ pointer: 'header/Idempotency-Key' }] });
});
