/** Processes on Temporal's time-skipping server: the real bundle, codec and activities; only the clock is ours. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createCipher } from '../../adapters/cipher.ts';
import { createProcesses, type Processes } from '../../adapters/processes.ts';
import { dataConverter } from '../../adapters/temporal.ts';
import { loadConfig } from '../../config.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { startOf } from '../../db/outbox.ts';
import type { Process } from '../../domain/process.ts';
import { stack } from './stack.ts';

/** Saved histories are sealed with this key, so that they can be replayed for ever. It protects nothing else. */
const HISTORIES_KEY = `histories:${Buffer.alloc(32, 'saved histories of the tests').toString('base64')}`;
const HISTORIES = join(import.meta.dirname, '..', 'workflows', 'histories');
const TASK_QUEUE = 'test';
const KEYWORD = 2;

export const historiesCipher = createCipher([HISTORIES_KEY]);

export interface ProcessWorld {
  readonly env: TestWorkflowEnvironment;
  readonly processes: Processes;
  /** Starts a process that needs no first answer, as the outbox would. */
  start<Input>(process: Process<Input>, input: Input): Promise<void>;
  /** Lets so much time pass for the processes; seconds. */
  pass(seconds: number): Promise<void>;
  /** The status that operators can search for. */
  status(workflowId: string): Promise<string | undefined>;
  /** With RECORD_HISTORIES=1: saves the history of a run under `histories/<process>/<why>.json`, to be replayed by every later version. */
  save(workflowId: string, process: string, why: string): Promise<void>;
  close(): Promise<void>;
}

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
});

/** Starts a server of its own and a worker with these activities. */
export async function openProcessWorld(activities: object, em: () => EntityManager): Promise<ProcessWorld> {
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: stack.timeSkippingServer } },
    client: { dataConverter: dataConverter(historiesCipher) },
  });
  await env.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { TellerProcess: KEYWORD, TellerStatus: KEYWORD, TellerCustomerId: KEYWORD },
  });
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath: stack.workflowBundle },
    activities,
    dataConverter: dataConverter(historiesCipher),
  });
  const running = worker.run();
  const log = pino({ level: 'silent' });
  const config = { ...loadConfig(stack.serviceEnv), TEMPORAL_TASK_QUEUE: TASK_QUEUE };
  const temporal = {
    client: env.client,
    within: <T>(milliseconds: number, call: () => Promise<T>) =>
      env.connection.withDeadline(Date.now() + milliseconds, call),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };

  return {
    env,
    processes: createProcesses({ temporal, config, log, em }),
    start: async (process, input) => {
      const { type, workflowId } = startOf(process, input);
      await env.client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
    },
    pass: (seconds) => env.sleep(seconds * 1_000),
    status: async (workflowId) => {
      const described = await env.client.workflow.getHandle(workflowId).describe();
      return described.typedSearchAttributes
        .getAll()
        .find(({ key }) => key.name === 'TellerStatus')
        ?.value.toString();
    },
    save: async (workflowId, process, why) => {
      if (globalThis.process.env['RECORD_HISTORIES'] !== '1') return;
      const history = await env.client.workflow.getHandle(workflowId).fetchHistory();
      mkdirSync(join(HISTORIES, process), { recursive: true });
      writeFileSync(join(HISTORIES, process, `${why}.json`), historyToJSON(history));
    },
    close: async () => {
      worker.shutdown();
      await running;
      await env.teardown();
    },
  };
}

/** The saved histories of a process, each with the reason it was saved for. */
export function savedHistories(process: string): { why: string; history: unknown }[] {
  return readdirSync(join(HISTORIES, process)).map((file) => ({
    why: file.replace('.json', ''),
    history: readJson(readFileSync(join(HISTORIES, process, file), 'utf8')),
  }));
}

function readJson(text: string): unknown {
  return JSON.parse(text);
}

/** Replays one history with today's workflows; throws where they would decide differently. */
export async function replay(process: string, history: unknown): Promise<void> {
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: stack.workflowBundle }, dataConverter: dataConverter(historiesCipher) },
    history,
    `${process}/replayed`,
  );
}
