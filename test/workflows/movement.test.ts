/** The waits of a movement before its money leaves: approval, the watch against money-laundering, the rail's window. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { UserId } from '../../domain/ids.ts';
import { transferById } from '../../db/queries/transfers/transfers.ts';
import { movementOf, type TransferOrder } from '../../domain/transfers/transfers.ts';
import { accountChanged } from '../../workflows/transfer/contract.ts';
import { transferProcess } from '../../workflows/transfer/process.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { accepted, approvalRunsOut, by, reviewer } from '../support/bank/decisions.ts';
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
import { transferType, windowIn } from '../support/bank/transfers.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
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

/** A transfer that waits for an approval: all over 99 cents do. */
async function pending(
  mover: Mover,
  minor = 500n,
  changes: Partial<TransferOrder> = {},
): Promise<TransferOrder> {
  const type = await transferType(books, { approvalAbove: 99 });
  const order = mover.order(minor, { type, ...changes });
  expect(await world.begin(order)).toMatchObject({ status: 'pending_approval' });
  return order;
}

describe('an approval', () => {
  test('that is being carried out stands; whoever decides meanwhile learns at once that it is decided', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    const barrier = world.stepsStand(order.id);
    const first = world.say(order, by(admin, 'execute'));
    await until(() => barrier.isWaitedFor());
    const later = [
      world.say(order, by(other, 'execute')),
      world.say(order, by(mover.customer, 'cancel', 'customer')),
      world.say(order, by(other, 'reject')),
    ];
    expect(await Promise.all(later)).toEqual(Array(3).fill('transfer_not_pending'));
    // who has decided may ask again, and waits for the same
    const again = world.say(order, by(admin, 'execute'));
    await world.accepts(order, 2);
    barrier.open();
    expect(await Promise.all([first, again])).toEqual([{ status: 'executed' }, { status: 'executed' }]);
    expect(await books.balance(mover.to)).toEqual({ posted: 500n, held: 0n });
    expect(await look(order)).toMatchObject({ decided_by: admin, approved_by: admin });
    await world.keep(order, 'decided by one of four at once');
  });

  test('of what needs none is refused', async () => {
    const mover = await openMover(books);
    const order = mover.outward(500n, await railType(books, { closed: true }));
    expect(await world.begin(order)).toMatchObject({ status: 'queued' });
    expect(await world.say(order, by(admin, 'execute'))).toBe('transfer_not_pending');
    expect(await look(order)).toMatchObject({ status: 'queued', decided_by: null });
  });

  test('races the customer’s cancellation: one of them wins, both learn which, the money is where the winner says', async () => {
    type Decision = ReturnType<typeof by>;
    /** What the payment has come to. */
    async function end(
      together: (order: TransferOrder, acts: Decision[]) => Promise<unknown[]>,
    ): Promise<string> {
      const mover = await openMover(books);
      const order = await pending(mover);
      const acts = [by(admin, 'execute'), by(mover.customer, 'cancel', 'customer')];
      const answers = await together(order, acts);
      const { status } = await look(order);
      expect(['executed', 'cancelled']).toContain(status);
      expect(answers.filter((answer) => typeof answer === 'object')).toEqual([{ status }]);
      expect(answers.filter((answer) => typeof answer !== 'object')).toEqual(['transfer_not_pending']);
      expect(await books.balance(mover.from)).toEqual({
        posted: status === 'executed' ? 9_500n : 10_000n,
        held: 0n,
      });
      return status;
    }
    /** The second one is said while the first one is carried out. */
    async function inTurn(order: TransferOrder, [first, second]: Decision[]): Promise<unknown[]> {
      const barrier = world.stepsStand(order.id);
      const answer = world.say(order, first as Decision);
      await until(() => barrier.isWaitedFor());
      const other = await world.say(order, second as Decision);
      barrier.open();
      return [await answer, other];
    }
    for (let round = 0; round < 12; round++)
      await end((order, acts) =>
        Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map((act) => world.say(order, act))),
      );
    expect(await end(inTurn)).toBe('executed');
    expect(await end((order, acts) => inTurn(order, acts.toReversed()))).toBe('cancelled');
  });

  test('comes just before its time runs out, while the process is about to expire it: it stands', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    const steps = world.stepsStand(order.id);
    const passing = world.pass(WEEK);
    await until(() => steps.isWaitedFor());
    const said = world.say(order, by(admin, 'execute'));
    await world.heard(order, 1);
    await approvalRunsOut(books, order.id);
    steps.open();
    expect(await said).toEqual({ status: 'executed' });
    await passing;
    expect(await books.balance(mover.from)).toEqual({ posted: 9_500n, held: 0n });
  });

  test('of a transfer whose account was blocked meanwhile fails it, and the operators were shown the block', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    await books.asOwner(`select account_set_status($1, 'blocked')`, [mover.from]);
    await world.processes.tell(transferProcess, order.id, accountChanged, { status: 'blocked' });
    const { raw } = await world.run(order).describe();
    expect(raw.workflowExecutionInfo?.status).toBe(1);
    expect(await world.say(order, by(admin, 'execute'))).toEqual({ status: 'failed' });
    expect(await look(order)).toMatchObject({ failure_code: 'account_blocked', hold: 'released' });
    await world.keep(order, 'account blocked while it waited, then approved');
  });

  test('reaches a transfer whose run an operator has terminated: the run comes back', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    await world.run(order).terminate('by mistake');
    expect(await world.say(order, by(admin, 'execute'))).toEqual({ status: 'executed' });
    expect((await books.balance(mover.to)).posted).toBe(500n);
  });

  test('that was accepted and whose word was lost with its run is carried out by the run that comes back', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    await world.run(order).terminate('by mistake');
    await accepted(books, order.id, by(admin, 'execute'));
    const row = await transferById.one(books.em(), { id: order.id });
    await world.processes.restart(transferProcess, movementOf(row));
    await world.becomes(order, 'executed');
    await world.keep(order, 'approved while its run was lost');
  });

  test('that was accepted in time is carried out, also by a process that hears of it when that time is over', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    await accepted(books, order.id, by(admin, 'execute'));
    await approvalRunsOut(books, order.id);
    await world.pass(WEEK);
    await world.becomes(order, 'executed');
    expect(await look(order)).toMatchObject({ approved_by: admin, hold: 'captured' });
    await world.keep(order, 'approved in time, heard after it');
  });

  test('by somebody who lost the permission before it was carried out is refused, and another one is taken', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    const leaving = await reviewer(books);
    const barrier = world.stepsStand(order.id);
    const said = world.say(order, by(leaving, 'execute'));
    await until(() => barrier.isWaitedFor());
    await books.asOwner('delete from user_permissions where user_id = $1', [leaving]);
    barrier.open();
    expect(await said).toBe('permission_not_held');
    expect(await look(order)).toMatchObject({ status: 'pending_approval', hold: 'open', decided_by: null });
    expect(await world.say(order, by(admin, 'reject'))).toEqual({ status: 'rejected' });
    await world.keep(order, 'approved without the permission, then rejected');
  });
});

