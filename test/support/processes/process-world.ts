/** Processes on Temporal's time-skipping server: the real bundle, codec and activities; only the clock is ours. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { setTimeout as wait } from 'node:timers/promises';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { cleanFailures } from '../../../activities/failures.ts';
import { z } from 'zod';
import { createCipher } from '../../../adapters/cipher.ts';
import { createProcesses, type Processes } from '../../../services/platform/processes.ts';
import { dataConverter, sealedUpdates } from '../../../adapters/temporal.ts';
import { loadConfig } from '../../../config.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import { startOf } from '../../../db/queries/platform/outbox.ts';
import type { Process } from '../../../domain/process.ts';
import { queueName, queues } from '../../../domain/queues.ts';
import { PATIENCE_MS } from '../patience.ts';
import { until } from '../stack/processes.ts';
import { stack } from '../stack/stack.ts';
import { rememberRuns, terminateAtRest } from './at-rest.ts';
import './quiet-runtime.ts';

/** Saved histories are sealed with this key, so that they can be replayed for ever. It protects nothing else. */
const HISTORIES_KEY = `histories:${Buffer.alloc(32, 'saved histories of the tests').toString('base64')}`;
const HISTORIES = join(import.meta.dirname, '..', '..', 'workflows', 'histories');
const PREFIX = 'test';
const TASK_QUEUE = queueName(PREFIX, 'money');
const KEYWORD = 2;

export const historiesCipher = createCipher([HISTORIES_KEY]);

