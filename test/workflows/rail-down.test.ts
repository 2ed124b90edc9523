/** The rail is away while a payment leaves: the money waits in transit, and the payment is given over when it is back. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { railActivities } from '../../activities/rail.ts';
import { transferActivities } from '../../activities/transfers.ts';
import { createFileRail } from '../../services/transfers/file-rail.ts';
import { createStorage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { railIdOf } from '../../domain/transfers/rail.ts';
import { reported } from '../support/bank/decisions.ts';
import { railRound, reportHandler } from '../../workers/rail-round.ts';
import { beginMovement } from '../support/processes/begin-movement.ts';
import { ownBank } from '../support/stack/database.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { openGate, type Gate } from '../support/stack/gate.ts';
import { openProcessWorld, type ProcessWorld } from '../support/processes/process-world.ts';
import { until } from '../support/stack/processes.ts';
import { openRailPayer } from '../support/bank/rail-payer.ts';
import { stack } from '../support/stack/stack.ts';

const TWO_MINUTES = 120;
const folder = `rail-${randomUUID()}`;
const config = { ...loadConfig(stack.serviceEnv), RAIL_FOLDER: folder };
const log = pino({ level: 'silent' });
const directly = createStorage(config);

let books: Books;
let gate: Gate;
let world: ProcessWorld;
let rail: ReturnType<typeof createFileRail>;

beforeAll(async () => {
  books = openBooks(await ownBank());
  gate = await openGate(new URL(config.S3_ENDPOINT));
  const storage = createStorage({ ...config, S3_ENDPOINT: `http://127.0.0.1:${String(gate.port)}` });
  rail = createFileRail({ config, storage, em: books.em, log });
  const activities = { ...transferActivities({ em: books.em }), ...railActivities({ em: books.em, rail }) };
  world = await openProcessWorld(activities, books.em);
});
afterAll(async () => {
  await world.close();
  await gate.close();
  await books.close();
});

test('a payment begun while the rail is away is given to it when it is back, once', async () => {
  const payer = await openRailPayer(books);
  const order = payer.order(5_000n);
  const file = `${folder}/out/${railIdOf(order.id)}.xml`;
  gate.shut();
  expect(await beginMovement(books, world.processes, order)).toEqual({ status: 'submitted' });
  expect((await books.balance(payer.account)).posted).toBe(1_000_000n - 5_000n);
  await until(
    async () =>
      (await books.asOwner('select from rail_payments where transfer_id = $1', [order.id])).length === 1,
  );
  expect(await directly.stat(file)).toBeNull();

  gate.open();
  await world.pass(TWO_MINUTES);
  await until(async () => (await directly.stat(file)) !== null);
  expect(await directly.list(`${folder}/out/`, 10)).toEqual([file]);

  const settled = { messageId: `test/${randomUUID()}`, transferId: order.id, at: new Date().toISOString() };
  const report = { ...settled, kind: 'settled' } as const;
  await reported(books, report);
  await reportHandler({ processes: world.processes, em: books.em, log })(report);
  expect(await world.env.client.workflow.getHandle(`transfer/${order.id}`).result()).toEqual({
    status: 'executed',
  });
  await world.save(`transfer/${order.id}`, 'transfer', 'settled after the rail was away');
});

test('while the rail is away a worker looks for reports less often, and goes on when it is back', async () => {
  gate.shut();
  let looks = 0;
  const counted = {
    collect: (handle: Parameters<typeof rail.collect>[0]) => {
      looks += 1;
      return rail.collect(handle);
    },
  };
  const round = railRound({ rail: counted, processes: world.processes, em: books.em, log });
  await round();
  await round();
  await round();
  expect(looks).toBe(1);
  gate.open();
  await until(async () => {
    await round();
    return looks === 2;
  });
  await round();
  expect(looks).toBe(3);
});
