/** The waits of a movement before its money leaves: approval, the watch against money-laundering, the rail's window. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { refuse } from '../../domain/refusals.ts';
import { decideOn } from '../../services/transfers/decisions.ts';
import { transferById } from '../../db/queries/transfers/transfers.ts';
import type { UserId } from '../../domain/ids.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { accountChanged } from '../../workflows/transfer/contract.ts';
import { transferProcess } from '../../workflows/transfer/process.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { by, openMovementWorld, type MovementWorld } from '../support/processes/movement-world.ts';
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
  [admin, other] = [await books.user(), await books.user()];
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
  test('that is being carried out stands; the decisions that came behind it learn that they were late', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    const barrier = world.decisionsStand(order.id);
    const first = world.say(order, by(admin, 'execute'));
    await until(() => barrier.isWaitedFor());
    const later = [
      world.say(order, by(other, 'execute')),
      world.say(order, by(mover.customer, 'cancel', 'customer')),
      world.say(order, by(other, 'reject')),
    ];
    await world.heard(order, 4);
    barrier.open();
    expect(await first).toEqual({ status: 'executed' });
    expect(await Promise.all(later)).toEqual(Array(3).fill('transfer_not_pending'));
    expect(await books.balance(mover.to)).toEqual({ posted: 500n, held: 0n });
    expect(await look(order)).toMatchObject({ decided_by: admin, approved_by: admin });
    await world.keep(order, 'decided by one of four at once');
  });

  test('of what needs none is refused, also while it is being opened', async () => {
    const mover = await openMover(books);
    const order = mover.outward(500n, await railType(books, { closed: true }));
    expect(await world.sayAtOnce(order, by(admin, 'execute'))).toEqual({ refused: 'transfer_not_pending' });
    expect(await look(order)).toMatchObject({ status: 'queued', decided_by: null });
    expect(await world.say(order, by(admin, 'execute'))).toBe('transfer_not_pending');
  });

  test('races the customer’s cancellation: one of them wins, both learn which, the money is where the winner says', async () => {
    const wins = new Map<string, number>();
    for (let round = 0; round < 12; round++) {
      const mover = await openMover(books);
      const order = await pending(mover);
      const acts = [by(admin, 'execute'), by(mover.customer, 'cancel', 'customer')];
      if (round % 2 === 1) acts.reverse();
      const answers = await Promise.all(acts.map((decision) => world.say(order, decision)));
      const { status } = await look(order);
      wins.set(status, (wins.get(status) ?? 0) + 1);
      expect(answers.filter((answer) => typeof answer === 'object')).toEqual([{ status }]);
      expect(
        answers
          .filter((answer) => typeof answer !== 'object')
          .every((answer) => ['transfer_not_pending', 'ended'].includes(answer)),
      ).toBe(true);
      expect(await books.balance(mover.from)).toEqual({
        posted: status === 'executed' ? 9_500n : 10_000n,
        held: 0n,
      });
    }
    expect([...wins.keys()].every((status) => ['executed', 'cancelled'].includes(status))).toBe(true);
  });

  test('comes while its time runs out: one of them wins', async () => {
    const mover = await openMover(books);
    const order = await pending(mover);
    const [, answer] = await Promise.all([world.pass(WEEK), world.say(order, by(admin, 'execute'))]);
    await until(async () => ['executed', 'expired'].includes((await look(order)).status));
    const { status } = await look(order);
    expect(answer).toEqual(
      status === 'executed' ? { status } : expect.stringMatching(/ended|transfer_not_pending/),
    );
    expect((await books.balance(mover.from)).held).toBe(0n);
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
    const row = await transferById.first(books.em(), { id: order.id });
    if (row === undefined) throw new Error('it is gone');
    const decided = await decideOn(
      row,
      by(admin, 'execute'),
      randomUUID(),
      { db: books.em(), refusal: refuse },
      {
        processes: world.processes,
      },
    );
    expect(decided).toMatchObject({ status: 'executed' });
    expect((await books.balance(mover.to)).posted).toBe(500n);
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
    expect(await world.cleared(order, other)).toBe('aml_flag_open');
    expect(await world.say(order, by(admin, 'execute'))).toBe('transfer_not_pending');
    await clearFlag(books, mover.from, other);
    expect(await world.cleared(order, other)).toEqual({ status: 'executed' });
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
    expect(await world.say(order, by(kind === 'cancel' ? mover.customer : admin, kind))).toMatchObject({
      status: kind === 'cancel' ? 'cancelled' : 'rejected',
    });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
    await world.keep(order, `held by a flag, decided to ${kind}`);
  });

  test('is cleared and the transfer cancelled at once: one of them wins', async () => {
    const mover = await openMover(books);
    const order = await held(mover);
    await clearFlag(books, mover.from, other);
    const answers = await Promise.all([
      world.cleared(order, other),
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
    expect(await world.cleared(order, other)).toEqual({ status: 'executed' });
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
    expect(await world.cleared(order, other)).toEqual({ status: 'submitted' });
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
    await books.asOwner(`update transfer_types set cut_off_zone = 'Pacific/Honolulu' where code = $1`, [
      type,
    ]);
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
      const [, answer] = await Promise.all([
        world.pass(DAY + 60),
        world.say(order, by(mover.customer, 'cancel', 'customer')),
      ]);
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