describe('a flag of the money-laundering watch', () => {
  async function held(mover: Mover, order = mover.order(500n)): Promise<TransferOrder> {
    await flag(books, mover.from);
    expect(await world.begin(order)).toMatchObject({ status: 'aml_review' });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 500n });
    return order;
  }

  test('holds what leaves the account until the word that it is cleared', async () => {
    const mover = await openMover(books);
    const order = await held(mover);
    await world.shows(order, 'aml_review');
    expect(await world.cleared(order)).toBe('aml_flag_open');
    expect(await world.say(order, by(admin, 'execute'))).toBe('transfer_not_pending');
    await clearFlag(books, mover.from, other);
    expect(await world.cleared(order)).toEqual({ status: 'executed' });
    expect(await books.balance(mover.to)).toEqual({ posted: 500n, held: 0n });
    expect(await look(order)).toMatchObject({ decided_by: other, hold: 'captured' });
    await world.keep(order, 'held by a flag, cleared by word');
  });

  test('that was cleared without a word is found by the daily look', async () => {
    const mover = await openMover(books);
    const order = await held(mover);
    await world.pass(3.5 * DAY);
    expect(await look(order)).toMatchObject({ status: 'aml_review', hold: 'open' });
    await clearFlag(books, mover.from, other);
    await world.pass(DAY + 60);
    await world.becomes(order, 'executed');
    await world.run(order).result();
    await world.keep(order, 'held by a flag, cleared without a word');
  });

  test.each(['cancel', 'reject'] as const)('does not keep from a decision to %s', async (kind) => {
    const mover = await openMover(books);
    const order = await held(mover);
    const wish = kind === 'cancel' ? by(mover.customer, kind, 'customer') : by(admin, kind);
    expect(await world.say(order, wish)).toEqual({ status: kind === 'cancel' ? 'cancelled' : 'rejected' });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
    await world.keep(order, `held by a flag, decided to ${kind}`);
  });

  test('is cleared and the transfer cancelled at once: one of them wins', async () => {
    const mover = await openMover(books);
    const order = await held(mover);
    await clearFlag(books, mover.from, other);
    const answers = await Promise.all([
      world.cleared(order),
      world.say(order, by(mover.customer, 'cancel', 'customer')),
    ]);
    const { status } = await look(order);
    expect(answers.filter((answer) => typeof answer === 'object')).toEqual([{ status }]);
    expect((await books.balance(mover.from)).held).toBe(0n);
  });

  test('holds also where the run is cancelled by an operator, and its clearing goes on', async () => {
    const mover = await openMover(books);
    const order = await held(mover);
    await world.run(order).cancel();
    // between two looks, so that the word comes before the next one
    await world.pass(2.5 * DAY);
    expect(await look(order)).toMatchObject({ status: 'aml_review' });
    await clearFlag(books, mover.from, other);
    expect(await world.cleared(order)).toEqual({ status: 'executed' });
  });

  test('raised while a payment waits for its window holds it when the window opens', async () => {
    const mover = await openMover(books);
    const type = await railType(books, { closed: true });
    const order = mover.outward(500n, type);
    expect(await world.begin(order)).toMatchObject({ status: 'queued' });
    await flag(books, mover.from);
    await openWindow(books, type);
    await world.pass(DAY + 60);
    await world.becomes(order, 'aml_review');
    expect(world.given).not.toContain(order.id);
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 500n });
    await clearFlag(books, mover.from, other);
    expect(await world.cleared(order)).toEqual({ status: 'submitted' });
    await until(() => world.given.includes(order.id));
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    await world.keep(order, 'flagged while queued, then settled');
  });
});

