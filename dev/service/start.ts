/** `npm start` and `npm run dev`: the parts, the schema, demo data, API and worker, until Ctrl-C. */
import { join, relative } from 'node:path';
import { table } from './address-table.ts';
import { tryLock } from '../../tools/devstack/process/lock.mjs';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { keepRunning, type Stoppable } from '../../tools/devstack/process/keep-running.ts';
import { runProcess } from './process.ts';
import { debuggerAt, serviceProcesses, type ServiceProcess, type ServiceProcesses } from './processes.ts';
import { restartOnSave, type RestartOptions } from './restart-on-save.ts';
import { stopOnSignals, supervise } from '../../tools/devstack/process/supervisor.ts';
import { sandboxSources } from '../prices/sources.ts';
import { seed } from '../seed/seed.ts';
import { writeServiceEnv } from './service-env.ts';
import { readSettings, unusablePorts, type Settings } from './settings.ts';
import { stackSettings } from './stack-settings.ts';
import { readStartOptions, type StartOptions } from './start-options.ts';
import { startStack, type Stack } from '../../tools/devstack/stack/stack.ts';

/** What is to be stopped, in this order. */
const services: Stoppable[] = [];
let stack: Stack | undefined;
let endSupervision = async (): Promise<void> => undefined;
let abandon = (): void => undefined;
let stopping = false;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const prefixed = (name: string) => ({ line: (text: string): void => say(`${name.padEnd(7)}| ${text}`) });

stopOnSignals(
  async () => {
    say('\nStopping …');
    await stopAll();
    say('Stopped. Nothing runs on; the data is kept.');
  },
  () => abandon(),
);
try {
  await start(readSettings(process.env), readStartOptions(process.argv.slice(2)));
} catch (error) {
  // what ends because it is being stopped is no failure
  if (!stopping) {
    say(`\n${error instanceof Error ? error.message : String(error)}`);
    await stopAll();
    process.exit(1);
  }
}

async function start(config: Settings, options: StartOptions): Promise<void> {
  const begun = performance.now();
  const dataDir = config.DATA_DIR;
  const runFolder = await takeCharge(dataDir);
  const faults = await unusablePorts(config, process.env, options.inspect);
  // every one at once: meeting them one by one would take as many starts
  if (faults.length > 0) throw new Error(`Ports on 127.0.0.1 that cannot be used:\n  ${faults.join('\n  ')}`);
  const logs = `${relative(process.cwd(), join(dataDir, 'logs'))}/`;
  stack = await startParts(config, runFolder, logs);
  const named = { NODE_ENV: process.env['NODE_ENV'] ?? 'development' };
  const isSimulated = named.NODE_ENV !== 'production';
  const back = {
    REPLY_DOMAIN: process.env['REPLY_DOMAIN'] ?? 'reply.teller.localhost',
    INBOUND_SMTP_PORT: String(config.INBOUND_SMTP_PORT),
  };
  const address = { ...named, ...back, HOST: config.HOST, PORT: String(config.PORT) };
  const url = `http://${config.HOST}:${config.PORT}`;
  Object.assign(address, simulatorSettings(config, isSimulated, url));
  // nothing balances load here, so nothing has to notice that the API stops
  const env = { STOP_DELAY_SECONDS: '0', ...process.env, ...stack.env, ...address };
  const migrate = () =>
    runProcess(
      'db/migrate.ts',
      { ...env, NO_COLOR: '1' },
      { name: 'migrate', runFolder, output: prefixed('migrate') },
    );
  await migrate();
  writeServiceEnv(dataDir, { ...stack.env, ...address });
  const users = await seed(env);

  const processes = serviceProcesses({ ...options, config, env, url, runFolder, output: prefixed });
  const kept = await startService(processes, [
    ...(config.RAIL_SANDBOX ? [processes.rail] : []),
    ...(isSimulated ? [processes.cardNetwork] : []),
    ...(hasCustodian(config, isSimulated) ? [processes.custodian] : []),
    ...(hasPrices(config, isSimulated) ? [processes.prices] : []),
  ]);
  // stopped first, or a save would start again what is being stopped
  if (options.watch) services.unshift(restartOnSave({ processes: kept, migrate, say }));
  const debuggers = [
    ['Debugger, API', debuggerAt(config.INSPECT_API_PORT)],
    ['Debugger, worker', debuggerAt(config.INSPECT_WORKER_PORT)],
  ] as const;
  const addresses = [
    ...([
      ['API', url],
      ['API documentation', `${url}/docs`],
      ['Sign-in, processes', `${url}/operators/sign-in`],
      ...stack.addresses,
      ...simulatorAddresses(config, isSimulated),
    ] as const),
    ...(options.inspect ? debuggers : []),
  ];
  say(table(addresses, users, logs));
  const restarts = options.watch ? ' API and worker restart when their source is saved.' : '';
  say(
    `Ready after ${((performance.now() - begun) / 1000).toFixed(1)} s.${restarts} Ctrl-C stops everything.`,
  );
}

