/** The stack of the tests: the parts on free ports, and one API, worker and rail sandbox that all tests share. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { environment } from '../../config.ts';
import { acquire } from '../../tools/devstack/binaries/acquire.ts';
import { temporalTestServer } from '../../tools/devstack/binaries/temporal.ts';
import type { Child } from '../../tools/devstack/process/child.ts';
import type { PortBlock } from '../../tools/devstack/process/ports.ts';
import { copyDatabase } from '../../tools/devstack/stack/database.ts';
import { startStack, type StackPorts } from '../../tools/devstack/stack/stack.ts';
import { runProcess, startProcess } from '../service/process.ts';
import { untilPolling, untilReady } from '../service/readiness.ts';
import { stackSettings } from '../service/stack-settings.ts';
import { sourcesNow, type Sources } from './sources.ts';

export interface TestStackOptions {
  /** For all files of the stack, logs among them. */
  readonly folder: string;
  readonly runFolder: string;
  readonly ports: PortBlock;
  readonly say: (line: string) => void;
}

export interface TestStack {
  /** The environment of the service and where to find it; starts what does not run, and restarts what runs older code. */
  ready(): Promise<NodeJS.ProcessEnv>;
}

/** An empty bank at the newest schema. */
export const TEMPLATE = 'teller_template';

/** Nothing starts before somebody needs it: pure tests never do. */
export function createTestStack(options: TestStackOptions): TestStack {
  let last: Promise<Running> | undefined;
  const next = async (before: Promise<Running> | undefined): Promise<Running> => {
    // a start that failed is tried again, from nothing
    const running = await before?.catch(() => undefined);
    return running === undefined ? startEverything(options) : refresh(running, options);
  };
  return {
    async ready() {
      last = next(last);
      return (await last).env;
    },
  };
}

interface Running {
  readonly env: NodeJS.ProcessEnv;
  readonly sources: Sources;
  readonly processes: readonly Child[];
}

async function startEverything(options: TestStackOptions): Promise<Running> {
  const { folder, runFolder, say } = options;
  const begun = performance.now();
  const sources = sourcesNow();
  const ports = await choosePorts(options.ports);
  const env: NodeJS.ProcessEnv = { ...withoutOurs(process.env), ...secrets(), LOG_LEVEL: 'warn' };
  const [stack, timeSkippingServer] = await Promise.all([
    startStack({
      ...{ dataDir: folder, ports, settings: stackSettings(env, ports.PORT), persistent: false, env },
      ...{ runFolder, say, nextPort: options.ports.next, onEnd: () => undefined },
    }),
    acquire(temporalTestServer, say),
  ]);
  const api = `http://127.0.0.1:${ports.PORT}`;
  Object.assign(env, stack.env, {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: String(ports.PORT),
    // each test's world calls from an address of its own, so that throttling one leaves the others alone
    TRUST_PROXY: 'true',
    // a bank that answers within a moment
    RAIL_COLLECT_SECONDS: '0.2',
    RAIL_SANDBOX_LOOK_SECONDS: '0.1',
    RAIL_SANDBOX_ACCEPT_SECONDS: '0.1',
    RAIL_SANDBOX_SETTLE_SECONDS: '0.4',
    WORKFLOW_BUNDLE: join(folder, 'workflows.js'),
    TELLER_TEST_API: api,
    TELLER_TEST_FOLDER: folder,
    TELLER_TEST_RUN_FOLDER: runFolder,
    TELLER_TEST_TIME_SKIPPING_SERVER: timeSkippingServer,
  });
  await Promise.all([migrate(env, options), bundle(env, options)]);
  // before anybody is connected: tests that need a database of their own copy this one
  await copyDatabase({ folder: join(folder, 'postgres'), port: ports.POSTGRES_PORT }, 'teller', TEMPLATE);
  const processes = await startService(env, options);
  say(`The service under test is up after ${seconds(begun)} s.`);
  return { env, sources, processes };
}

/** Brings the service to the code of now; the parts and their data stay. */
async function refresh(running: Running, options: TestStackOptions): Promise<Running> {
  const { env, sources: before, processes } = running;
  const sources = sourcesNow();
  if (sources.newest === before.newest && processes.every((child) => !child.hasEnded())) return running;
  const begun = performance.now();
  await Promise.all(processes.map((child) => child.stop()));
  if (sources.newestMigration !== before.newestMigration) await migrate(env, options);
  await bundle(env, options);
  const restarted = await startService(env, options);
  options.say(`The code has changed: API and worker are up again after ${seconds(begun)} s.`);
  return { env, sources, processes: restarted };
}

async function startService(
  env: NodeJS.ProcessEnv,
  { folder, runFolder }: TestStackOptions,
): Promise<Child[]> {
  const options = (name: string) => ({
    name,
    runFolder,
    output: { file: join(folder, 'logs', `${name}.log`) },
    // what they hold goes with the folder
    stopSignal: 'SIGKILL' as const,
  });
  const [server, worker, rail] = await Promise.all([
    startProcess('api/main.ts', env, options('api')),
    startProcess('workers/main.ts', env, options('worker')),
    startProcess('dev/rail/sandbox.ts', env, options('rail')),
  ]);
  await Promise.all([untilReady(env['TELLER_TEST_API'] ?? '', server), untilPolling(env, worker)]);
  return [server, worker, rail];
}

function migrate(env: NodeJS.ProcessEnv, { runFolder, say }: TestStackOptions): Promise<void> {
  const options = { name: 'migrate', runFolder, output: { line: say } };
  return runProcess('db/migrate.ts', { ...env, NO_COLOR: '1' }, options);
}

/** Built once for the shared worker, those of single tests and the replays of saved histories. */
function bundle(env: NodeJS.ProcessEnv, { runFolder, say }: TestStackOptions): Promise<void> {
  const args = [env['WORKFLOW_BUNDLE'] ?? ''];
  return runProcess('workers/write-bundle.ts', env, {
    name: 'bundle',
    runFolder,
    output: { line: say },
    args,
  });
}

async function choosePorts(block: PortBlock): Promise<StackPorts> {
  return {
    PORT: await block.next(),
    POSTGRES_PORT: await block.next(),
    TEMPORAL_PORT: await block.next(),
    TEMPORAL_UI_PORT: await block.next(),
    S3_PORT: await block.next(),
    SMTP_PORT: await block.next(),
    INBOX_PORT: await block.next(),
  };
}

/** Addresses that the shell happens to hold are for `npm start`: tests touch nothing that they did not start. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !(name in environment.shape)));
}

function secrets(): Record<string, string> {
  return {
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    S3_SECRET_KEY: randomBytes(24).toString('hex'),
  };
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}
