/** Movements whose money leaves the bank: the rail's word, its silence, late returns, and one payment through every gate. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { UserId } from '../../domain/ids.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { by, reviewer } from '../support/bank/decisions.ts';
import { openMovementWorld, type MovementWorld } from '../support/processes/movement-world.ts';
import {
  clearFlag,
  flag,
  left,
  lookAt,
  openMover,
  openWindow,
  railType,
  type Mover,
} from '../support/bank/movements.ts';
import { until } from '../support/stack/processes.ts';
import { transferType } from '../support/bank/transfers.ts';

const DAY = 24 * 3_600;
const WEEK = 7 * DAY;

let books: Books;
let world: MovementWorld;
let admin: UserId;
let other: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openMovementWorld(books);
  [admin, other] = [await reviewer(books), await reviewer(books)];
});
afterEach(() => world.openBarriers());
afterAll(async () => {
  await world.close();
  await books.close();
});

const look = (order: TransferOrder) => lookAt(books, order.id);

/** A payment that the rail has. */
async function submitted(mover: Mover, changes: Partial<TransferOrder> = {}): Promise<TransferOrder> {
  const order = mover.outward(500n, await railType(books), changes);
  expect(await world.begin(order)).toEqual({ status: 'submitted' });
  await until(() => world.given.includes(order.id));
  return order;
}

describe('the rail', () => {
  test('settles a payment: the money has left, and its run ends', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    expect(await left(books, order.id)).toEqual({ 'clearing EUR': '500', 'customer EUR': '-500' });
    await world.report(order, 'accepted');
    expect(await look(order)).toMatchObject({ status: 'submitted' });
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    expect(await world.run(order).result()).toEqual({ status: 'executed' });
    expect(await left(books, order.id)).toEqual({ 'customer EUR': '-500', 'nostro EUR': '500' });
    await world.keep(order, 'settled by the rail');
  });

  test.each([
    ['rejected', 'failed', 'rail_refused'],
    ['returned', 'returned', null],
  ] as const)('that reports a payment as %s puts the money back', async (report, status, failure) => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    await world.report(order, report);
    await world.becomes(order, status);
    expect(await look(order)).toMatchObject({ return_code: 'AC04', failure_code: failure });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
    expect(await left(books, order.id)).toEqual({});
    expect(await world.run(order).result()).toEqual({ status });
    await world.keep(order, `${report} by the rail`);
  });

  test('returns a payment weeks after it was settled: the money comes back from where it had gone', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    await world.report(order, 'settled');
    await world.run(order).result();
    await world.pass(3 * WEEK);
    await world.report(order, 'returned');
    expect(await look(order)).toMatchObject({ status: 'returned', return_code: 'AC04' });
    expect(await left(books, order.id)).toEqual({});
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
  });

  test('says the same ten times, five of them with one id: it counts once', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    const id = `test/${randomUUID()}`;
    await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        world.report(order, 'returned', turn % 2 === 0 ? id : undefined),
      ),
    );
    expect(await look(order)).toMatchObject({ status: 'returned' });
    expect((await books.balance(mover.from)).posted).toBe(10_000n);
    expect(world.alerts.join()).not.toContain(order.id);
  });

  test('says two things that cannot both be: the first stands, the other one is for people to look at', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    await Promise.all([world.report(order, 'rejected'), world.report(order, 'settled')]);
    const { status } = await look(order);
    expect(['failed', 'executed']).toContain(status);
    expect((await books.balance(mover.from)).posted).toBe(status === 'failed' ? 10_000n : 9_500n);
    expect(world.alerts.join()).toContain(order.id);
  });

  test('that is away does not lose a payment, and gets it once', async () => {
    const mover = await openMover(books);
    const order = mover.outward(500n, await railType(books));
    world.railAway(order.id, 4);
    expect(await world.begin(order)).toEqual({ status: 'submitted' });
    await world.pass(60);
    await until(() => world.given.includes(order.id));
    expect(world.given.filter((id) => id === order.id)).toHaveLength(1);
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    await world.keep(order, 'settled after the rail was away');
  });

  test('answers before the handing over is known to have ended: nothing is lost', async () => {
    const mover = await openMover(books);
    const order = mover.outward(500n, await railType(books));
    const barrier = world.railStands(order.id);
    expect(await world.begin(order)).toEqual({ status: 'submitted' });
    const reported = world.report(order, 'settled');
    await world.heard(order, 1);
    expect(await look(order)).toMatchObject({ status: 'submitted' });
    barrier.open();
    await reported;
    await world.becomes(order, 'executed');
    await world.keep(order, 'settled while it was handed over');
  });

  test('has it: who asks to cancel learns at once that it is too late, also while the rail does not answer', async () => {
    const mover = await openMover(books);
    const type = await railType(books, { closed: true });
    const order = mover.outward(500n, type);
    await world.begin(order);
    await openWindow(books, type);
    const rail = world.railStands(order.id);
    const passing = world.pass(DAY + 60);
    await until(() => rail.isWaitedFor());
    expect(await world.say(order, by(mover.customer, 'cancel', 'customer'))).toBe('transfer_not_pending');
    expect(world.given).not.toContain(order.id);
    rail.open();
    await passing;
    await until(() => world.given.includes(order.id));
    expect(await world.say(order, by(admin, 'reject'))).toBe('transfer_not_pending');
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    await world.keep(order, 'cancelled too late');
  });

  test('does not get a payment whose cancellation was accepted before it left, while its window opened', async () => {
    const mover = await openMover(books);
    const type = await railType(books, { closed: true });
    const order = mover.outward(500n, type);
    await world.begin(order);
    await openWindow(books, type);
    const steps = world.stepsStand(order.id);
    const passing = world.pass(DAY + 60);
    await until(() => steps.isWaitedFor());
    const cancelled = world.say(order, by(mover.customer, 'cancel', 'customer'));
    await world.heard(order, 1);
    steps.open();
    expect(await cancelled).toEqual({ status: 'cancelled' });
    await passing;
    expect(world.given).not.toContain(order.id);
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
    await world.keep(order, 'cancelled while its window opened');
  });

  test('goes on where an operator has cancelled the run, and where one has terminated it', async () => {
    for (const end of ['cancel', 'terminate'] as const) {
      const mover = await openMover(books);
      const order = await submitted(mover);
      await world.run(order)[end]();
      await world.report(order, 'settled');
      expect(await look(order)).toMatchObject({ status: 'executed' });
      expect(await left(books, order.id)).toEqual({ 'customer EUR': '-500', 'nostro EUR': '500' });
    }
  });
});

