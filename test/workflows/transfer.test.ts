/** The processes of transfers and adjustments: every way they can end, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { transferActivities } from '../../activities/transfers.ts';
import { rows } from '../support/stack/sql.ts';
import { DecisionId, TransferId, type AccountId, type UserId } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/refusals.ts';
import { isOpen, movementOf, type TransferOrder } from '../../domain/transfers/transfers.ts';
import { openOrders } from '../support/bank/orders.ts';
import { decide } from '../../workflows/transfer/contract.ts';
import { decideOn, type Wish } from '../../services/transfers/decisions.ts';
import { accepted, approvalRunsOut, by, reviewer } from '../support/bank/decisions.ts';
import { beginMovement } from '../support/processes/begin-movement.ts';
import { untilShown } from '../support/processes/started.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';

const OVER_THRESHOLD = 1_000_001n;
const WEEK_SECONDS = 7 * 24 * 3600;

let books: Books;
let world: ProcessWorld;
let customer: UserId;
let maker: UserId;
let checker: UserId;
let from: AccountId;
let to: AccountId;

beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openProcessWorld(transferActivities({ em: books.em }), books.em);
  [customer, maker, checker] = [await books.user(), await reviewer(books), await reviewer(books)];
  [from, to] = [await books.account(customer), await books.account(customer)];
  await books.fund(from, 10n * OVER_THRESHOLD);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

function order(minor: bigint, changes: Partial<TransferOrder> = {}): TransferOrder {
  return {
    id: TransferId.parse(randomUUID()),
    kind: 'transfer',
    type: 'internal',
    requestedBy: customer,
    customerId: customer,
    source: from,
    destination: to,
    asset: 'EUR',
    amount: minor.toString(),
    description: '',
    ...changes,
  };
}

/** What must wait has a process then, which has looked at it once. */
const begin = async (wish: TransferOrder) => {
  const begun = await beginMovement(books, world.processes, wish);
  if (typeof begun !== 'string' && isOpen(begun.status))
    await untilShown(world.env.client.workflow.getHandle(`${wish.kind}/${wish.id}`));
  return begun;
};
const say = async (order: TransferOrder, wish: Omit<Wish, 'id'>) => {
  const { status } = await decideOn(
    order.id,
    { ...wish, id: DecisionId.parse(randomUUID()) },
    books.em(),
    world,
  );
  return { status };
};
const code = (error: unknown): string => (isRefusal(error) ? error.code : String(error));

test('a transfer up to the threshold is executed at once and has no process', async () => {
  const wish = order(OVER_THRESHOLD - 1n);
  const before = await books.balance(to);
  expect(await begin(wish)).toEqual({ status: 'executed' });
  expect((await books.balance(to)).posted).toBe(before.posted + OVER_THRESHOLD - 1n);
  await expect(world.env.client.workflow.getHandle(`transfer/${wish.id}`).describe()).rejects.toThrow(
    WorkflowNotFoundError,
  );
});

test('one minor unit over the threshold waits with the money held, until another person executes it', async () => {
  const wish = order(OVER_THRESHOLD);
  const before = await books.balance(from);
  expect(await begin(wish)).toMatchObject({ status: 'pending_approval' });
  expect(await books.balance(from)).toEqual({ posted: before.posted, held: before.held + OVER_THRESHOLD });
  expect(await world.status(`transfer/${wish.id}`)).toBe('pending_approval');
  const own = await reviewer(books, customer);
  await expect(say(wish, by(own, 'execute')).catch(code)).resolves.toBe('same_person');
  expect(await say(wish, by(checker, 'execute'))).toEqual({ status: 'executed' });
  expect(await books.balance(from)).toEqual({ posted: before.posted - OVER_THRESHOLD, held: before.held });
  await world.save(`transfer/${wish.id}`, 'transfer', 'executed after approval');
});

test.each([
  ['reject', 'rejected'],
  ['cancel', 'cancelled'],
] as const)('a decision to %s frees the money', async (kind, status) => {
  const wish = order(OVER_THRESHOLD);
  const before = await books.balance(from);
  await begin(wish);
  expect(await say(wish, by(checker, kind))).toEqual({ status });
  expect(await books.balance(from)).toEqual(before);
  await world.save(`transfer/${wish.id}`, 'transfer', `decided to ${kind}`);
});

test('execute, reject and cancel at once: exactly one stands, the others learn that it is decided', async () => {
  const wish = order(OVER_THRESHOLD);
  await begin(wish);
  const asked = (['execute', 'reject', 'cancel'] as const).flatMap((kind) => [
    say(wish, by(checker, kind)),
    say(wish, by(maker, kind)),
  ]);
  const answers = await Promise.all(asked.map((answer) => answer.catch(code)));
  expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(1);
  expect(answers.filter((answer) => answer === 'transfer_not_pending')).toHaveLength(5);
  expect((await books.balance(from)).held).toBe(0n);
});

test('an undecided transfer expires after its week and frees the money', async () => {
  const wish = order(OVER_THRESHOLD);
  const before = await books.balance(from);
  await begin(wish);
  await world.pass(WEEK_SECONDS - 60);
  expect((await books.balance(from)).held).toBe(before.held + OVER_THRESHOLD);
  await approvalRunsOut(books, wish.id);
  await world.pass(120);
  expect(await world.env.client.workflow.getHandle(`transfer/${wish.id}`).result()).toEqual({
    status: 'expired',
  });
  expect(await books.balance(from)).toEqual(before);
  await expect(say(wish, by(checker, 'execute')).catch(code)).resolves.toBe('transfer_not_pending');
  await world.save(`transfer/${wish.id}`, 'transfer', 'expired');
});

