/** What the frame opens for an operation, by the effect that it declares. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { named } from '../../../api/wire/naming.ts';
import { forAnybody } from '../../../api/declaration/operation.ts';
import { Waiting } from '../../../api/declaration/outline.ts';
import { transaction } from '../../../db/transaction.ts';
import { TakenBefore } from '../../../services/callers.ts';
import { newKey, patiently } from '../../support/client.ts';
import { serve, type FrameWorld } from '../../support/stack/frame-world.ts';
import { rows } from '../../support/stack/sql.ts';

const Request = named('TestBooking', z.strictObject({ text: z.string() }), { text: 'a' });
const Booked = named('TestBooked', z.strictObject({ id: z.uuid(), text: z.string() }));
const Asked = named('TestAsked', z.strictObject({ waits_for: z.string() }));

const insert = `insert into audit_log (actor_role, action, subject_type, subject_id) values ('system', 'test.booked', 'test-booking', $1)`;
const outline = {
  area: 'Test',
  title: 'Book',
  description: 'For tests.',
  method: 'POST',
  idempotency: 'accepted',
  body: Request,
  status: 201,
  answer: Booked,
  refuses: ['insufficient_funds'],
} as const;

const takeKey = `insert into idempotency_keys (caller, operation, key, resource_id, request_hmac) values ('public', $1, $2, $3, $4)
  on conflict (caller, operation, key) do nothing returning 1`;

/** Books in one transaction with its key, or answers what was booked; what the text says goes wrong there. */
const book = forAnybody({
  ...outline,
  idempotency: 'required',
  id: 'bookTest',
  path: '/bookings',
  effect: 'booking',
  async handle({ body, db, claim: { booked, newId, key }, refusal }) {
    if (booked !== null) return { id: booked, text: `${body.text} as it is now` };
    if (spent.has(body.text)) throw refusal('insufficient_funds');
    await transaction(db, async (tx) => {
      const taken = await rows(tx, takeKey, [key?.operation, key?.key, newId, key?.hmac]);
      if (taken.length === 0) throw new TakenBefore();
      await rows(tx, insert, [newId]);
      if (body.text === 'crash') throw new Error('the machine fails');
      if (body.text === 'poor') throw refusal('insufficient_funds');
    });
    if (body.text === 'once') spent.add(body.text);
    return { id: newId, text: body.text };
  },
});
const spent = new Set<string>();

const ask = forAnybody({
  ...outline,
  id: 'askTest',
  path: '/changes',
  effect: 'transaction',
  waiting: Asked,
  handle: ({ newId, body }) =>
    Promise.resolve(
      body.text === 'large'
        ? new Waiting({ waits_for: 'another administrator' })
        : { id: newId, text: 'done' },
    ),
});

const nested = forAnybody({
  ...outline,
  id: 'nestTest',
  path: '/nested',
  effect: 'transaction',
  handle: ({ db, newId, body }) => transaction(db, () => Promise.resolve({ id: newId, text: body.text })),
});

let world: FrameWorld;
beforeAll(async () => {
  world = await serve([book, ask, nested]);
});
afterAll(() => world.close());

const post = (path: string, text: string, key = newKey()) =>
  world.call('POST', path, { key, body: { text } });

async function booked(id: string): Promise<number> {
  const found = await world.sql<{ n: number }>(
    `select count(*)::int as n from audit_log where subject_type = 'test-booking' and subject_id = $1`,
    [id],
  );
  return found[0]?.n ?? 0;
}

test('an operation that books takes its key with the booking: fifty equal calls book once', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => patiently(() => post('/bookings', 'twins', key))),
  );
  expect(new Set(answers.map((answer) => answer.as(Booked).id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(49);
  expect(await booked(answers[0]?.as(Booked).id ?? '')).toBe(1);
});

test('a booking that fails leaves neither the key nor the booking, so it can be asked for again', async () => {
  const key = newKey();
  expect(await post('/bookings', 'crash', key)).toMatchObject({ status: 500 });
  const again = await post('/bookings', 'crash', key);
  expect(again.status).toBe(500);
  const left = await world.sql(`select from idempotency_keys where key = $1`, [key]);
  expect(left).toEqual([]);
});

test('a refused booking stays refused for its key', async () => {
  const key = newKey();
  const first = await post('/bookings', 'poor', key);
  expect(first).toMatchObject({ status: 409, body: { code: 'insufficient_funds' } });
  expect(await post('/bookings', 'poor', key)).toMatchObject({
    status: 409,
    body: { code: 'insufficient_funds' },
  });
});

test('a repeat of a booking is answered with what was booked, as it is now, although it would be refused by now', async () => {
  const key = newKey();
  const first = await post('/bookings', 'once', key);
  expect(first).toMatchObject({ status: 201, body: { text: 'once' } });
  const again = await post('/bookings', 'once', key);
  expect(again).toMatchObject({ status: 201, body: { id: first.as(Booked).id, text: 'once as it is now' } });
  expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  expect(await post('/bookings', 'once')).toMatchObject({ status: 409 });
});

test('a key is for one request: another body with it books nothing', async () => {
  const key = newKey();
  await post('/bookings', 'first', key);
  expect(await post('/bookings', 'second', key)).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_reused' },
  });
});

test('what waits for somebody else is answered 202, and a repeat gets the same', async () => {
  const key = newKey();
  const first = await post('/changes', 'large', key);
  expect(first).toMatchObject({ status: 202, body: { waits_for: 'another administrator' } });
  const again = await post('/changes', 'large', key);
  expect([again.status, again.text]).toEqual([202, first.text]);
  expect(await post('/changes', 'small')).toMatchObject({ status: 201, body: { text: 'done' } });
});

test('a transaction inside another one is refused', async () => {
  expect(await post('/nested', 'a')).toMatchObject({ status: 500 });
  expect(world.log()).toContain('a transaction was opened inside another one');
});
