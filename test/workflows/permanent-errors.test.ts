/** Steps that can never be carried out: the money is released, nobody waits for ever, and later decisions are taken. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DecisionId, type UserId } from '../../domain/ids.ts';
import { decideOn } from '../../services/transfers/decisions.ts';
import { OVERFLOW, RAISE } from '../support/bank/broken-statements.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { flag, lookAt, openMover, railType, clearFlag, type Mover } from '../support/bank/movements.ts';
import { transferType } from '../support/bank/transfers.ts';
import { by, reviewer } from '../support/bank/decisions.ts';
import { openMovementWorld, type MovementWorld } from '../support/processes/movement-world.ts';
import { until } from '../support/stack/processes.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';

const DAY = 86_400;

let books: Books;
let world: MovementWorld;
let admin: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openMovementWorld(books);
  admin = await reviewer(books);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

/** A transfer of 5.00 that waits for an administrator. */
async function pending(mover: Mover): Promise<TransferOrder> {
  const order = mover.order(500n, { type: await transferType(books, { approvalAbove: 0 }) });
  expect(await world.begin(order)).toMatchObject({ status: 'pending_approval' });
  return order;
}

test.each([
  ['a broken constraint', OVERFLOW],
  ['a RAISE', RAISE],
])('an approval that meets %s fails the transfer at once and releases its hold', async (_why, statement) => {
  const mover = await openMover(books);
  const order = await pending(mover);
  expect((await books.balance(mover.from)).held).toBe(500n);
  world.stepsBreak(order.id, statement);
  // the decision was not carried out, and whoever took it learns what became of the transfer
  const wish = { ...by(admin, 'execute'), id: DecisionId.parse(randomUUID()) };
  await expect(decideOn(order.id, wish, books.em(), world)).rejects.toMatchObject({
    code: 'transfer_not_pending',
    options: { members: { transfer_status: 'failed' } },
  });
  expect(await lookAt(books, order.id)).toMatchObject({
    status: 'failed',
    failure_code: 'internal_error',
    hold: 'released',
  });
  expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
  expect(
    await books.asOwner(
      `select actor_role, after->>'step' as step from audit_log where subject_id = $1 and action = 'transfer.failed'`,
      [order.id],
    ),
  ).toEqual([{ actor_role: 'system', step: 'decision' }]);
  await world.run(order).result();
  expect(await world.say(order, by(admin, 'reject'))).toBe('transfer_not_pending');
});

test('a due payment that can never be booked fails, its limits are given back, and its hold is released', async () => {
  const mover = await openMover(books);
  const order = mover.outward(500n, await railType(books, { closed: true, limits: [{ day: 600 }] }));
  expect(await world.begin(order)).toMatchObject({ status: 'queued' });
  world.stepsBreak(order.id, RAISE);
  await world.pass(2 * DAY);
  await world.becomes(order, 'failed');
  expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
  const again = mover.outward(600n, order.type ?? '');
  expect(await world.begin(again)).toMatchObject({ status: 'queued' });
});

test('an account in review whose clearing breaks lets the money go', async () => {
  const mover = await openMover(books);
  await flag(books, mover.from);
  const order = mover.order(500n);
  expect(await world.begin(order)).toMatchObject({ status: 'aml_review' });
  world.stepsBreak(order.id, OVERFLOW);
  await clearFlag(books, mover.from, admin);
  await world.cleared(order);
  await world.becomes(order, 'failed');
  expect((await books.balance(mover.from)).held).toBe(0n);
});

test('a settlement that cannot be booked leaves the payment with the rail, and a later one settles it', async () => {
  const mover = await openMover(books);
  const order = mover.outward(500n, await railType(books));
  expect(await world.begin(order)).toEqual({ status: 'submitted' });
  await world.handedOver(order);
  world.stepsBreak(order.id, OVERFLOW);
  // the books have the last word: a worker brings the report to them itself, and tries again while they refuse it
  await expect(world.report(order, 'settled')).resolves.toBeUndefined();
  expect(await lookAt(books, order.id)).toMatchObject({ status: 'executed', failure_code: null });
});

test('a decision that neither stands nor can fail the transfer is answered, and the next decision is taken', async () => {
  const mover = await openMover(books);
  const order = await pending(mover);
  world.stepsBreak(order.id, OVERFLOW);
  world.failingBreaks(order.id, RAISE);
  expect(await world.say(order, by(admin, 'execute'))).toBe('internal_error');
  expect(await world.say(order, by(admin, 'execute'))).toBe('internal_error');
  expect(await lookAt(books, order.id)).toMatchObject({ status: 'pending_approval' });
  world.stepsBreak(order.id, null);
  expect(await world.say(order, by(admin, 'reject'))).toEqual({ status: 'rejected' });
  expect((await books.balance(mover.from)).held).toBe(0n);
});

test('what may heal is tried again until it does', async () => {
  const mover = await openMover(books);
  const order = await pending(mover);
  world.stepsBreak(order.id, `do $$ begin raise exception 'busy' using errcode = '55P03'; end $$`);
  const said = world.say(order, by(admin, 'execute'));
  await until(async () => {
    const { raw } = await world.run(order).describe();
    return (raw.pendingActivities ?? []).some(({ attempt }) => (attempt ?? 0) > 1);
  });
  world.stepsBreak(order.id, null);
  expect(await said).toEqual({ status: 'executed' });
});