test('a decision that comes while the opening is looked at again, as after a crash, is taken and not refused', async () => {
  const decideAtOnce = async (wish: TransferOrder) => {
    await openOrders(books).submit(wish);
    const taken = await accepted(books, wish.id, by(checker, 'execute'));
    const decision = taken.accepted ?? DecisionId.parse(randomUUID());
    return world.env.client.workflow.executeUpdateWithStart(decide, {
      args: [{ decision }],
      startWorkflowOperation: new WithStartWorkflowOperation('transfer', {
        workflowId: `transfer/${wish.id}`,
        taskQueue: 'test-money',
        args: [movementOf(wish)],
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
  };
  expect(await decideAtOnce(order(OVER_THRESHOLD))).toEqual({ status: 'executed' });
  // nobody has taken such a decision
  expect(await decideAtOnce(order(1n))).toMatchObject({ refused: expect.any(String) });
});

test('cancelling the run is no decision: it goes on, and its time still ends it', async () => {
  const wish = order(OVER_THRESHOLD);
  const before = await books.balance(from);
  await begin(wish);
  await world.env.client.workflow.getHandle(`transfer/${wish.id}`).cancel();
  await world.pass(60);
  expect((await books.balance(from)).held).toBe(before.held + OVER_THRESHOLD);
  await approvalRunsOut(books, wish.id);
  await world.pass(WEEK_SECONDS);
  expect(await books.balance(from)).toEqual(before);
});

test('an approved transfer that the books refuse ends as failed, with the money free', async () => {
  const closing = await books.account(customer);
  const wish = order(OVER_THRESHOLD, { destination: closing });
  const before = await books.balance(from);
  await begin(wish);
  await books.asOwner(`update accounts set status = 'closed', closed_at = now() where id = $1`, [closing]);
  expect(await say(wish, by(checker, 'execute'))).toEqual({ status: 'failed' });
  expect(await books.balance(from)).toEqual(before);
  const [row] = await rows<{ failure_code: string }>(
    books.em(),
    'select failure_code from transfers where id = $1',
    [wish.id],
  );
  expect(row?.failure_code).toBe('account_closed');
});

test('a refused order leaves neither a row nor a process', async () => {
  const wish = order(10n ** 12n);
  await expect(begin(wish).catch(code)).resolves.toBe('insufficient_funds');
  expect(await rows(books.em(), 'select id from transfers where id = $1', [wish.id])).toEqual([]);
});

test('twenty equal starts are one transfer', async () => {
  const wish = order(7n);
  const before = await books.balance(to);
  const answers = await Promise.all(Array.from({ length: 20 }, () => begin(wish)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"status":"executed"}']),
  );
  expect((await books.balance(to)).posted).toBe(before.posted + 7n);
});

describe('an adjustment', () => {
  const adjust = (changes: Partial<TransferOrder>): TransferOrder => {
    const { type: _type, source: _source, destination: _destination, ...rest } = order(500n);
    return {
      ...rest,
      kind: 'adjustment',
      requestedBy: maker,
      reason: 'goodwill',
      approvalSeconds: 3600,
      ...changes,
    };
  };
  const answer = (order: TransferOrder, wish: Omit<Wish, 'id'>) => say(order, wish).catch(code);

  test('always waits; neither its maker nor its beneficiary can approve it, another person can', async () => {
    const wish = adjust({ destination: to });
    const before = await books.balance(to);
    expect(await begin(wish)).toMatchObject({ status: 'pending_approval' });
    expect(await answer(wish, by(maker, 'execute'))).toBe('same_person');
    expect(await answer(wish, by(await reviewer(books, customer), 'execute'))).toBe('same_person');
    expect(await answer(wish, by(checker, 'execute'))).toEqual({ status: 'executed' });
    expect((await books.balance(to)).posted).toBe(before.posted + 500n);
    await world.save(`adjustment/${wish.id}`, 'adjustment', 'credit approved');
  });

  test('that debits holds the money meanwhile', async () => {
    const wish = adjust({ source: from });
    const before = await books.balance(from);
    await begin(wish);
    expect((await books.balance(from)).held).toBe(before.held + 500n);
    expect(await answer(wish, by(maker, 'cancel'))).toEqual({ status: 'cancelled' });
    expect(await books.balance(from)).toEqual(before);
  });
});

test('who decided, how and why stands in the audit log, once', async () => {
  const wish = order(OVER_THRESHOLD);
  await begin(wish);
  await say(wish, by(checker, 'reject'));
  const log = await rows(
    books.em(),
    `select actor_id, action, after, reason from audit_log where subject_type = 'transfer' and subject_id = $1`,
    [wish.id],
  );
  expect(log).toEqual([
    { actor_id: checker, action: 'transfer.rejected', after: { status: 'rejected' }, reason: 'test' },
  ]);
});

test('a history holds neither amounts nor ids of accounts in clear', async () => {
  const wish = order(OVER_THRESHOLD + 123_456n, { description: 'for Ada Lovelace' });
  await begin(wish);
  const history = await world.env.client.workflow.getHandle(`transfer/${wish.id}`).fetchHistory();
  const bytes = JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
  for (const secret of [String(OVER_THRESHOLD + 123_456n), 'Lovelace', from, to])
    expect(bytes).not.toContain(secret);
});

describe.each(['transfer', 'adjustment'])('saved runs of %s', (process) => {
  test.each(savedHistories(process))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
