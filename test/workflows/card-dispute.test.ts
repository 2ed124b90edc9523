/** The process of a dispute: its deadlines, what it hears, how the network is told, and that saved runs still replay. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { CardDisputeId, UserId } from '../../domain/ids.ts';
import { changed, type DisputeStep } from '../../workflows/card-dispute/contract.ts';
import { disputeProcess } from '../../workflows/card-dispute/process.ts';
import type { DisputeActivities, DisputeNetworkActivities } from '../../workflows/card-dispute/workflow.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { scriptedSteps } from '../support/processes/scripted-steps.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

let books: Books;
let world: ProcessWorld;
const { script, look, looked } = scriptedSteps<DisputeStep>();
/** What telling the network of it fails with, and how often it was tried. */
const troubles = new Map<string, Error[]>();
const tellings = new Map<string, number>();

beforeAll(async () => {
  books = openBooks(await ownBank());
  const carryDisputeOn: DisputeActivities['carryDisputeOn'] = look;
  const tellNetworkOfDispute: DisputeNetworkActivities['tellNetworkOfDispute'] = (id) => {
    tellings.set(id, (tellings.get(id) ?? 0) + 1);
    const [trouble, ...rest] = troubles.get(id) ?? [];
    troubles.set(id, rest);
    if (trouble !== undefined) throw trouble;
    return Promise.resolve(true);
  };
  world = await openProcessWorld({ carryDisputeOn, tellNetworkOfDispute }, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const step = (status: DisputeStep['status'], days: number, more: Partial<DisputeStep> = {}): DisputeStep => ({
  ...{ status, isUntold: false, isOverdue: false, lookAgainInSeconds: days * DAY },
  ...more,
});

async function begin(...steps: DisputeStep[]): Promise<CardDisputeId> {
  const id = CardDisputeId.parse(randomUUID());
  script(id, steps);
  await world.start(disputeProcess, { id, customerId: UserId.parse(randomUUID()) });
  return id;
}
const run = (id: CardDisputeId) => world.env.client.workflow.getHandle(`card-dispute/${id}`);
const tell = (id: CardDisputeId) => world.processes.tell(disputeProcess, id, changed, { id });

test('it waits for the decision and for the network, and ends as it was answered', async () => {
  const filed = step('filed', 45, { isUntold: true });
  const id = await begin(step('in_review', 14), filed, step('filed', 45), step('won', 0));
  await looked(id, 1);
  await tell(id);
  // once for the decision, and once after the network was told
  await looked(id, 3);
  expect(tellings.get(id)).toBe(1);
  await world.shows(`card-dispute/${id}`, 'filed');
  await tell(id);
  await run(id).result();
  expect(await world.status(`card-dispute/${id}`)).toBe('won');
  await world.save(`card-dispute/${id}`, 'card-dispute', 'accepted, then won');
});

test('it looks again when a decision, and then an answer, is overdue', async () => {
  const late = { isOverdue: true };
  const id = await begin(step('in_review', 14), step('in_review', 1, late), step('rejected', 0));
  await looked(id, 1);
  await world.pass(14 * DAY + 1);
  await looked(id, 2);
  await world.pass(DAY + 1);
  await run(id).result();
  expect(await world.status(`card-dispute/${id}`)).toBe('rejected');
  await world.save(`card-dispute/${id}`, 'card-dispute', 'overdue, then rejected');
});

test('while the network cannot be told, it hears that the holder has withdrawn, and tells that before it ends', async () => {
  const untold = { isUntold: true };
  const id = await begin(
    step('filed', 45, untold),
    step('withdrawn', 0, untold),
    step('withdrawn', 0, untold),
    step('withdrawn', 0),
  );
  troubles.set(id, [ApplicationFailure.nonRetryable('the store refuses it'), new Error('the store is away')]);
  await looked(id, 1);
  // else the day until the network is told again and that until the next look would end in the same moment: see `pass`
  await world.pass(HOUR);
  await tell(id);
  await looked(id, 2);
  await world.pass(2 * DAY);
  await run(id).result();
  expect(await world.status(`card-dispute/${id}`)).toBe('withdrawn');
  expect(tellings.get(id)).toBeGreaterThan(1);
  await world.save(`card-dispute/${id}`, 'card-dispute', 'withdrawn while the network was away');
});

describe('saved runs of card-dispute', () => {
  test.each(savedHistories('card-dispute'))('replay: $why', async ({ history }) => {
    await replay(history);
  });
});
