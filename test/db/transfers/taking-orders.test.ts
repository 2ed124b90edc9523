/** How the books take orders: a key stands for one order for ever, whoever crashes or comes twice, and nobody orders for another. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  createOrderTaker,
  isMade,
  type OrderClaim,
  type OrderTaker,
  type TakenOrder,
} from '../../../db/ledger/transfers.ts';
import { sqlStateOf } from '../../../db/sql-state.ts';
import { keepFirstRefusal } from '../../../db/queries/platform/idempotency-keys.ts';
import { AccountId, TransferId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { openMover, type Mover } from '../../support/bank/movements.ts';
import { claimOf } from '../../support/bank/orders.ts';
import { ownBank } from '../../support/stack/database.ts';
import { transferType } from '../../support/bank/transfers.ts';

let books: Books;
let mover: Mover;
beforeAll(async () => {
  books = openBooks(await ownBank());
  mover = await openMover(books, 1_000_000n);
});
afterAll(() => books.close());

const take = (...claims: OrderClaim[]) => {
  const taker = createOrderTaker(books.em, false);
  return Promise.all(claims.map((claim) => taker.submit(claim)));
};
/** As a client would that is told to come again: a slow machine may hold an account for longer than an order waits. */
async function patiently(taker: OrderTaker, claim: OrderClaim): Promise<TakenOrder> {
  for (;;) {
    try {
      return await taker.submit(claim);
    } catch (error) {
      if (sqlStateOf(error) !== '55P03') throw error;
    }
  }
}
const keyOf = async ({ key }: OrderClaim) =>
  books.asOwner('select resource_id, refusal from idempotency_keys where key = $1', [key?.key]);
const posted = async (id: string) =>
  (await books.asOwner('select id from ledger_transactions where source_id = $1', [id])).length;
const startOf = async (id: string) =>
  (await books.asOwner('select input from process_outbox where workflow_id = $1', [`transfer/${id}`]))[0];
/** The same key for another order, as a repeat brings it: the order has a fresh id. */
const again = (claim: OrderClaim): OrderClaim => ({
  ...claim,
  order: { ...claim.order, id: TransferId.parse(randomUUID()) },
});

test('what nothing holds is booked at once, with its key, and starts no process', async () => {
  const claim = claimOf(mover.order(500n));
  const [taken] = await take(claim);
  expect(taken).toMatchObject({ id: claim.order.id, status: 'executed', amount: 500n, refusal: null });
  expect(await keyOf(claim)).toEqual([{ resource_id: claim.order.id, refusal: null }]);
  expect(await posted(claim.order.id)).toBe(1);
  expect(await startOf(claim.order.id)).toBeUndefined();
});

test('what must wait is held and leaves the start of its process, which carries ids only', async () => {
  const type = await transferType(books, { approvalAbove: 0 });
  const claim = claimOf(mover.order(500n, { type }));
  const [taken] = await take(claim);
  expect(taken?.status).toBe('pending_approval');
  expect(await posted(claim.order.id)).toBe(0);
  expect((await startOf(claim.order.id))?.['input']).toMatchObject({
    workflowId: `transfer/${claim.order.id}`,
    input: { id: claim.order.id, kind: 'transfer', customerId: mover.customer },
  });
});

test('a bank that wants to see every transfer gets a process for those that end at once too', async () => {
  const claim = claimOf(mover.order(1n));
  await createOrderTaker(books.em, true).submit(claim);
  expect(await startOf(claim.order.id)).toBeDefined();
});

test('a repeat is told so and books nothing, alone or beside its twin in one batch', async () => {
  const claim = claimOf(mover.order(500n));
  const taken = await take(claim, again(claim), again(claim));
  expect(taken.map(({ isRepeat }) => isRepeat)).toEqual([false, true, true]);
  expect(await take(again(claim))).toMatchObject([{ isRepeat: true, id: null, refusal: null }]);
  expect(await posted(claim.order.id)).toBe(1);
});

