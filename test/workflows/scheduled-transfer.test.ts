/** One day of a standing order: however late its transfer is refused, the customer hears of it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AccountId, ScheduledTransferId, TransferId, UserId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferOrder, TransferState } from '../../domain/transfers/transfers.ts';
import { scheduledTransferProcess } from '../../workflows/scheduled-transfer/process.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';

const ANSWERS_AFTER_SECONDS = 12 * 60;

let books: Books;
let world: ProcessWorld;
const told: (readonly [TransferId, RefusalCode])[] = [];
const begun = new Set<TransferId>();
const late = new Set<TransferId>();

/** The transfer stands still for twelve minutes, and is refused then. */
const activities = {
  orderOfRun: ({ transferId, userId }: ScheduledRun): Promise<TransferOrder> =>
    Promise.resolve({
      id: transferId,
      kind: 'transfer',
      type: 'internal',
      requestedBy: userId,
      customerId: userId,
      source: AccountId.parse(randomUUID()),
      destination: AccountId.parse(randomUUID()),
      asset: 'EUR',
      amount: '100',
      description: '',
    }),
  openTransfer: ({ id }: TransferOrder): Promise<TransferState | Refused> =>
    Promise.resolve(
      late.has(id)
        ? { refused: 'insufficient_funds' }
        : { status: 'pending_approval', approvalSeconds: ANSWERS_AFTER_SECONDS },
    ),
  decideTransfer: (id: TransferId): Promise<Refused> => {
    late.add(id);
    return Promise.resolve({ refused: 'transfer_not_pending' });
  },
  isBegun: (id: TransferId): Promise<boolean> => Promise.resolve(begun.has(id)),
  tellRefusal: ({ transferId }: ScheduledRun, code: RefusalCode): Promise<void> => {
    told.push([transferId, code]);
    return Promise.resolve();
  },
};

beforeAll(async () => {
  books = openBooks();
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

test('a refusal that comes after minutes is told', async () => {
  const id = TransferId.parse(randomUUID());
  expect(await dayOf(id, 'refused after minutes')).toBe('refused');
  expect(told).toContainEqual([id, 'insufficient_funds']);
});

test('a transfer that has its row is not waited for', async () => {
  const id = TransferId.parse(randomUUID());
  begun.add(id);
  expect(await dayOf(id, 'has its row')).toBe('waiting');
  expect(told.filter(([refused]) => refused === id)).toEqual([]);
});

test.each(savedHistories('scheduled-transfer'))('a saved run replays: $why', async ({ history }) => {
  await replay('scheduledTransfer', history);
});
