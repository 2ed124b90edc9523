/** A branch: an API and a worker of a test's own, to be killed and started again; with a database of its own where that shall fail. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '../../tools/devstack/process/child.ts';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { untilPolling, untilReady } from '../../dev/service/readiness.ts';
import { runProcess, startProcess } from '../../dev/service/process.ts';
import { startPostgres, type Postgres } from '../../tools/devstack/stack/postgres.ts';
import { openBank, type Bank } from './bank.ts';
import { stack } from './stack.ts';

export interface Branch {
  readonly api: string;
  readonly bank: Bank;
  startApi(): Promise<void>;
  /** As `kill -9` would. */
  killApi(): Promise<void>;
  startWorker(): Promise<void>;
  killWorker(): Promise<void>;
  /** Stops the branch's own PostgreSQL as a power cut would, and starts it again on the same files. */
  killDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  close(): Promise<void>;
}

interface BranchWish {
  readonly ownDatabase?: boolean;
  /** Settings that differ from those of the stack. */
  readonly settings?: NodeJS.ProcessEnv;
}

/** Processes run on a task queue of their own; `ownDatabase` gives them a PostgreSQL of their own too. */
export async function openBranch({ ownDatabase = false, settings = {} }: BranchWish = {}): Promise<Branch> {
  const block = await claimPorts();
  const name = `branch-${randomUUID().slice(0, 8)}`;
  const folder = join(stack.folder, name);
  const port = await block.next();
  const api = `http://127.0.0.1:${port}`;
  const output = (part: string) => ({
    name: `${name}-${part}`,
    runFolder: stack.runFolder,
    output: { file: join(stack.folder, 'logs', `${name}-${part}.log`) },
  });
  const databasePort = await block.next();
  mkdirSync(folder, { recursive: true });
  // PostgreSQL runs as another user where this is root
  chmodSync(folder, 0o711);
  const openDatabase = (): Promise<Postgres> =>
    startPostgres({
      folder,
      port: databasePort,
      runFolder: stack.runFolder,
      logFile: join(stack.folder, 'logs', `${name}-postgres.log`),
      durable: true,
    });
  let database = ownDatabase ? await openDatabase() : undefined;
  const env: NodeJS.ProcessEnv = {
    ...stack.serviceEnv,
    ...settings,
    PORT: String(port),
    TEMPORAL_TASK_QUEUE: name,
    ...(database === undefined ? {} : { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl }),
  };
  if (database !== undefined) await runProcess('db/migrate.ts', env, output('migrate'));
  let running: { api?: Child; worker?: Child } = {};
  let bank: Bank | undefined;

  const branch: Branch = {
    api,
    get bank() {
      bank ??= openBank(api, env);
      return bank;
    },
    async startApi() {
      running.api = await startProcess('api/main.ts', env, output('api'));
      await untilReady(api, running.api);
    },
    killApi: async () => running.api?.kill(),
    async startWorker() {
      running.worker = await startProcess('workers/main.ts', env, output('worker'));
      await untilPolling(env, running.worker);
    },
    killWorker: async () => running.worker?.kill(),
    killDatabase: async () => database?.kill(),
    async startDatabase() {
      database = await openDatabase();
    },
    async close() {
      await bank?.close();
      await Promise.all([running.api?.stop(), running.worker?.stop()]);
      running = {};
      await database?.stop();
      await block.release();
    },
  };
  return branch;
}