test('a refusal is written beside the key, and the key stands for it from then on', async () => {
  const claim = claimOf(mover.order(99_000_000n));
  expect(await take(claim)).toMatchObject([{ refusal: 'insufficient_funds', isRepeat: false }]);
  expect(await keyOf(claim)).toMatchObject([{ refusal: { code: 'insufficient_funds' } }]);
  await books.fund(mover.from, 99_000_000n);
  expect(await take(again(claim))).toMatchObject([{ isRepeat: true }]);
  expect(await posted(claim.order.id)).toBe(0);
});

test('a step-up token pays for one order: the second one leaves no mark on its key', async () => {
  const stepUpId = randomUUID();
  const [one, two] = [claimOf(mover.order(1n), { stepUpId }), claimOf(mover.order(2n), { stepUpId })];
  const refusals = (await take(one, two)).map(({ refusal }) => refusal);
  expect(refusals).toEqual([null, 'step_up_required']);
  expect(await keyOf(two)).toEqual([]);
  expect(await take(two)).toMatchObject([{ refusal: 'step_up_required' }]);
});

test('a refusal that moved nothing does not spend the token', async () => {
  const stepUpId = randomUUID();
  const refused = claimOf(mover.order(1n, { source: mover.to }), { stepUpId });
  expect(await take(refused)).toMatchObject([{ refusal: 'not_found' }]);
  expect(await take(claimOf(mover.order(1n), { stepUpId }))).toMatchObject([{ refusal: null }]);
});

