/** The daily snapshot of coins as a process: batch after batch, also after failures, and saved runs still replay. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cryptoSnapshotActivities } from '../../activities/crypto-snapshots.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { receiveCoins } from '../support/bank/coins.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { ownBank } from '../support/stack/database.ts';

let books: Books;
let world: ProcessWorld;
const days: string[] = [];
let failures = 1;
beforeAll(async () => {
  books = openBooks(await ownBank());
  const { beginCryptoSnapshot, takeCryptoSnapshots } = cryptoSnapshotActivities({ em: books.em });
  world = await openProcessWorld(
    {
      async beginCryptoSnapshot() {
        const day = await beginCryptoSnapshot();
        days.push(day);
        return day;
      },
      async takeCryptoSnapshots(day: string, after: string | null) {
        const batch = await takeCryptoSnapshots(day, after);
        failures -= 1;
        // what it has done is done
        if (failures >= 0) throw new Error('the database is away');
        return batch;
      },
    },
    books.em,
  );
});
afterAll(async () => {
  await world.close();
  await books.close();
});

test('takes one snapshot a day, however often it runs and fails', async () => {
  const customer = await books.user();
  await receiveCoins(books, customer, 'BTC', 1_500_000n);
  for (const workflowId of ['crypto-snapshots-first', 'crypto-snapshots-again']) {
    await world.env.client.workflow.execute('cryptoSnapshots', {
      ...{ workflowId, taskQueue: 'test-money', args: [null] },
    });
    expect(await world.status(workflowId)).toBe('done');
  }
  await world.save('crypto-snapshots-first', 'crypto-snapshots', 'taken after a failure');
  expect(await books.asOwner('select user_id, day::text, asset, balance from crypto_snapshots')).toEqual([
    { user_id: customer, day: days[0], asset: 'BTC', balance: '1500000' },
  ]);
});

test.each(savedHistories('crypto-snapshots'))('replays: $why', async ({ history }) => {
  await expect(replay(history)).resolves.not.toThrow();
});
