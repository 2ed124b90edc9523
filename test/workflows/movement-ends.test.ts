/** What the end of a movement leaves: limits given back, prices that were frozen, reversals. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { refuse } from '../../domain/refusals.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { AccountTypeId, TransferId, type AccountId, type UserId } from '../../domain/ids.ts';
import { priceTransfer } from '../../services/pricing/price.ts';
import { transferOrder } from '../../domain/transfers/orders.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';
import { insertFeeRule } from '../support/bank/pricing.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { approvalRunsOut, by, reviewer } from '../support/bank/decisions.ts';
import { openMovementWorld, type MovementWorld } from '../support/processes/movement-world.ts';
import { left, openMover, railType, type Mover } from '../support/bank/movements.ts';
import { replay, savedHistories } from '../support/processes/process-world.ts';
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

describe('a limit is given back where the payment', () => {
  interface Case {
    readonly mover: Mover;
    readonly type: string;
    readonly order: TransferOrder;
  }
  const decided = (kind: 'reject' | 'cancel' | 'execute') => (c: Case) =>
    world
      .say(c.order, kind === 'cancel' ? by(c.mover.customer, kind, 'customer') : by(admin, kind))
      .then(() => undefined);
  const ends: [string, number, string, (c: Case) => Promise<void>][] = [
    ['is rejected', 99, 'rejected', decided('reject')],
    ['is cancelled', 99, 'cancelled', decided('cancel')],
    [
      'expires',
      99,
      'expired',
      async (c) => {
        await approvalRunsOut(books, c.order.id);
        await world.pass(WEEK + 60);
      },
    ],
    [
      'fails',
      99,
      'failed',
      async (c) => {
        await books.asOwner(`select account_set_status($1, 'blocked')`, [c.mover.from]);
        await decided('execute')(c);
        await books.asOwner(`select account_set_status($1, 'open')`, [c.mover.from]);
      },
    ],
    ['is refused by the rail', 10_000, 'failed', (c) => world.report(c.order, 'rejected')],
    ['is returned', 10_000, 'returned', (c) => world.report(c.order, 'returned')],
    [
      'is returned after its end',
      10_000,
      'returned',
      async (c) => {
        await world.report(c.order, 'settled');
        await world.run(c.order).result();
        await world.report(c.order, 'returned');
      },
    ],
  ];
  test.each(ends)('%s', async (_how, approvalAbove, status, end) => {
    const mover = await openMover(books);
    const type = await railType(books, {
      approvalAbove,
      limits: [
        { day: 800, month: 800 },
        { subject: 'recipient', day: 500 },
      ],
    });
    const order = mover.outward(500n, type);
    await world.begin(order);
    expect(await world.begin(mover.outward(301n, type))).toBe('limit_exceeded');
    await end({ mover, type, order });
    await world.becomes(order, status as 'failed');
    expect(await world.begin(mover.outward(501n, type))).toBe('limit_exceeded');
    expect(await world.begin(mover.outward(500n, type))).toMatchObject({
      status: expect.stringMatching(/pending|submitted/),
    });
    expect(await world.begin(mover.outward(1n, type))).toBe('limit_exceeded');
  });

  test('is settled: then it is used up', async () => {
    const mover = await openMover(books);
    const type = await railType(books, { limits: [{ day: 500 }] });
    const order = mover.outward(500n, type);
    await world.begin(order);
    await world.report(order, 'settled');
    await world.becomes(order, 'executed');
    expect(await world.begin(mover.outward(1n, type))).toBe('limit_exceeded');
  });
});

describe('a price', () => {
  /** From krónur, which have no decimals, to rials, which have three; with a fee of 2 per cent. */
  async function converting(approvalAbove: number) {
    const type = await transferType(books, { assets: ['ISK'], approvalAbove });
    const types = await Promise.all(['ISK', 'OMR'].map((asset) => accountType(asset)));
    const [customer, friend] = [await books.user(), await books.user()];
    const [from, to] = [await books.account(customer, 'ISK'), await books.account(friend, 'OMR')];
    await books.fund(from, 200_000n, 'ISK');
    await rate('0.003', 50);
    await feeRule(type, 200);
    const price = await priceTransfer(
      { db: books.em(), actor: SYSTEM, refusal: refuse },
      {
        type,
        accountTypeId: AccountTypeId.parse(types[0]),
        sourceAsset: 'ISK',
        targetAsset: 'OMR',
        fixed: { side: 'source', minor: 100_000n },
      },
    );
    const order = transferOrder({
      id: TransferId.parse(randomUUID()),
      user: customer,
      type,
      source: from,
      payee: { account: { id: to } },
      price,
      description: '',
    });
    return { type, customer, from, to, price, order };
  }

  async function accountType(asset: string): Promise<string> {
    await books.asOwner(
      `insert into account_types (code, name, asset, openable_by) values ($1, 'Of a test', $2, 'customer') on conflict do nothing`,
      [`frozen_price_${asset.toLowerCase()}`, asset],
    );
    const [found] = await books.asOwner('select id from account_types where asset = $1 order by id limit 1', [
      asset,
    ]);
    return String(found?.['id']);
  }

  const rate = (value: string, spread: number) =>
    books.asOwner(
      `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source) values (uuidv7(), 'ISK', 'OMR', $1, $2, clock_timestamp(), 'test')`,
      [value, spread],
    );

  const feeRule = (transferType: string, rateBps: number) =>
    insertFeeRule(books, { purpose: 'transfer', asset: 'ISK', transferType, rateBps });

  const held = { posted: 200_000n, held: 102_000n };
  async function expectFrozen(from: AccountId, to: AccountId): Promise<void> {
    // 100,000 krónur at 0.003 are 300.000 rials; half a per cent of them stays with the bank
    expect(await books.balance(from)).toEqual({ posted: 98_000n, held: 0n });
    expect(await books.balance(to)).toEqual({ posted: 298_500n, held: 0n });
  }

  /** What takes it back, asked for by the administrator. */
  const reversal = ({
    customer,
    from,
    to,
    order,
  }: Awaited<ReturnType<typeof converting>>): TransferOrder => ({
    id: TransferId.parse(randomUUID()),
    kind: 'reversal',
    requestedBy: admin,
    customerId: customer,
    source: to,
    destination: from,
    asset: 'OMR',
    amount: '298500',
    targetAsset: 'ISK',
    targetAmount: '102000',
    description: '',
    reason: 'sent twice by mistake',
    reversesId: order.id,
    approvalSeconds: DAY,
  });

  test('that was agreed is what is booked after an approval, whatever rate and fee are by then', async () => {
    const { type, from, to, order, price } = await converting(99);
    expect(price).toMatchObject({ target: { minor: 298_500n }, totalDebit: { minor: 102_000n } });
    expect(await world.begin(order)).toMatchObject({ status: 'pending_approval' });
    expect(await books.balance(from)).toEqual(held);
    await rate('0.001', 100);
    await feeRule(type, 900);
    expect(await world.say(order, by(admin, 'execute'))).toEqual({ status: 'executed' });
    await expectFrozen(from, to);
    expect(await left(books, order.id)).toEqual({
      'customer ISK': '-102000',
      'customer OMR': '298500',
      'fees ISK': '2000',
      'fx_position ISK': '100000',
      'fx_position OMR': '-300000',
      'fx_spread OMR': '1500',
    });
    await world.keep(order, 'priced, approved at the frozen price');
  });

  test('with its fee is held and freed as a whole', async () => {
    const { customer, from, to, order } = await converting(99);
    await world.begin(order);
    expect(await books.balance(from)).toEqual(held);
    expect(await world.say(order, by(customer, 'cancel', 'customer'))).toEqual({ status: 'cancelled' });
    expect(await books.balance(from)).toEqual({ posted: 200_000n, held: 0n });
    expect(await books.balance(to)).toEqual({ posted: 0n, held: 0n });
  });

  test('is taken back with its fee, its spread and its exchange; once', async () => {
    const priced = await converting(10_000_000);
    const { customer, from, to, order } = priced;
    expect(await world.begin(order)).toEqual({ status: 'executed' });
    await expectFrozen(from, to);
    await rate('0.009', 10);
    const asked = [reversal(priced), reversal(priced)];
    const answers = await Promise.all(asked.map((wish) => world.begin(wish)));
    expect(answers.toSorted((one) => (typeof one === 'string' ? 1 : -1))).toEqual([
      { status: 'pending_approval' },
      'not_reversible',
    ]);
    expect(await books.balance(to)).toEqual({ posted: 298_500n, held: 298_500n });
    const [wish] = asked.filter((_, index) => typeof answers[index] !== 'string');
    if (wish === undefined) throw new Error('neither reversal was begun');
    expect(await world.say(wish, by(admin, 'execute'))).toBe('same_person');
    expect(await world.say(wish, by(customer, 'execute', 'customer'))).toBe('permission_not_held');
    expect(await world.say(wish, by(other, 'execute'))).toEqual({ status: 'executed' });
    expect(await books.balance(from)).toEqual({ posted: 200_000n, held: 0n });
    expect(await books.balance(to)).toEqual({ posted: 0n, held: 0n });
    const net = await books.asOwner(
      `select a.id from ledger_transactions t join ledger_entries e on e.transaction_id = t.id join accounts a on a.id = e.account_id
        where t.source_id = any ($1) group by a.id having sum(e.amount) <> 0`,
      [[order.id, wish.id]],
    );
    expect(net).toEqual([]);
    await world.keep(wish, 'executed by another administrator, with fee and exchange');
  });

  test('is not taken back where nobody approves it in time, or somebody rejects it; then it can be asked for again', async () => {
    const priced = await converting(10_000_000);
    const { from, to, order } = priced;
    await world.begin(order);
    const [late, refused] = [reversal(priced), reversal(priced)];
    await world.begin(late);
    await approvalRunsOut(books, late.id);
    await world.pass(DAY + 60);
    await world.becomes(late, 'expired');
    await world.keep(late, 'expired');
    expect(await world.begin(refused)).toMatchObject({ status: 'pending_approval' });
    expect(await world.say(refused, by(other, 'reject'))).toEqual({ status: 'rejected' });
    await world.keep(refused, 'rejected');
    await expectFrozen(from, to);
  });
});

describe('saved runs of reversal', () => {
  test.each(savedHistories('reversal'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