/** Where the pages of the simulators are. */
function simulatorAddresses(config: Settings, isSimulated: boolean): (readonly [string, string])[] {
  const page = (port: number): string => `http://127.0.0.1:${String(port)}`;
  return [
    ...(config.RAIL_SANDBOX ? [['Sandbox rail', page(config.RAIL_PORT)] as const] : []),
    ...(isSimulated ? [['Card network, shop', page(config.CARD_NETWORK_PORT)] as const] : []),
    ...(hasCustodian(config, isSimulated)
      ? ([
          ['Sandbox custodian', page(config.CUSTODIAN_CONTROL_PORT)],
          ['Its Fireblocks API', `${page(config.CUSTODIAN_PORT)}/v1`],
        ] as const)
      : []),
    ...(hasPrices(config, isSimulated) ? [['Price sources', page(config.PRICES_PORT)] as const] : []),
  ];
}

/** A custodian of the user's own takes the place of the sandbox. */
function hasCustodian(config: Settings, isSimulated: boolean): boolean {
  return isSimulated && config.CUSTODIAN_URL === undefined;
}

/** Price sources of the user's own take the place of the sandbox. */
function hasPrices(config: Settings, isSimulated: boolean): boolean {
  return isSimulated && config.PRICE_SOURCES === undefined;
}

/** Where the simulators that are started are controlled, and how the bank at `url` and the custodian reach each other. */
function simulatorSettings(config: Settings, isSimulated: boolean, url: string): Record<string, string> {
  return {
    ...(config.RAIL_SANDBOX ? { RAIL_PORT: String(config.RAIL_PORT) } : {}),
    ...(isSimulated ? { CARD_NETWORK_PORT: String(config.CARD_NETWORK_PORT) } : {}),
    ...(hasCustodian(config, isSimulated)
      ? {
          CUSTODIAN_URL: `http://127.0.0.1:${String(config.CUSTODIAN_PORT)}/v1`,
          CUSTODIAN_JWKS_URL: `http://127.0.0.1:${String(config.CUSTODIAN_PORT)}/.well-known/jwks.json`,
          CUSTODIAN_WEBHOOK_URL: config.CUSTODIAN_WEBHOOK_URL ?? `${url}/v1/crypto/webhooks/custodian`,
          CUSTODIAN_API_KEY: config.CUSTODIAN_API_KEY,
          CUSTODIAN_SECRET_FILE: join(config.DATA_DIR, 'custodian', 'api-user.pem'),
          CUSTODIAN_PORT: String(config.CUSTODIAN_PORT),
          CUSTODIAN_CONTROL_PORT: String(config.CUSTODIAN_CONTROL_PORT),
          CUSTODIAN_DATA: join(config.DATA_DIR, 'custodian'),
          CRYPTO_RECONCILE_SECONDS: config.CRYPTO_RECONCILE_SECONDS,
        }
      : {}),
    ...(hasPrices(config, isSimulated)
      ? {
          PRICE_SOURCES: sandboxSources(`http://127.0.0.1:${String(config.PRICES_PORT)}`),
          PRICE_POLL_SECONDS: config.PRICE_POLL_SECONDS,
          PRICES_PORT: String(config.PRICES_PORT),
        }
      : {}),
  };
}

async function startParts(config: Settings, runFolder: string, logs: string): Promise<Stack> {
  const spare = await claimPorts();
  say('Starting PostgreSQL, Temporal, object store and inbox …');
  return startStack({
    dataDir: config.DATA_DIR,
    ports: config,
    settings: stackSettings(process.env, config.PORT),
    persistent: true,
    env: process.env,
    runFolder,
    say,
    nextPort: spare.next,
    onEnd(part, outcome) {
      if (!stopping)
        say(`${part} has ended (${outcome}); its log is in ${logs}. Stop with Ctrl-C and start again.`);
    },
  });
}

/** Starts API and worker, and then the simulators. */
async function startService(
  { api, worker }: ServiceProcesses,
  simulators: readonly ServiceProcess[],
): Promise<RestartOptions['processes']> {
  const [first, second] = await Promise.all([api.start(), worker.start()]);
  // until they are ready they have nothing to finish
  services.push({ stop: first.kill }, { stop: second.kill });
  await Promise.all([api.ready(first), worker.ready(second)]);
  // only now: one that cannot even start would be started for ever
  const kept = [
    { process: api, kept: keepRunning(first, api.start, say) },
    { process: worker, kept: keepRunning(second, worker.start, say) },
  ];
  services.splice(0, 2, ...kept.map((one) => one.kept));
  for (const simulator of simulators) {
    const one = { process: simulator, kept: keepRunning(await simulator.start(), simulator.start, say) };
    services.push(one.kept);
    kept.push(one);
  }
  return kept;
}

/** One start a data folder; what an earlier one that was killed has left is stopped first. */
async function takeCharge(dataDir: string): Promise<string> {
  const lock = tryLock(join(dataDir, 'lock'));
  if (!lock.taken) {
    throw new Error(
      `Teller already runs on ${dataDir}. Stop it first: Ctrl-C in its terminal, or \`kill ${lock.owner}\`.`,
    );
  }
  process.once('exit', lock.release);
  const supervision = await supervise(join(dataDir, 'run'));
  endSupervision = supervision.end;
  abandon = supervision.abandon;
  if (supervision.recovered.length > 0) {
    say(`An earlier start was cut off; stopped what it had left: ${supervision.recovered.join(', ')}.`);
  }
  return supervision.runFolder;
}

async function stopAll(): Promise<void> {
  stopping = true;
  for (const service of services) await service.stop();
  await stack?.stop();
  // what was still being started
  await endSupervision();
}