test('one order that breaks the books fails alone; the other 31 of its batch are booked', async () => {
  const claims = Array.from({ length: 32 }, () => claimOf(mover.order(1n)));
  const poisoned = claims.map((claim, place) =>
    place === 7 ? { ...claim, order: { ...claim.order, feeTotal: '5' } } : claim,
  );
  const taker = createOrderTaker(books.em, false);
  const outcomes = await Promise.allSettled(poisoned.map((claim) => taker.submit(claim)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(outcomes[7]?.status).toBe('rejected');
  expect(await keyOf(claims[7] ?? claimOf(mover.order(1n)))).toEqual([]);
});

test('nobody orders for another: not a customer from a stranger’s account, not without a schedule’s row, not an administrator without the right', async () => {
  const stranger = await books.user();
  const powerless = await books.admin(['transfers:review']);
  const adjustment = {
    id: TransferId.parse(randomUUID()),
    kind: 'adjustment',
    requestedBy: powerless,
    customerId: mover.customer,
    destination: mover.from,
    asset: 'EUR',
    amount: '500',
    description: '',
    reason: 'a gift',
  } as const;
  const taken = await take(
    claimOf(mover.order(1n), { caller: stranger }),
    claimOf(mover.order(1n, { requestedBy: stranger, customerId: stranger })),
    claimOf(mover.order(1n), { caller: null, key: null }),
    claimOf(adjustment),
    claimOf(adjustment, { caller: await books.admin(['adjustments:write']) }),
  );
  expect(taken.map(({ refusal }) => refusal)).toEqual([
    ...['not_found', 'not_found', 'not_found', 'forbidden', 'forbidden'],
  ]);
});

test('a customer pays a customer or somebody outside: no account of the bank, and not both at once', async () => {
  const [house] = await books.asOwner(`select house_account('nostro', 'EUR', $1) as id`, [randomUUID()]);
  const nostro = AccountId.parse(house?.['id']);
  const taken = await take(
    claimOf(mover.order(1n, { destination: nostro })),
    claimOf(mover.order(1n, { beneficiaryId: mover.beneficiary })),
  );
  expect(taken.map(({ refusal }) => refusal)).toEqual(['not_found', 'not_found']);
});

test('what was paid while a type had no limit counts once it has one again', async () => {
  const type = await transferType(books, { limits: [{ day: 1_000 }] });
  const pay = async (minor: bigint) => (await take(claimOf(mover.order(minor, { type }))))[0]?.refusal;
  expect(await pay(400n)).toBeNull();
  await books.asOwner('delete from transfer_limits where type_code = $1', [type]);
  expect(await pay(400n)).toBeNull();
  await books.asOwner(
    `insert into transfer_limits (type_code, asset, kyc_level, subject, day) values ($1, 'EUR', 0, 'user', 1000)`,
    [type],
  );
  expect(await pay(201n)).toBe('limit_exceeded');
  expect(await pay(200n)).toBeNull();
});

test('an adjustment always waits, whoever may ask for it', async () => {
  const maker = await books.admin(['adjustments:write']);
  const [taken] = await take(
    claimOf({
      ...{ id: TransferId.parse(randomUUID()), kind: 'adjustment', requestedBy: maker },
      ...{ customerId: mover.customer, destination: mover.from, asset: 'EUR', amount: '1' },
      ...{ description: '', reason: 'goodwill', approvalSeconds: 60 },
    }),
  );
  expect(taken?.status).toBe('pending_approval');
});

test('a refusal that the API finds early and the booking of a twin: whoever writes the key first decides', async () => {
  const takers = [createOrderTaker(books.em, false), createOrderTaker(books.em, false)];
  type Act<T> = () => Promise<T>;
  type Both = readonly [wrote: number, taken: TakenOrder | undefined];
  /** Whether the twin was booked. */
  async function isBooked(
    round: number,
    both: (refuse: Act<number>, book: Act<TakenOrder | undefined>) => Promise<Both>,
  ): Promise<boolean> {
    const claim = claimOf(mover.order(1n));
    const { operation, key, hmac } = claim.key ?? { operation: '', key: '', hmac: randomBytes(32) };
    const early = {
      ...{ caller: mover.customer, operation, key, hmac: Buffer.from(hmac), resourceId: randomUUID() },
      refusal: { code: 'rate_unavailable' as const, members: {}, detail: undefined },
    };
    const [wrote, taken] = await both(
      () => keepFirstRefusal.run(books.em(), early),
      async () => takers[round % 2]?.submit(claim),
    );
    const isIt = taken !== undefined && isMade(taken);
    expect(wrote === 1).toBe(!isIt);
    expect(await posted(claim.order.id)).toBe(isIt ? 1 : 0);
    return isIt;
  }
  for (let round = 0; round < 200; round++)
    await isBooked(round, (refuse, book) => Promise.all([refuse(), book()]));
  // whoever comes first, both ends are right
  expect(await isBooked(0, async (refuse, book) => [await refuse(), await book()])).toBe(false);
  expect(
    await isBooked(1, async (refuse, book) => {
      const taken = await book();
      return [await refuse(), taken];
    }),
  ).toBe(true);
});

test('keys and tokens that cross between two processes never stand in each other’s way', async () => {
  const before = await deadlocks();
  const takers = [createOrderTaker(books.em, false), createOrderTaker(books.em, false)] as const;
  for (let round = 0; round < 60; round++) {
    const [token, other] = [randomUUID(), randomUUID()];
    const one = claimOf(mover.order(1n), { stepUpId: token });
    const two = claimOf(mover.order(1n), { stepUpId: other });
    const outcomes = await Promise.all([
      patiently(takers[0], one),
      patiently(takers[0], two),
      patiently(takers[1], { ...again(two), stepUpId: token }),
      patiently(takers[1], { ...again(one), stepUpId: other }),
    ]);
    const made = outcomes.filter(isMade).map(({ id }) => id);
    const spent = await books.asOwner('select resource_id from step_up_uses where step_up_id = any ($1)', [
      [token, other],
    ]);
    // each token has paid for one order, and each key stands for one
    expect(spent.map((use) => use['resource_id']).toSorted()).toEqual(made.toSorted());
    const keys = [...(await keyOf(one)), ...(await keyOf(two))].map((key) => key['resource_id']);
    expect(keys.toSorted()).toEqual(made.toSorted());
  }
  expect(await deadlocks()).toBe(before);
});

async function deadlocks(): Promise<number> {
  const [row] = await books.asOwner(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row?.['deadlocks']);
}