describe('a return', () => {
  async function emptied(mover: Mover): Promise<void> {
    const { posted } = await books.balance(mover.from);
    if (posted > 0n)
      expect(await world.begin(mover.order(posted, { type: await transferType(books) }))).toEqual({
        status: 'executed',
      });
  }

  test.each([
    ['closed', 'account_closed', false],
    ['closed', 'account_closed', true],
    ['frozen', 'account_blocked', false],
  ] as const)(
    'into an account that is %s goes to suspense, with the account it is for (%s, settled before: %s)',
    async (state, why, settled) => {
      const mover = await openMover(books);
      const order = await submitted(mover);
      if (settled) {
        await world.report(order, 'settled');
        await world.becomes(order, 'executed');
      }
      if (state === 'closed') {
        await emptied(mover);
        await books.asOwner(`select account_set_status($1, 'closed')`, [mover.from]);
      } else await books.asOwner(`select account_flag($1, null, 'freeze', true)`, [mover.from]);
      const before = await books.balance(mover.from);
      await world.report(order, 'returned');
      await world.becomes(order, 'returned');
      expect(await books.balance(mover.from)).toEqual(before);
      expect(await left(books, order.id)).toEqual({ 'customer EUR': '-500', 'suspense EUR': '500' });
      const [back] = await books.asOwner(
        `select metadata from ledger_transactions where source_id = $1 and kind = 'return'`,
        [order.id],
      );
      expect(back).toEqual({ metadata: { for_account: mover.from, why } });
    },
  );

  test('into an account that is full by now arrives: it has happened', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    await books.asOwner('update accounts set max_balance = 9500 where id = $1', [mover.from]);
    await world.report(order, 'returned');
    await world.becomes(order, 'returned');
    expect((await books.balance(mover.from)).posted).toBe(10_000n);
    expect(await left(books, order.id)).toEqual({});
  });

  test('into a blocked account arrives: blocked gives nothing, but takes', async () => {
    const mover = await openMover(books);
    const order = await submitted(mover);
    await books.asOwner(`select account_set_status($1, 'blocked')`, [mover.from]);
    await world.report(order, 'returned');
    await world.becomes(order, 'returned');
    expect((await books.balance(mover.from)).posted).toBe(10_000n);
  });
});

test('one payment through every gate: approved, held by a flag, cleared, queued for the window, settled', async () => {
  const mover = await openMover(books);
  const type = await railType(books, { closed: true, approvalAbove: 99 });
  const order = mover.outward(500n, type);
  expect(await world.begin(order)).toMatchObject({ status: 'pending_approval' });
  await flag(books, mover.from);
  expect(await world.say(order, by(admin, 'execute'))).toMatchObject({ status: 'aml_review' });
  await clearFlag(books, mover.from, other);
  expect(await world.cleared(order)).toMatchObject({ status: 'queued' });
  expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 500n });
  await openWindow(books, type);
  await world.pass(DAY + 60);
  await until(() => world.given.includes(order.id));
  await world.report(order, 'settled');
  await world.becomes(order, 'executed');
  expect(await look(order)).toMatchObject({ approved_by: admin, decided_by: other, hold: 'captured' });
  const trail = await books.asOwner(
    `select action, before->>'status' as was, actor_id from audit_log where subject_id = $1 order by at, id`,
    [order.id],
  );
  expect(trail.map(({ action, was, actor_id }) => [was, action, actor_id])).toEqual([
    ['pending_approval', 'transfer.aml_review', admin],
    ['aml_review', 'transfer.queued', other],
    ['queued', 'transfer.submitted', null],
    ['submitted', 'transfer.executed', null],
  ]);
  await world.keep(order, 'through every gate');
});