describe('the rail’s window', () => {
  async function queued(mover: Mover): Promise<{ order: TransferOrder; type: string }> {
    const type = await railType(books, { closed: true });
    const order = mover.outward(500n, type);
    expect(await world.begin(order)).toMatchObject({ status: 'queued' });
    return { order, type };
  }

  test('is waited for with the money held; where it has moved on by then, it is waited for again', async () => {
    const mover = await openMover(books);
    const { order, type } = await queued(mover);
    await world.shows(order, 'queued');
    const { due_in: first } = await look(order);
    await windowIn(books, type, 12 * HOUR);
    // for the process a day has passed, for the books none: the window is still closed
    await world.pass(DAY + 60);
    const moved = await look(order);
    expect(moved).toMatchObject({ status: 'queued', hold: 'open' });
    // midnight there is another one: the customer is shown the moment that counts
    expect(Math.abs((moved.due_in ?? 0) - (first ?? 0))).toBeGreaterThan(3 * HOUR);
    expect(world.given).not.toContain(order.id);
    await openWindow(books, type);
    await world.pass(DAY + 60);
    await world.becomes(order, 'submitted');
    await until(() => world.given.includes(order.id));
    expect(await books.balance(mover.from)).toEqual({ posted: 9_500n, held: 0n });
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    expect(await left(books, order.id)).toEqual({ 'customer EUR': '-500', 'nostro EUR': '500' });
    expect(world.given.filter((id) => id === order.id)).toHaveLength(1);
    await world.keep(order, 'queued twice, then settled');
  });

  test('is not waited for by who cancels', async () => {
    const mover = await openMover(books);
    const { order } = await queued(mover);
    expect(await world.say(order, by(mover.customer, 'cancel', 'customer'))).toEqual({ status: 'cancelled' });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
    await world.keep(order, 'queued, then cancelled');
  });

  test('opens while the customer cancels: either it is cancelled or it is gone, and the customer knows', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const mover = await openMover(books);
      const { order, type } = await queued(mover);
      await openWindow(books, type);
      // raced from here on only: the server cannot take an update in the moment in which its timer fires (temporalio/sdk-java#3088)
      const steps = world.stepsStand(order.id);
      const passing = world.pass(DAY + 60);
      await until(() => steps.isWaitedFor());
      steps.open();
      const answer = await world.say(order, by(mover.customer, 'cancel', 'customer'));
      await passing;
      await until(async () => (await look(order)).status !== 'queued');
      const { status } = await look(order);
      seen.add(status);
      expect(answer).toEqual(status === 'cancelled' ? { status } : 'transfer_not_pending');
      expect(await books.balance(mover.from)).toEqual({
        posted: status === 'cancelled' ? 10_000n : 9_500n,
        held: 0n,
      });
      expect(world.given.includes(order.id)).toBe(status === 'submitted');
    }
    expect([...seen].every((status) => ['cancelled', 'submitted'].includes(status))).toBe(true);
  });
});
