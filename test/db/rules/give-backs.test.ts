/** What a payment has used of a limit is given back once if it ends without the money having gone: beside other payments, in its own period, and whichever release has counted it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createOrderTaker, failTransfer, type TakenOrder } from '../../../db/ledger/transfers.ts';
import { sqlStateOf } from '../../../db/sql-state.ts';
import { TransferId, type UserId } from '../../../domain/ids.ts';
import type { TransferOrder } from '../../../domain/transfers/transfers.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { atMoment } from '../../support/bank/clock.ts';
import { by, decideInBooks, reviewer } from '../../support/bank/decisions.ts';
import { openMover, railType, type Mover } from '../../support/bank/movements.ts';
import { claimOf } from '../../support/bank/orders.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import { limitType, transferType } from '../../support/bank/transfers.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
let admin: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  admin = await reviewer(books);
});
afterAll(async () => {
  // after everything that a test has dated
  const end = `${String(new Date().getUTCFullYear() + 2)}-01-01T00:00:00Z`;
  const broken = await atMoment(books, end, () => brokenChecks(books.em()));
  await books.close();
  expect(broken).toEqual([]);
});

interface Made {
  readonly id: TransferId;
  readonly refusal: string | null;
  readonly members: unknown;
}

/** Each call is a process of the API of its own, so that calls at the same moment are transactions at the same moment. */
async function pay(mover: Mover, type: string, minor: bigint): Promise<Made> {
  const order = mover.order(minor, { type });
  const { refusal, members } = await given(order);
  return { id: order.id, refusal, members };
}
async function given(order: TransferOrder): Promise<TakenOrder> {
  const claim = claimOf(order);
  return untilFree(() => createOrderTaker(books.em, false).submit(claim));
}
/** As a caller does that is told to come again: a slow machine may hold an account for longer than a statement waits. */
async function untilFree<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (sqlStateOf(error) !== '55P03') throw error;
    }
  }
}
const cancel = (mover: Mover, id: TransferId) =>
  untilFree(() => decideInBooks(books, id, by(mover.customer, 'cancel', 'customer')));

/** What the counter of a customer says of a type, beside the payments that have not ended without the money having gone. */
async function counted(mover: Mover, type: string): Promise<{ counter: string; payments: string }> {
  const [row] = await books.asOwner(
    `select (select coalesce(sum(amount), 0)::text from limit_counters
              where owner_id = $1 and scope = 'transfer/' || $2 and subject = 'user') as counter,
            (select coalesce(sum(amount), 0)::text from transfers
              where customer_id = $1 and type_code = $2 and not transfer_is_unspent(status)) as payments`,
    [mover.customer, type],
  );
  return { counter: String(row?.['counter']), payments: String(row?.['payments']) };
}

/** As an upgrade from a release without counters leaves the bank. */
async function forgetCounters(): Promise<void> {
  await books.asOwner('truncate limit_counters, limit_uses');
}

describe('at the same moment', () => {
  test('ten payments are cancelled and twenty are asked for: no more are taken than there is room for, and none is counted twice', async () => {
    const type = await transferType(books, { approvalAbove: 0, limits: [{ day: 1_000 }] });
    const mover = await openMover(books, 100_000n);
    let waiting: Made[] = [];
    for (let round = 0; round < 5; round++) {
      const [, asked] = await Promise.all([
        Promise.all(waiting.flatMap(({ id }) => [cancel(mover, id), cancel(mover, id)])),
        Promise.all(Array.from({ length: 20 }, () => pay(mover, type, 100n))),
      ]);
      waiting = asked.filter(({ refusal }) => refusal === null);
      const { counter, payments } = await counted(mover, type);
      expect(counter).toBe(payments);
      expect(Number(counter)).toBeLessThanOrEqual(1_000);
      // what is left is exactly what was given back and not taken yet
      while (waiting.length < 10) {
        const one = await pay(mover, type, 100n);
        expect(one).toMatchObject({ refusal: null });
        waiting.push(one);
      }
      expect((await pay(mover, type, 1n)).refusal).toBe('limit_exceeded');
    }
  });

  test('the first payments after an upgrade beside the end of one from before it', async () => {
    const type = await transferType(books, { approvalAbove: 0, limits: [{ day: 1_000 }] });
    for (let round = 0; round < 8; round++) {
      const mover = await openMover(books, 100_000n);
      const [before] = await Promise.all([pay(mover, type, 700n), pay(mover, type, 300n)]);
      await forgetCounters();
      const [, , ...asked] = await Promise.all([
        cancel(mover, before.id),
        untilFree(() => failTransfer(books.em(), before.id)),
        ...Array.from({ length: 6 }, () => pay(mover, type, 350n)),
      ]);
      const { counter, payments } = await counted(mover, type);
      const taken = asked.filter(({ refusal }) => refusal === null).length;
      expect(payments).toBe(String(300 + 350 * taken));
      // if nobody was taken before the end, nobody has made the counter yet
      const next = await pay(mover, type, BigInt(1_000 - Number(payments)) + 1n);
      expect(next).toMatchObject({ refusal: 'limit_exceeded' });
      expect((await counted(mover, type)).counter).toBe(payments);
      expect([counter, '0']).toContain(counter);
    }
  });

  test('a limit that is set while a payment is being booked counts that payment', async () => {
    const type = await transferType(books);
    const mover = await openMover(books);
    // the next payment is from another account, so that it waits for nothing of this one
    const second = await books.account(mover.customer);
    await books.fund(second, 10_000n);
    let isSet = false;
    let setting: Promise<void> = Promise.resolve();
    await books.ownerEm().transactional(async (db) => {
      const taker = createOrderTaker(() => db, false);
      expect((await taker.submit(claimOf(mover.order(400n, { type })))).refusal).toBeNull();
      setting = limitType(books, type, { day: 1_000 }).then(() => {
        isSet = true;
      });
      await wait(200);
      expect(isSet).toBe(false);
    });
    await setting;
    expect(
      await pay(
        { ...mover, order: (minor, changes) => mover.order(minor, { ...changes, source: second }) },
        type,
        601n,
      ),
    ).toMatchObject({
      refusal: 'limit_exceeded',
      members: { limit: { used: '4.00', remaining: '6.00' } },
    });
  });
});

