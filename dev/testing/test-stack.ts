/**
 * The stack of the tests: the parts, a sandbox custodian and sandbox price sources on free ports, and one bank or more on them, each an
 * API, a worker, a rail sandbox and a database. If every worker of Jest has a bank of its own, no two files of tests ever meet in one.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { environment } from '../../environment.ts';
import { acquire } from '../../tools/devstack/binaries/acquire.ts';
import { temporalTestServer } from '../../tools/devstack/binaries/temporal.ts';
import { lastLines, type Child } from '../../tools/devstack/process/child.ts';
import type { PortBlock } from '../../tools/devstack/process/ports.ts';
import { copyDatabase } from '../../tools/devstack/stack/database.ts';
import { startStack, type StackPorts } from '../../tools/devstack/stack/stack.ts';
import { SANDBOX_API_KEY } from '../custodian/settings.ts';
import { sandboxSources } from '../prices/sources.ts';
import { runProcess, startProcess } from '../service/process.ts';
import { untilAnswered, untilPolling, untilReady } from '../service/readiness.ts';
import { stackSettings } from '../service/stack-settings.ts';
import { banksOf, TEMPLATE } from './banks.ts';
import { sourcesNow } from './sources.ts';
import { keepUpToDate, type TestStack } from './up-to-date.ts';

export interface TestStackOptions {
  /** For all files of the stack, logs among them. */
  readonly folder: string;
  readonly runFolder: string;
  readonly ports: PortBlock;
  /** How many banks there are; one or more. */
  readonly banks: number;
  readonly say: (line: string) => void;
}

/** Nothing starts before somebody needs it: pure tests never do. */
export function createTestStack(options: TestStackOptions): TestStack {
  return keepUpToDate({
    sources: sourcesNow,
    startParts: () => startParts(options),
    prepareSchema: (env) => prepareSchema(env, options),
    bundle: (env) => bundle(env, options),
    startService: (env) => startService(env, options),
    say: options.say,
  });
}

/** A stack's parts with their data, and the processes of the service on them. */
async function startParts(options: TestStackOptions): Promise<NodeJS.ProcessEnv> {
  const { folder, runFolder, say } = options;
  const ports = await choosePorts(options.ports);
  const env: NodeJS.ProcessEnv = { ...withoutOurs(process.env), ...secrets(), LOG_LEVEL: 'warn' };
  const [stack, timeSkippingServer] = await Promise.all([
    startStack({
      ...{ dataDir: folder, ports, settings: stackSettings(env, ports.PORT), persistent: false, env },
      ...{ runFolder, say, nextPort: options.ports.next, onEnd: () => undefined },
    }),
    acquire(temporalTestServer, say),
  ]);
  return {
    ...env,
    ...stack.env,
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: String(ports.PORT),
    // each test's world calls from an address of its own, so that throttling one leaves the others alone
    TRUST_PROXY: 'true',
    REPLY_DOMAIN: 'reply.teller.test',
    // no load balancer has to notice
    STOP_DELAY_SECONDS: '0',
    // what a transaction launches begins soon
    RELAY_SECONDS: '0.5',
    // a bank that answers within a moment
    RAIL_COLLECT_SECONDS: '0.2',
    RAIL_SANDBOX_LOOK_SECONDS: '0.1',
    RAIL_SANDBOX_ACCEPT_SECONDS: '0.1',
    RAIL_SANDBOX_SETTLE_SECONDS: '0.4',
    ...(await custodianSettings(options)),
    ...(await priceSettings(options)),
    WORKFLOW_BUNDLE: join(folder, 'workflows.js'),
    TELLER_TEST_API: `http://127.0.0.1:${ports.PORT}`,
    TELLER_TEST_FOLDER: folder,
    TELLER_TEST_RUN_FOLDER: runFolder,
    TELLER_TEST_TIME_SKIPPING_SERVER: timeSkippingServer,
    TELLER_TEST_BANKS: JSON.stringify(await furtherBanks(stack.env, options)),
  };
}

/** How the banks reach the custodian, and tests its control. The banks have no control of it: nothing leads to a simulator unasked. */
async function custodianSettings({ folder, ports }: TestStackOptions): Promise<Record<string, string>> {
  const [api, control] = [await ports.next(), await ports.next()];
  return {
    CUSTODIAN_URL: `http://127.0.0.1:${String(api)}/v1`,
    CUSTODIAN_JWKS_URL: `http://127.0.0.1:${String(api)}/.well-known/jwks.json`,
    CUSTODIAN_API_KEY: SANDBOX_API_KEY,
    CUSTODIAN_POLL_SECONDS: '2',
    CRYPTO_RECONCILE_SECONDS: '5',
    CUSTODIAN_SECRET_FILE: join(folder, 'custodian', 'api-user.pem'),
    TELLER_TEST_CUSTODIAN_CONTROL: `http://127.0.0.1:${String(control)}`,
  };
}

/** How the banks reach the price sources, and tests their control. */
async function priceSettings({ ports }: TestStackOptions): Promise<Record<string, string>> {
  const base = `http://127.0.0.1:${String(await ports.next())}`;
  return { PRICE_SOURCES: sandboxSources(base), PRICE_POLL_SECONDS: '2', TELLER_TEST_PRICES: base };
}

