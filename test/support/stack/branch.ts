/** A branch: an API and a worker of a test's own, with a database of their own, to be killed and started again. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { claimPorts } from '../../../tools/devstack/process/ports.ts';
import { runProcess, startProcess } from '../../../dev/service/process.ts';
import { startPostgres, type Postgres } from '../../../tools/devstack/stack/postgres.ts';
import { openBank, type Bank } from '../bank/bank.ts';
import { emptyBank, SHARED } from './database.ts';
import { untilPolling, untilReady } from './processes.ts';
import { stack } from './stack.ts';

export interface Branch {
  readonly api: string;
  readonly bank: Bank;
  /** The environment of its API and worker. */
  readonly env: NodeJS.ProcessEnv;
  startApi(): Promise<void>;
  /** As `kill -9` would. */
  killApi(): Promise<void>;
  startWorker(): Promise<void>;
  killWorker(): Promise<void>;
  /** Stops the branch's own PostgreSQL as a power cut would, and starts it again on the same files. */
  killDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  /** What a part has written so far. */
  log(part: 'api' | 'worker'): string;
  close(): Promise<void>;
}

interface BranchWish {
  /** `copy`: of an empty bank, in the shared server. `server`: a server of its own, to be killed too. `shared`: a replica of the API. */
  readonly database?: 'copy' | 'server' | 'shared';
  /** Settings that differ from those of the stack. */
  readonly settings?: NodeJS.ProcessEnv;
}

/** Unless it shares the database, nothing that a branch does reaches the tests beside it: task queue and rail folder are its own too. */
export async function openBranch({
  database: kind = 'copy',
  settings = {},
}: BranchWish = {}): Promise<Branch> {
  const block = await claimPorts();
  const name = `branch-${randomUUID().slice(0, 8)}`;
  const port = await block.next();
  const api = `http://127.0.0.1:${port}`;
  const logFile = (part: string): string => join(stack.folder, 'logs', `${name}-${part}.log`);
  const output = (part: string) => ({
    name: `${name}-${part}`,
    runFolder: stack.runFolder,
    output: { file: logFile(part) },
  });
  const openDatabase = serverOf(name, await block.next());
  let server = kind === 'server' ? await openDatabase() : undefined;
  const database = server ?? (kind === 'copy' ? await emptyBank(name) : SHARED);
  const env: NodeJS.ProcessEnv = {
    ...stack.serviceEnv,
    ...settings,
    PORT: String(port),
    // who shares the outbox starts the processes of all that write into it
    ...(kind === 'shared'
      ? {}
      : { RAIL_FOLDER: name, CARD_FOLDER: `${name}-cards`, TEMPORAL_TASK_QUEUE: name }),
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
  };
  // the copy is of a bank with the settings of the stack
  if (kind === 'server' || Object.keys(settings).length > 0)
    await runProcess('db/migrate.ts', env, output('migrate'));
  let running: { api?: Child; worker?: Child } = {};
  let bank: Bank | undefined;

  const branch: Branch = {
    api,
    env,
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
    killDatabase: async () => server?.kill(),
    log: (part) => readFileSync(logFile(part), 'utf8'),
    async startDatabase() {
      server = await openDatabase();
    },
    async close() {
      await bank?.close();
      await Promise.all([running.api?.stop(), running.worker?.stop()]);
      running = {};
      await server?.stop();
      await block.release();
    },
  };
  return branch;
}

/** How to start the branch's own server: the first time on an empty folder, later on what is there. */
function serverOf(name: string, port: number): () => Promise<Postgres> {
  const folder = join(stack.folder, name);
  mkdirSync(folder, { recursive: true });
  // PostgreSQL runs as another user if this process is root
  chmodSync(folder, 0o711);
  return () =>
    startPostgres({
      folder,
      port,
      runFolder: stack.runFolder,
      logFile: join(stack.folder, 'logs', `${name}-postgres.log`),
      durable: true,
    });
}