describe('the first limited payment after an upgrade', () => {
  const LIMITS = [
    { day: 5_000, month: 5_000 },
    { subject: 'account', day: 5_000 },
    { subject: 'recipient', day: 5_000 },
  ] as const;

  test.each(['user', 'account', 'recipient'] as const)(
    'counts for the %s what was paid before it and has not come back',
    async (subject) => {
      const type = await railType(books, { approvalAbove: 900, closed: true });
      const mover = await openMover(books, 100_000n);
      const order = async (minor: bigint) => {
        const wanted = mover.outward(minor, type);
        await given(wanted);
        return wanted.id;
      };
      await order(100n);
      const [cancelled, rejected, failed, waiting] = [
        await order(200n),
        await order(901n),
        await order(300n),
        await order(1_000n),
      ];
      await cancel(mover, cancelled);
      await decideInBooks(books, rejected, by(admin, 'reject'));
      await failTransfer(books.em(), failed);
      for (const limit of LIMITS.filter((one) => ('subject' in one ? one.subject : 'user') === subject))
        await limitType(books, type, limit);
      await forgetCounters();
      const next = mover.outward(3_901n, type);
      const { refusal, members } = await given(next);
      expect({ refusal, members }).toEqual({
        refusal: 'limit_exceeded',
        members: { limit: expect.objectContaining({ subject, used: '11.00', remaining: '39.00' }) },
      });
      // counted before the upgrade, given back after it
      await cancel(mover, waiting);
      const again = await given(mover.outward(3_901n, type));
      expect(again).toMatchObject({ refusal: null });
    },
  );
});

test('a payment that was booked and is taken back later has used its limit', async () => {
  const type = await transferType(books, { limits: [{ day: 1_000 }] });
  const mover = await openMover(books);
  const { id } = await pay(mover, type, 1_000n);
  const maker = await books.admin(['transfers:reverse']);
  const reversal: TransferOrder = {
    ...{ id: TransferId.parse(randomUUID()), kind: 'reversal', requestedBy: maker, customerId: mover.friend },
    ...{ source: mover.to, destination: mover.from, asset: 'EUR', amount: '1000', reversesId: id },
    ...{ description: '', reason: 'sent by mistake', approvalSeconds: 3_600 },
  };
  const taken = await given(reversal);
  expect(taken).toMatchObject({ refusal: null, status: 'pending_approval' });
  expect(await decideInBooks(books, reversal.id, by(admin, 'execute'))).toMatchObject({ status: 'executed' });
  expect((await pay(mover, type, 1n)).refusal).toBe('limit_exceeded');
});

// the last one, because nothing is booked before what it has booked
test('what is given back after its day, its month or an upgrade makes room in its own time only', async () => {
  const type = await transferType(books, { approvalAbove: 0, limits: [{ day: 1_000, month: 1_500 }] });
  const mover = await openMover(books, 0n);
  const at = <Result>(moment: string, work: () => Promise<Result>) => atMoment(books, moment, work);
  const refused = (period: string, used: string) => ({
    refusal: 'limit_exceeded',
    members: { limit: expect.objectContaining({ period, used }) },
  });
  // a day before the one of 23 hours, that day, and one of the next month
  const year = new Date().getUTCFullYear() + 1;
  const sunday = Array.from({ length: 31 }, (_, n) => new Date(Date.UTC(year, 2, n + 1)))
    .filter((day) => day.getUTCDay() === 0)
    .at(-1)
    ?.toISOString()
    .slice(0, 10);
  const eve = new Date(Date.parse(String(sunday)) - 3_660_000).toISOString();
  const first = await at(eve, async () => {
    await books.fund(mover.from, 100_000n);
    return pay(mover, type, 1_000n);
  });
  // half an hour after midnight in Berlin, which in UTC is the day before
  const [second, third] = await at(`${String(sunday)}T00:30:00Z`, async () => [
    await pay(mover, type, 300n),
    await pay(mover, type, 100n),
  ]);
  await at(`${String(sunday)}T21:59:00Z`, async () => {
    await forgetCounters();
    expect(await pay(mover, type, 601n)).toMatchObject(refused('day', '4.00'));
    expect(await pay(mover, type, 101n)).toMatchObject(refused('month', '14.00'));
    await cancel(mover, first.id);
    await cancel(mover, first.id);
    expect(await pay(mover, type, 601n)).toMatchObject(refused('day', '4.00'));
    await cancel(mover, third?.id);
    expect(await pay(mover, type, 701n)).toMatchObject(refused('day', '3.00'));
  });
  await at(`${String(year)}-04-15T10:00:00Z`, async () => {
    expect(await pay(mover, type, 900n)).toMatchObject({ refusal: null });
    expect(await decideInBooks(books, second?.id, by(admin, 'reject'))).toMatchObject({
      changed: true,
    });
    expect(await pay(mover, type, 101n)).toMatchObject(refused('day', '9.00'));
    expect(await counted(mover, type)).toEqual({ counter: '900', payments: '900' });
  });
});
