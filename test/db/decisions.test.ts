/** What a decision on a transfer looks at, and which limit holds for somebody whom nobody has identified. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { carryOut } from '../../db/ledger/transfers.ts';
import { openOrders } from '../support/bank/orders.ts';
import { transferState } from '../../db/queries/transfers/transfers.ts';
import { transferTypesFor } from '../../db/queries/transfers/transfer-types.ts';
import type { UserId } from '../../domain/ids.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { accepted, approvalRunsOut, by, decideInBooks, reviewer } from '../support/bank/decisions.ts';
import { clearFlag, flag, openMover, openWindow, railType, type Mover } from '../support/bank/movements.ts';
import { until } from '../support/stack/processes.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { transferType } from '../support/bank/transfers.ts';

const BYSTANDERS = 300;

let books: Books;
let database: Database;
let decider: UserId;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
  decider = await reviewer(books);
});
afterAll(() => books.close());

const open = (order: TransferOrder) => openOrders(books).submit(order);

test('a decision looks at the accounts that it moves money between, however many there are', async () => {
  const bystander = await books.user();
  await books.asOwner(
    `insert into accounts (kind, owner_id, account_type_id, number, asset)
       select 'customer', $1, t.id, next_account_number(), t.asset from account_types t, generate_series(1, $2) where t.code = 'current_eur'`,
    [bystander, BYSTANDERS],
  );
  const type = await railType(books, { approvalAbove: 0 });
  const order = (await openMover(books)).outward(500n, type);
  expect(await open(order)).toMatchObject({ status: 'pending_approval' });
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ status: string }>(
      `select status from transfer_carry_out($1, 'decision', $2)`,
      [order.id, (await accepted(books, order.id, by(decider, 'reject'))).accepted],
    );
    expect(rows).toEqual([{ status: 'rejected' }]);
    const looks = await client.query<{ scans: string }>(
      `select seq_scan + coalesce(idx_scan, 0) as scans from pg_stat_xact_user_tables where relname = 'accounts'`,
    );
    expect(Number(looks.rows[0]?.scans)).toBeLessThan(BYSTANDERS / 3);
    await client.query('rollback');
  } finally {
    await client.end();
  }
});

test('whoever is known less than any level with a limit has the limit of the lowest', async () => {
  const limits = [
    { level: 1, single: 100_000 },
    { level: 2, single: 900_000 },
  ];
  const type = await transferType(books, { limits });
  const mover = await openMover(books, 2_000_000n);
  const told = async () =>
    (
      await transferTypesFor.all(books.em(), {
        customer: mover.customer,
        after: type.slice(0, -1),
        most: 1,
      })
    )[0]?.limits;
  expect(await told()).toMatchObject([{ single: 100_000n }]);
  const pay = (minor: bigint) => open(mover.order(minor, { type }));
  expect(await pay(100_001n)).toMatchObject({ refusal: 'limit_exceeded' });
  expect(await pay(100_000n)).toMatchObject({ refusal: null });
  await books.asOwner('update users set kyc_level = 2 where id = $1', [mover.customer]);
  expect(await pay(100_001n)).toMatchObject({ refusal: null });
  expect(await told()).toMatchObject([{ single: 900_000n }]);
});

test('a process that looks hears how long the transfer waits, and of no wait once it is over', async () => {
  const type = await transferType(books, { approvalAbove: 99 });
  const mover = await openMover(books);
  const waiting = mover.order(100n, { type });
  await open(waiting);
  const stands = ({ id }: TransferOrder) => transferState.first(books.em(), { id });
  expect(await stands(waiting)).toEqual({
    status: 'pending_approval',
    waitSeconds: expect.any(Number),
    decision: null,
  });
  const { accepted: decision } = await accepted(books, waiting.id, by(decider, 'execute'));
  expect(await stands(waiting)).toMatchObject({ status: 'pending_approval', decision });
  if (decision !== null) await carryOut(books.em(), waiting.id, { source: 'decision', id: decision });
  const over = { status: 'executed', waitSeconds: null, decision: null };
  expect(await stands(waiting)).toEqual(over);
  const booked = mover.order(99n, { type });
  await open(booked);
  expect(await stands(booked)).toEqual(over);
});

describe('time and people', () => {
  const byTime = ({ id }: TransferOrder) => carryOut(books.em(), id, { source: 'time' });
  const REFUSED = { refusal: 'transfer_not_pending', changed: false };

  /** A transfer of 1.00 that waits for an approval whose time is over. */
  async function late(mover: Mover): Promise<TransferOrder> {
    const order = mover.order(100n, { type: await transferType(books, { approvalAbove: 99 }) });
    expect(await open(order)).toMatchObject({ status: 'pending_approval' });
    await approvalRunsOut(books, order.id);
    return order;
  }

  test('nothing is approved after its time, also if nobody has expired it yet', async () => {
    const mover = await openMover(books);
    const order = await late(mover);
    expect(await decideInBooks(books, order.id, by(decider, 'execute'))).toMatchObject(REFUSED);
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 100n });
    expect(await byTime(order)).toMatchObject({ status: 'expired', changed: true });
  });

  test('what waits for its expiry may be rejected and cancelled: either lets the money go', async () => {
    const mover = await openMover(books);
    const [rejected, cancelled] = [await late(mover), await late(mover)];
    expect(await decideInBooks(books, rejected.id, by(decider, 'reject'))).toMatchObject({
      status: 'rejected',
    });
    expect(await decideInBooks(books, cancelled.id, by(mover.customer, 'cancel', 'customer'))).toMatchObject({
      status: 'cancelled',
    });
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 0n });
  });

  test('an approval that was accepted in time is carried out after it, and time does not come first', async () => {
    const mover = await openMover(books);
    const order = mover.order(100n, { type: await transferType(books, { approvalAbove: 99 }) });
    await open(order);
    const { accepted: decision } = await accepted(books, order.id, by(decider, 'execute'));
    await approvalRunsOut(books, order.id);
    expect(await byTime(order)).toMatchObject(REFUSED);
    if (decision === null) throw new Error('the approval was not accepted');
    expect(await carryOut(books.em(), order.id, { source: 'decision', id: decision })).toMatchObject({
      status: 'executed',
      changed: true,
    });
  });

  test('an approval and the end of its time come at once: the approval is refused, or it stands', async () => {
    const mover = await openMover(books);
    const type = await transferType(books, { approvalAbove: 99 });
    for (let round = 0; round < 20; round++) {
      const order = mover.order(100n, { type });
      await open(order);
      await approvalRunsOut(books, order.id, 0.005);
      const [decided] = await Promise.all([
        decideInBooks(books, order.id, by(decider, 'execute')),
        until(async () => (await byTime(order)).status !== 'pending_approval'),
      ]);
      const { status } = await byTime(order);
      expect(decided.refusal === null ? 'executed' : 'expired').toBe(status);
    }
    expect((await books.balance(mover.from)).held).toBe(0n);
  });

  test('a payment whose cancellation was accepted does not leave when the rail opens', async () => {
    const mover = await openMover(books);
    const type = await railType(books, { closed: true });
    const order = mover.outward(100n, type);
    expect(await open(order)).toMatchObject({ status: 'queued' });
    await accepted(books, order.id, by(mover.customer, 'cancel', 'customer'));
    await openWindow(books, type);
    expect(await byTime(order)).toMatchObject(REFUSED);
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 100n });
  });

  test('a payment whose cancellation was accepted does not go on when its flag is cleared', async () => {
    const mover = await openMover(books);
    await flag(books, mover.from);
    const order = mover.order(100n);
    expect(await open(order)).toMatchObject({ status: 'aml_review' });
    await accepted(books, order.id, by(mover.customer, 'cancel', 'customer'));
    await clearFlag(books, mover.from, decider);
    expect(await byTime(order)).toMatchObject(REFUSED);
    expect(await books.balance(mover.from)).toEqual({ posted: 10_000n, held: 100n });
  });
});