/** The banks after the first: what is theirs alone. Object store, inbox and Temporal are shared, under names that never meet; custodian and price sources are shared too. */
async function furtherBanks(
  { DATABASE_URL = '', DATABASE_OWNER_URL = '' }: NodeJS.ProcessEnv,
  { banks, ports }: TestStackOptions,
): Promise<Record<string, string>[]> {
  const further: Record<string, string>[] = [];
  for (let bank = 2; bank <= banks; bank++) {
    const [name, port] = [`bank-${String(bank)}`, String(await ports.next())];
    const inOwn = (url: string): string => Object.assign(new URL(url), { pathname: name }).href;
    further.push({
      ...{ PORT: port, TELLER_TEST_API: `http://127.0.0.1:${port}` },
      ...{ DATABASE_URL: inOwn(DATABASE_URL), DATABASE_OWNER_URL: inOwn(DATABASE_OWNER_URL) },
      ...{ TEMPORAL_TASK_QUEUE: name, RAIL_FOLDER: name, CARD_FOLDER: `${name}-cards` },
    });
  }
  return further;
}

/** The newest schema, and a copy of it for tests that need a database of their own. Nobody may be connected. */
async function prepareSchema(env: NodeJS.ProcessEnv, options: TestStackOptions): Promise<void> {
  await migrate(env, options);
  const [first, ...further] = banksOf(env).map(({ DATABASE_URL = '' }) => new URL(DATABASE_URL));
  const server = { folder: join(options.folder, 'postgres'), port: Number(first?.port) };
  for (const name of [TEMPLATE, ...further.map(({ pathname }) => pathname.slice(1))])
    await copyDatabase(server, 'teller', name);
}

async function startService(env: NodeJS.ProcessEnv, options: TestStackOptions): Promise<Child[]> {
  const started = await Promise.allSettled([
    startCustodian(env, options),
    startPrices(env, options),
    ...banksOf(env).map((bank, at) => startBank(bank, at === 0 ? '' : `-${String(at + 1)}`, options)),
  ]);
  const failed = started.find((part) => part.status === 'rejected');
  const running = started.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  if (failed === undefined) return running;
  await Promise.all(running.map((child) => child.stop()));
  throw failed.reason;
}

/** All banks share it, and its vault for coins with tags. Its data is kept when the code changes. */
async function startCustodian(
  env: NodeJS.ProcessEnv,
  { folder, runFolder }: TestStackOptions,
): Promise<Child[]> {
  const { CUSTODIAN_URL: url = '', TELLER_TEST_CUSTODIAN_CONTROL: control = '' } = env;
  const log = join(folder, 'logs', 'custodian.log');
  const settings = {
    ...{ NODE_ENV: 'development', CUSTODIAN_DATA: join(folder, 'custodian'), CUSTODIAN_WEBHOOK_URL: '' },
    ...{ CUSTODIAN_PORT: new URL(url).port, CUSTODIAN_CONTROL_PORT: new URL(control).port },
  };
  const child = await startProcess(
    'dev/custodian/main.ts',
    { ...env, ...settings },
    { name: 'custodian', runFolder, output: { file: log }, stopSignal: 'SIGKILL' },
  );
  // its API is the last that it opens
  return onceAnswered(child, new URL('/.well-known/jwks.json', url).href, log);
}

/** All banks share them, and calm prices play. */
async function startPrices(
  env: NodeJS.ProcessEnv,
  { folder, runFolder }: TestStackOptions,
): Promise<Child[]> {
  const { TELLER_TEST_PRICES: base = '' } = env;
  const log = join(folder, 'logs', 'prices.log');
  const child = await startProcess(
    'dev/prices/main.ts',
    { ...env, NODE_ENV: 'development', PRICES_PORT: new URL(base).port },
    { name: 'prices', runFolder, output: { file: log }, stopSignal: 'SIGKILL' },
  );
  return onceAnswered(child, `${base}/prices`, log);
}

/** Waits until a simulator answers at this address; if it does not, stops it and throws with the end of its log. */
async function onceAnswered(child: Child, url: string, log: string): Promise<Child[]> {
  try {
    await untilAnswered(url, child);
    return [child];
  } catch (error) {
    await child.stop();
    const ended = error instanceof Error ? error.message : String(error);
    throw new Error(`${ended} ${log} ends:\n${lastLines(log, 12)}`, { cause: error });
  }
}

/** Starts the processes of a bank; `suffix` tells their names and logs from those of the others. */
async function startBank(
  env: NodeJS.ProcessEnv,
  suffix: string,
  { folder, runFolder }: TestStackOptions,
): Promise<Child[]> {
  const logOf = (name: string): string => join(folder, 'logs', `${name}${suffix}.log`);
  const options = (name: string) => ({
    name: `${name}${suffix}`,
    runFolder,
    output: { file: logOf(name) },
    // what they hold goes with the folder
    stopSignal: 'SIGKILL' as const,
  });
  const [server, worker, rail] = await Promise.all([
    startProcess('api/main.ts', env, options('api')),
    startProcess('workers/main.ts', env, options('worker')),
    // nobody controls the rail that all tests share
    startProcess('dev/rail/sandbox.ts', { ...env, RAIL_PORT: '0' }, options('rail')),
  ]);
  try {
    await Promise.all([untilReady(env['TELLER_TEST_API'] ?? '', server), untilPolling(env, worker)]);
  } catch (error) {
    await Promise.all([server, worker, rail].map((child) => child.stop()));
    const ended = error instanceof Error ? error.message : String(error);
    const log = logOf(ended.startsWith('worker') ? 'worker' : 'api');
    throw new Error(`${ended} ${log} ends:\n${lastLines(log, 12)}`, { cause: error });
  }
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
    CARD_KEYS: `test:${randomBytes(32).toString('base64')}`,
    S3_SECRET_KEY: randomBytes(24).toString('hex'),
  };
}
