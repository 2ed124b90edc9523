/** The outbox: what is carried out first, how much at once, and that what cannot start is not tried for ever. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { context, propagation, trace as tracing } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { z } from 'zod';
import { createCardVault } from '../../adapters/card-vault.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { createFireblocks } from '../../adapters/custody/fireblocks.ts';
import { createMail, smsByMail } from '../../adapters/mail.ts';
import { createStorage } from '../../adapters/storage.ts';
import type { Temporal } from '../../adapters/temporal.ts';
import { activeTrace } from '../../adapters/tracing.ts';
import { createFileRail } from '../../services/transfers/file-rail.ts';
import { startSideWork } from '../../workers/side-work.ts';
import { SET_ASIDE_AFTER } from '../../db/queries/platform/refused-starts.ts';
import { createProcesses, type Processes } from '../../services/platform/processes.ts';
import { loadConfig } from '../../config.ts';
import { rows } from '../support/stack/sql.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

const NOTHING_STARTS = 'of no such type';
const TOO_LARGE = 'too large';
const AWAY = 'away';

let books: Books;
let tx: EntityManager;
let prefix: string;
let processes: Processes;
let temporal: Temporal;
let log: Logger;
let started: string[];
/** In which trace each process was started. */
let traces: Map<string, string | null>;
let atOnce: number;
let mostAtOnce: number;
/** Lets the updates go that were begun. */
let answerUpdates: () => void;
let updates: number;
let refusing: boolean;
let alerts: string[];

function alertIn(line: string): string {
  const { alert, workflowId } = z
    .looseObject({ alert: z.string(), workflowId: z.string() })
    .parse(JSON.parse(line));
  return `${alert} ${workflowId}`;
}

/** As gRPC refuses a call. */
const grpcError = (code: number, details: string): Error =>
  Object.assign(new Error(details), { code, details, metadata: {} });
const REFUSALS: Readonly<Record<string, () => Error>> = {
  [NOTHING_STARTS]: () => new Error('refused for good'),
  [TOO_LARGE]: () => grpcError(8, 'Received message larger than max (5 vs 4)'),
  [AWAY]: () => grpcError(14, 'No connection established'),
};

