/**
 * `npm test [-- arguments of Jest]`: a stack of its own on free ports with files in a temporary folder, one API and
 * one worker that all tests share, then Jest. The last line says how many passed and failed.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { environment } from '../../config.ts';
import { acquire } from '../../tools/devstack/binaries/acquire.ts';
import { temporalTestServer } from '../../tools/devstack/binaries/temporal.ts';
import { runJest, type Verdict } from './jest.ts';
import { claimPorts, type PortBlock } from '../../tools/devstack/process/ports.ts';
import { recoverUnder } from '../../tools/devstack/process/run-folder.ts';
import { ROOT, runProcess, startProcess } from '../service/process.ts';
import { untilPolling, untilReady } from '../service/readiness.ts';
import { stopOnSignals, supervise } from '../../tools/devstack/process/supervisor.ts';
import { stackSettings } from '../service/stack-settings.ts';
import { startStack, type StackPorts } from '../../tools/devstack/stack/stack.ts';

const PREFIX = 'teller-test-';
const say = (line: string): void => void process.stderr.write(`${line}\n`);

await removeLeftOvers();
const folder = mkdtempSync(join(tmpdir(), PREFIX));
// PostgreSQL runs as another user where this is root
chmodSync(folder, 0o711);
const supervision = await supervise(join(folder, 'run'), [folder]);
const { runFolder } = supervision;
let stopping = false;
stopOnSignals(stop, supervision.abandon);

let verdict: Verdict = { passed: 0, failed: 1, code: 1 };
try {
  verdict = await runJest(await startEverything(await claimPorts()), folder, runFolder);
} catch (error) {
  // what ends because it is being stopped is no failure
  if (!stopping) say(error instanceof Error ? error.message : String(error));
}
if (verdict.code !== 0 && !stopping) keepLogs();
await stop();
process.stdout.write(`\n${verdict.passed} passed, ${verdict.failed} failed\n`);
process.exitCode = verdict.code;

/** Answers the environment in which the tests run: that of the service, and where to find it. */
async function startEverything(block: PortBlock): Promise<NodeJS.ProcessEnv> {
  const begun = performance.now();
  const ports = await choosePorts(block);
  const env: NodeJS.ProcessEnv = { ...withoutOurs(process.env), ...secrets(), LOG_LEVEL: 'warn' };
  const [stack, timeSkippingServer] = await Promise.all([
    startStack({
      dataDir: folder,
      ports,
      settings: stackSettings(env, ports.PORT),
      persistent: false,
      env,
      runFolder,
      say,
      nextPort: block.next,
      onEnd: () => undefined,
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
    TELLER_TEST_API: api,
    TELLER_TEST_FOLDER: folder,
    TELLER_TEST_RUN_FOLDER: runFolder,
    TELLER_TEST_TIME_SKIPPING_SERVER: timeSkippingServer,
  });
  await runProcess(
    'db/migrate.ts',
    { ...env, NO_COLOR: '1' },
    { name: 'migrate', runFolder, output: { line: say } },
  );
  const options = (name: string) => ({
    name,
    runFolder,
    output: { file: join(folder, 'logs', `${name}.log`) },
    // what they hold goes with the folder
    stopSignal: 'SIGKILL' as const,
  });
  const [server, worker] = await Promise.all([
    startProcess('api/main.ts', env, options('api')),
    startProcess('workers/main.ts', env, options('worker')),
    startProcess('dev/rail/sandbox.ts', env, options('rail')),
  ]);
  await Promise.all([untilReady(api, server), untilPolling(env, worker)]);
  say(`The service under test is up after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  return env;
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

/** What the service said goes with the folder unless somebody may want to read it. */
function keepLogs(): void {
  const kept = join(ROOT, '.data', 'test-logs');
  if (!existsSync(join(folder, 'logs'))) return;
  rmSync(kept, { recursive: true, force: true });
  cpSync(join(folder, 'logs'), kept, { recursive: true });
  say(`What the service and its parts said is kept in ${relative(process.cwd(), kept)}/.`);
}

async function stop(): Promise<void> {
  stopping = true;
  await supervision.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Runs that were killed together with their reaper (a reboot, an OOM) leave folders and perhaps processes. */
async function removeLeftOvers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const old = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || !statSync(old, { throwIfNoEntry: false })?.isDirectory()) continue;
    const run = join(old, 'run');
    await recoverUnder(run);
    const young = Date.now() - (statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 60_000;
    if (!young && readdirSync(existsSync(run) ? run : old).length === 0)
      rmSync(old, { recursive: true, force: true });
  }
}
