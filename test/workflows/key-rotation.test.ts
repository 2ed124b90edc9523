/** The rotation of signing keys as a process: it does what its activity finds due, and its schedule stands in Temporal. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createCipher } from '../../adapters/cipher.ts';
import { dataConverter } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import { timetable } from '../../workers/timetable.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

let due = true;
let failures = 2;
let books: Books;
let world: ProcessWorld;
beforeAll(async () => {
  books = openBooks(await ownBank());
  const rotateSigningKeysIfDue = async (): Promise<boolean> => {
    failures -= 1;
    if (failures >= 0) throw new Error('the database is away');
    return due;
  };
  world = await openProcessWorld({ rotateSigningKeysIfDue }, books.em);
});
afterAll(async () => {
  await world.close();
  await books.close();
});

const run = async (workflowId: string): Promise<unknown> =>
  world.env.client.workflow.execute('keyRotation', { workflowId, taskQueue: 'test-money', args: [null] });

test('rotates where it is due, also after failures, and not where it is not', async () => {
  expect(await run('key-rotation-due')).toBe('rotated');
  expect(await world.status('key-rotation-due')).toBe('rotated');
  await world.save('key-rotation-due', 'key-rotation', 'rotated after failures');
  due = false;
  expect(await run('key-rotation-not-due')).toBe('not_due');
  await world.save('key-rotation-not-due', 'key-rotation', 'not due');
});

test('the worker has set its schedule: every day, paused for the tests', async () => {
  const { address, namespace } = stack.temporal;
  const cipher = createCipher(loadConfig(stack.serviceEnv).ENCRYPTION_KEYS);
  const connection = await Connection.connect({ address });
  const { schedule } = new Client({ connection, namespace, dataConverter: dataConverter(cipher) });
  // a worker sets it after it has begun to work
  const handle = schedule.getHandle('key-rotation');
  await until(() =>
    handle.describe().then(
      () => true,
      () => false,
    ),
  );
  const described = await handle.describe();
  expect(described.action).toMatchObject({ type: 'startWorkflow', workflowType: 'keyRotation' });
  expect(described.info.nextActionTimes[0]?.getTime()).toBeLessThan(Date.now() + 86_400_000);
  // no schedule acts on the shared bank: the tests start what they need (support/stack/schedules.ts)
  for (const { id } of timetable) {
    const { state } = await schedule.getHandle(id).describe();
    expect({ id, paused: state.paused }).toEqual({ id, paused: true });
  }
  await connection.close();
});

test.each(savedHistories('key-rotation'))('replays: $why', async ({ history }) => {
  await expect(replay(history)).resolves.not.toThrow();
});
