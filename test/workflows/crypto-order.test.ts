/** The process of an order of coins: it carries the order out as soon as that can be done, and never gives up what is held. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { BadInput } from '../../activities/failures.ts';
import { CryptoOrderId, UserId } from '../../domain/ids.ts';
import type { FilledOrder, OrderOfCoins } from '../../workflows/crypto-order/contract.ts';
import { orderProcess } from '../../workflows/crypto-order/process.ts';
import type { OrderActivities } from '../../workflows/crypto-order/workflow.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let world: ProcessWorld;
/** What becomes of each try. */
const { script, look, looks: tried, looked } = scriptedSteps<FilledOrder>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const activities: OrderActivities = { carryOutOrder: look };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const filled: FilledOrder = { status: 'filled', failure: null };
const failed: FilledOrder = { status: 'failed', failure: 'account_blocked' };

async function begun(...tries: (FilledOrder | Error)[]): Promise<OrderOfCoins> {
  const order = { id: CryptoOrderId.parse(randomUUID()), customerId: UserId.parse(randomUUID()) };
  script(order.id, tries);
  await world.start(orderProcess, order);
  return order;
}
const nameOf = ({ id }: OrderOfCoins): string => orderProcess.workflowId(id);
const run = (order: OrderOfCoins) => world.env.client.workflow.getHandle(nameOf(order));

test.each([
  ['filled', filled],
  ['refused by the books', failed],
])('an order that is %s ends so', async (why, outcome) => {
  const order = await begun(outcome);
  expect(await run(order).result()).toEqual(outcome);
  expect(await world.status(nameOf(order))).toBe(outcome.status);
  expect(tried(order.id)).toBe(1);
  await world.save(nameOf(order), 'crypto-order', why);
});

test('while the database is away it is tried again', async () => {
  const order = await begun(new Error('the database is away'), new Error('still away'), filled);
  expect(await run(order).result()).toEqual(filled);
  expect(tried(order.id)).toBe(3);
});

test('what no retry helps is tried again the next day, and cancelling the run does not end it', async () => {
  const order = await begun(new BadInput('the order cannot be read'), filled);
  await looked(order.id, 1);
  await run(order).cancel();
  await world.pass(23 * 3_600);
  expect(tried(order.id)).toBe(1);
  await world.pass(2 * 3_600);
  expect(await run(order).result()).toEqual(filled);
  expect(tried(order.id)).toBe(2);
  await world.save(nameOf(order), 'crypto-order', 'mended the next day');
});

describe('saved runs of crypto-order', () => {
  test.each(savedHistories('crypto-order'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