export interface ProcessWorld {
  readonly env: TestWorkflowEnvironment;
  readonly processes: Processes;
  /** Starts a process that needs no first answer, as the outbox would. */
  start<Input>(process: Process<Input>, input: Input): Promise<void>;
  /**
   * Lets so much time pass for the processes; seconds. That is a moment, unless an activity goes on for ever, or a process takes step
   * after step. If nothing runs and few activities began, the server has lost a lock on its clock: look for a run that ends with
   * `workflowTaskStarted`. Either it was terminated within that task (at-rest.ts), or it stopped waiting for a timer, because an update
   * came or another timer fired, in the moment in which that timer fired too (temporalio/sdk-java#3088).
   */
  pass(seconds: number): Promise<void>;
  /** The status that operators can search for. */
  status(workflowId: string): Promise<string | undefined>;
  /** Waits until operators see this status: a run shows it a workflow task after the activity that told it. */
  shows(workflowId: string, status: string): Promise<void>;
  /** With RECORD_HISTORIES=1: saves the history of a run under `histories/<process>/<why>.json`, to be replayed by every later version. */
  save(workflowId: string, process: string, why: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server of its own and a worker with these activities. */
export async function openProcessWorld(activities: object, em: () => EntityManager): Promise<ProcessWorld> {
  const atRest = terminateAtRest((workflowId) => env.client.workflow.getHandle(workflowId).fetchHistory());
  const runs = rememberRuns();
  const env: TestWorkflowEnvironment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: stack.timeSkippingServer } },
    client: {
      dataConverter: dataConverter(historiesCipher),
      interceptors: { workflow: [sealedUpdates, atRest, runs.interceptor] },
    },
  });
  await env.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { TellerProcess: KEYWORD, TellerStatus: KEYWORD, TellerCustomerId: KEYWORD },
  });
  const observed = observe(activities);
  const log = pino({ level: 'silent' });
  const workers = await Promise.all(
    queues.map((queue) =>
      Worker.create({
        connection: env.nativeConnection,
        taskQueue: queueName(PREFIX, queue),
        ...(queue === 'money' ? { workflowBundle: { codePath: stack.workflowBundle } } : {}),
        activities: observed.activities,
        interceptors: { activity: [() => ({ inbound: cleanFailures(log) })] },
        dataConverter: dataConverter(historiesCipher),
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  const config = { ...loadConfig(stack.serviceEnv), TEMPORAL_TASK_QUEUE: PREFIX };
  const temporal = {
    client: env.client,
    within: <T>(milliseconds: number, call: () => Promise<T>) =>
      env.connection.withDeadline(Date.now() + milliseconds, call),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };

  const status: ProcessWorld['status'] = async (workflowId) => {
    const described = await env.client.workflow.getHandle(workflowId).describe();
    return described.typedSearchAttributes
      .getAll()
      .find(({ key }) => key.name === 'TellerStatus')
      ?.value.toString();
  };
  return {
    env,
    status,
    shows: (workflowId, wanted) =>
      until(
        async () => (await status(workflowId)) === wanted,
        () => status(workflowId),
      ),
    processes: createProcesses({ temporal, config, log, em }),
    start: async (process, input) => {
      const { type, workflowId } = startOf(process, input);
      await env.client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
    },
    pass: async (seconds) => {
      const patience = new AbortController();
      const [from, begun] = [await env.currentTimeMs(), observed.begun()];
      const tooLong = wait(PATIENCE_MS, undefined, { signal: patience.signal }).then(async () => {
        const passed = Math.round(((await env.currentTimeMs()) - from) / 1_000);
        throw new Error(
          `${String(seconds)} seconds do not pass, but ${String(passed)} have: ${String(observed.begun() - begun)} activities began, ${observed.report()}\n${await runs.report(env.client)}`,
        );
      });
      await Promise.race([env.sleep(seconds * 1_000), tooLong]);
      patience.abort();
    },
    save: async (workflowId, process, why) => {
      if (globalThis.process.env['RECORD_HISTORIES'] !== '1') return;
      const history = await env.client.workflow.getHandle(workflowId).fetchHistory();
      mkdirSync(join(HISTORIES, process), { recursive: true });
      writeFileSync(join(HISTORIES, process, `${why}.json`), historyToJSON(history));
    },
    close: async () => {
      for (const worker of workers) worker.shutdown();
      await running;
      await env.teardown();
    },
  };
}

type Activity = (...args: unknown[]) => Promise<unknown>;

/** Knows which activities run and which have failed: either keeps the server's clock from going on. */
function observe(activities: object): {
  readonly activities: object;
  begun(): number;
  report(): string;
} {
  let begun = 0;
  const running = new Map<symbol, string>();
  const failed: string[] = [];
  const observed =
    (name: string, act: Activity): Activity =>
    async (...args) => {
      const run = Symbol(name);
      running.set(run, name);
      begun += 1;
      try {
        return await act(...args);
      } catch (error) {
        failed.push(`${name}: ${String(error)}`);
        throw error;
      } finally {
        running.delete(run);
      }
    };
  return {
    activities: Object.fromEntries(
      Object.entries(activities).map(([name, act]: [string, Activity]) => [name, observed(name, act)]),
    ),
    begun: () => begun,
    report: () =>
      `running: ${[...running.values()].join(', ') || 'nothing'}; ${String(failed.length)} failed, the last: ${failed.slice(-3).join(' | ')}`,
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

// the type of a replay's options does not name it, though replay sets it to true where it is not given
const inItsOwnThread = { debugMode: false, workflowThreadPoolSize: 1 };

/**
 * Replays one history with today's workflows, in a thread of its own; throws where they would decide differently. In this thread,
 * which is the default, the hook that the SDK sets on promises would stay for the files that Jest runs here later, and it fails on
 * the promises of Web Crypto.
 */
export async function replay(history: unknown): Promise<void> {
  await Worker.runReplayHistory(
    {
      workflowBundle: { codePath: stack.workflowBundle },
      dataConverter: dataConverter(historiesCipher),
      ...inItsOwnThread,
    },
    history,
    workflowIdOf(history),
  );
}

const StartedAs = z.object({
  events: z.tuple(
    [
      z.object({
        workflowExecutionStartedEventAttributes: z.object({
          input: z.object({
            payloads: z.tuple([z.object({ metadata: z.object({ 'sealed-for': z.base64() }) })], z.unknown()),
          }),
        }),
      }),
    ],
    z.unknown(),
  ),
});

/** The process whose input it is: under another id nothing of its history would open. */
function workflowIdOf(history: unknown): string {
  const [started] = StartedAs.parse(history).events;
  const [input] = started.workflowExecutionStartedEventAttributes.input.payloads;
  return Buffer.from(input.metadata['sealed-for'], 'base64').toString();
}