beforeAll(async () => {
  // of its own: what is claimed here would wait for the end of these transactions, whoever it belongs to
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

beforeEach(async () => {
  prefix = `outbox-${randomUUID()}`;
  [started, atOnce, mostAtOnce, updates, refusing] = [[], 0, 0, 0, true];
  traces = new Map();
  const silence = new Promise<void>((resolve) => (answerUpdates = resolve));
  // never committed: each test begins with an empty outbox
  tx = books.em();
  await tx.begin();
  const client = new Client({
    connection: Connection.lazy({ address: stack.temporal.address }),
    interceptors: {
      workflow: [
        {
          startWithDetails: async ({ workflowType, options: { workflowId } }) => {
            const refusal = refusing ? REFUSALS[workflowType] : undefined;
            if (refusal !== undefined) throw refusal();
            atOnce += 1;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            await wait(2);
            atOnce -= 1;
            if (workflowId.startsWith(prefix)) started.push(workflowId);
            traces.set(workflowId, activeTrace());
            return { runId: randomUUID(), eagerlyStarted: false };
          },
          startUpdate: async () => {
            updates += 1;
            await silence;
            throw grpcError(4, 'nobody has taken it in time');
          },
        },
      ],
    },
  });
  temporal = {
    client,
    within: <T>(_milliseconds: number, call: () => Promise<T>) => call(),
    ping: () => Promise.resolve(),
    close: () => client.connection.close(),
  };
  const config = loadConfig(stack.serviceEnv);
  alerts = [];
  log = pino({}, { write: (line) => void (line.includes('"alert"') && alerts.push(alertIn(line))) });
  processes = createProcesses({ temporal, config, log, em: () => tx });
});
afterEach(() => tx.rollback());

/** What is no message has waited for a minute already. */
async function launched(
  process: string,
  many: number,
  { type = process, trace = null }: { readonly type?: string; readonly trace?: string | null } = {},
): Promise<void> {
  await rows(
    tx,
    `insert into process_outbox (workflow_id, process, input, created_at)
       select id, $2, jsonb_build_object('workflowId', id, 'name', $2::text, 'type', $4::text, 'summary', '', 'customer', null, 'input', null, 'trace', $5::text),
              now() - case when $2::text = 'message' then interval '0' else interval '1 minute' end
         from generate_series(1, $3::int) n, lateral (select $1::text || '/' || $2::text || '/' || n as id) s`,
    [prefix, process, many, type, trace],
  );
}

async function left(): Promise<number> {
  return (await rows(tx, 'select from process_outbox where workflow_id like $1', [`${prefix}%`])).length;
}

test('a long queue is carried out in one go, several at once, and messages overtake it', async () => {
  await launched('scheduled_transfer', 180);
  await launched('message', 3);
  await processes.relay('starts');
  expect(started).toHaveLength(183);
  expect(started.slice(0, 3).every((id) => id.includes('/message/'))).toBe(true);
  expect(mostAtOnce).toBe(8);
  expect(await left()).toBe(0);
});

test('a process is started in the trace of its own call, whoever looks through the outbox', async () => {
  const provider = new BasicTracerProvider();
  provider.register({ contextManager: new AsyncLocalStorageContextManager() });
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  try {
    await launched('scheduled_transfer', 1, { trace });
    await launched('transfer', 1);
    await provider.getTracer('test').startActiveSpan('another call', () => processes.relay('starts'));
    expect(Object.fromEntries(traces)).toEqual({
      [`${prefix}/scheduled_transfer/1`]: trace,
      [`${prefix}/transfer/1`]: null,
    });
  } finally {
    for (const api of [tracing, context, propagation]) api.disable();
  }
});

const refused = () =>
  rows(
    tx,
    `select failure, attempts, due_at > clock_timestamp() as "putOff" from refused_starts where workflow_id like $1`,
    [`${prefix}%`],
  );

test('what Temporal refuses for good stays, is counted and put off, and keeps nothing else waiting', async () => {
  await launched('message', 60, { type: NOTHING_STARTS });
  await launched('scheduled_transfer', 5);
  await processes.relay('starts');
  expect(started).toHaveLength(5);
  expect(await left()).toBe(60);
  const counted = { failure: 'Error', attempts: 1, putOff: true };
  expect(await refused()).toEqual(Array.from({ length: 60 }, () => counted));
});

test('a start that was refused is tried again when it is due, after those that never were', async () => {
  await launched('message', 1, { type: NOTHING_STARTS });
  await processes.relay('starts');
  refusing = false;
  await processes.relay('starts');
  expect(started).toEqual([]);
  await rows(
    tx,
    `update refused_starts set due_at = clock_timestamp() - interval '1 second' where workflow_id like $1`,
    [`${prefix}%`],
  );
  await launched('scheduled_transfer', 1);
  await processes.relay('starts');
  expect(started.map((id) => id.split('/')[1])).toEqual(['scheduled_transfer', 'message']);
  expect([await left(), await refused()]).toEqual([0, []]);
});

test('after ten attempts a start is set aside, which operators are alerted to', async () => {
  await launched('message', 1, { type: TOO_LARGE });
  for (let attempt = 1; attempt <= SET_ASIDE_AFTER; attempt++) {
    await processes.relay('starts');
    await rows(
      tx,
      `update refused_starts set due_at = clock_timestamp() - interval '1 second' where workflow_id like $1`,
      [`${prefix}%`],
    );
  }
  expect(await refused()).toMatchObject([
    { failure: 'gRPC 8: Received message larger than max (5 vs 4)', attempts: SET_ASIDE_AFTER },
  ]);
  expect(alerts).toEqual([`process_set_aside ${prefix}/message/1`]);
});

test('a start that finds Temporal away counts for nothing', async () => {
  await launched('message', 9, { type: AWAY });
  await processes.relay('starts');
  expect([await left(), await refused()]).toEqual([9, []]);
});

test('a worker starts processes while fifty updates wait for somebody who takes them', async () => {
  await rows(
    tx,
    `insert into process_updates (workflow_id, update_id, name, input)
       select $1 || '/' || n, n::text, 'decide', '{}' from generate_series(1, 50) n`,
    [prefix],
  );
  const changed = { WORKER_QUEUES: ['money' as const], RELAY_SECONDS: 0.1 };
  const config = { ...loadConfig(stack.serviceEnv), ...changed };
  const storage = createStorage(config);
  const em = () => tx;
  const rail = createFileRail({ config, storage, em, log });
  const mail = createMail(config);
  const ways = {
    cipher: createCipher(config.ENCRYPTION_KEYS),
    mail,
    sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
    push: undefined,
  };
  const vault = createCardVault(config.CARD_KEYS);
  const custodian = createFireblocks(config);
  const side = { config, processes, temporal, rail, custodian, storage, vault, em, sendingEm: em, ways, log };
  const work = startSideWork(side);
  try {
    await until(() => updates > 0);
    await launched('message', 3);
    await until(() => started.length === 3);
  } finally {
    answerUpdates();
    await work.stop();
  }
});

test('no further round begins where the service is about to close', async () => {
  await launched('scheduled_transfer', 180);
  const round = processes.relay('starts');
  await processes.settled();
  await round;
  expect(started.length).toBeLessThanOrEqual(50);
});
