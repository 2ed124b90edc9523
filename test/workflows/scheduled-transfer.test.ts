/** One day of a standing order: if its transfer is refused, the customer hears of it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ScheduledTransferId, TransferId, UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../../workflows/scheduled-transfer/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';

let books: Books;
let world: ProcessWorld;
const told: (readonly [TransferId, RefusalCode])[] = [];
const poor = new Set<TransferId>();

const activities = {
  takeRun: ({ transferId }: ScheduledRun): Promise<Pick<TransferState, 'status'> | Refused> =>
    Promise.resolve(
      poor.has(transferId) ? { refused: 'insufficient_funds' } : { status: 'pending_approval' },
    ),
  tellRefusal: ({ transferId }: ScheduledRun, code: RefusalCode): Promise<void> => {
    told.push([transferId, code]);
    return Promise.resolve();
  },
};

beforeAll(async () => {
  books = openBooks(await ownBank());
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

async function dayOf(transferId: TransferId, why: string): Promise<string | undefined> {
  const run: ScheduledRun = {
    scheduledTransferId: ScheduledTransferId.parse(randomUUID()),
    transferId,
    userId: UserId.parse(randomUUID()),
    dueOn: '2026-11-21',
  };
  await world.start(scheduledTransferProcess, run);
  const id = scheduledTransferProcess.workflowId(scheduledTransferProcess.idOf(run));
  await world.env.client.workflow.getHandle(id).result();
  await world.save(id, 'scheduled-transfer', why);
  return world.status(id);
}

test('a day that is refused is told', async () => {
  const id = TransferId.parse(randomUUID());
  poor.add(id);
  expect(await dayOf(id, 'refused')).toBe('refused');
  expect(told).toContainEqual([id, 'insufficient_funds']);
});

test('a transfer that waits for somebody is not waited for', async () => {
  const id = TransferId.parse(randomUUID());
  expect(await dayOf(id, 'waits for approval')).toBe('pending_approval');
  expect(told.filter(([refused]) => refused === id)).toEqual([]);
});

test.each(savedHistories('scheduled-transfer'))('a saved run replays: $why', async ({ history }) => {
  await replay(history);
});
