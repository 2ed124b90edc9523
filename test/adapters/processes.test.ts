/** The outbox: what is carried out first, how much at once, and that what cannot start is not tried for ever. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { createProcesses, type Processes } from '../../services/platform/processes.ts';
import { loadConfig } from '../../config.ts';
import { rows } from '../support/stack/sql.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { stack } from '../support/stack/stack.ts';

const NOTHING_STARTS = 'of no such type';

let books: Books;
let tx: EntityManager;
let prefix: string;
let processes: Processes;
let started: string[];
let atOnce: number;
let mostAtOnce: number;

beforeAll(() => {
  books = openBooks();
});
afterAll(() => books.close());

beforeEach(async () => {
  prefix = `outbox-${randomUUID()}`;
  [started, atOnce, mostAtOnce] = [[], 0, 0];
  // never committed: else the worker of the stack would carry out the same
  tx = books.em();
  await tx.begin();
  const client = new Client({
    connection: Connection.lazy({ address: stack.temporal.address }),
    interceptors: {
      workflow: [
        {
          startWithDetails: async ({ workflowType, options: { workflowId } }) => {
            if (workflowType === NOTHING_STARTS) throw new Error('refused for good');
            atOnce += 1;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            await wait(2);
            atOnce -= 1;
            if (workflowId.startsWith(prefix)) started.push(workflowId);
            return { runId: randomUUID(), eagerlyStarted: false };
          },
        },
      ],
    },
  });
  const temporal = {
    client,
    within: <T>(_milliseconds: number, call: () => Promise<T>) => call(),
    ping: () => Promise.resolve(),
    close: () => client.connection.close(),
  };
  const config = loadConfig(stack.serviceEnv);
  processes = createProcesses({ temporal, config, log: pino({ level: 'silent' }), em: () => tx });
});
afterEach(() => tx.rollback());

/** What is no message has waited for a minute already. */
async function launched(process: string, many: number, type = process): Promise<void> {
  await rows(
    tx,
    `insert into process_outbox (workflow_id, process, input, created_at)
       select id, $2, jsonb_build_object('workflowId', id, 'name', $2::text, 'type', $4::text, 'summary', '', 'customer', null, 'input', null),
              now() - case when $2::text = 'message' then interval '0' else interval '1 minute' end
         from generate_series(1, $3::int) n, lateral (select $1::text || '/' || $2::text || '/' || n as id) s`,
    [prefix, process, many, type],
  );
}

async function left(): Promise<number> {
  return (await rows(tx, 'select from process_outbox where workflow_id like $1', [`${prefix}%`])).length;
}

test('a long queue is carried out in one go, several at once, and messages overtake it', async () => {
  await launched('scheduled_transfer', 180);
  await launched('message', 3);
  await processes.relay();
  expect(started).toHaveLength(183);
  expect(started.slice(0, 3).every((id) => id.includes('/message/'))).toBe(true);
  expect(mostAtOnce).toBe(8);
  expect(await left()).toBe(0);
});

test('what Temporal refuses for good stays, and is not tried again at once', async () => {
  await launched('message', 60, NOTHING_STARTS);
  await processes.relay();
  expect(started).toEqual([]);
  expect(await left()).toBe(60);
});

test('no further round begins where the service is about to close', async () => {
  await launched('scheduled_transfer', 180);
  const round = processes.relay();
  await processes.settled();
  await round;
  expect(started.length).toBeLessThanOrEqual(50);
});
