/** `npm start`: the parts, the schema, demo data, API and worker, until Ctrl-C. */
import { join, relative } from 'node:path';
import { table } from './address-table.ts';
import { tryLock } from '../../tools/devstack/process/lock.mjs';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { keepRunning, type Stoppable } from '../../tools/devstack/process/keep-running.ts';
import { runProcess, startProcess } from './process.ts';
import { untilPolling, untilReady } from './readiness.ts';
import { stopOnSignals, supervise } from '../../tools/devstack/process/supervisor.ts';
import { seed } from '../seed/seed.ts';
import { writeServiceEnv } from './service-env.ts';
import { readSettings, unusablePorts, type Settings } from './settings.ts';
import { stackSettings } from './stack-settings.ts';
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
  await start(readSettings(process.env));
} catch (error) {
  // what ends because it is being stopped is no failure
  if (!stopping) {
    say(`\n${error instanceof Error ? error.message : String(error)}`);
    await stopAll();
    process.exit(1);
  }
}

async function start(config: Settings): Promise<void> {
  const begun = performance.now();
  const dataDir = config.DATA_DIR;
  const runFolder = await takeCharge(dataDir);
  const faults = await unusablePorts(config, process.env);
  // every one at once: meeting them one by one would take as many starts
  if (faults.length > 0) throw new Error(`Ports on 127.0.0.1 that cannot be used:\n  ${faults.join('\n  ')}`);
  const spare = await claimPorts();
  say('Starting PostgreSQL, Temporal, object store and inbox …');
  const logs = `${relative(process.cwd(), join(dataDir, 'logs'))}/`;
  stack = await startStack({
    dataDir,
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
  const env = { ...process.env, ...stack.env, HOST: config.HOST, PORT: String(config.PORT) };
  await runProcess(
    'db/migrate.ts',
    { ...env, NO_COLOR: '1' },
    { name: 'migrate', runFolder, output: prefixed('migrate') },
  );
  writeServiceEnv(dataDir, stack.env);
  const users = await seed(env);

  const startApi = () =>
    startProcess('api/main.ts', env, { name: 'API', runFolder, output: prefixed('api') });
  const startWorker = () =>
    startProcess('workers/main.ts', env, { name: 'Worker', runFolder, output: prefixed('worker') });
  const startRail = () =>
    startProcess('dev/rail/sandbox.ts', env, { name: 'Rail', runFolder, output: prefixed('rail') });
  const [api, worker] = await Promise.all([startApi(), startWorker()]);
  // until they are ready they have nothing to finish
  services.push({ stop: api.kill }, { stop: worker.kill });
  const url = `http://${config.HOST}:${config.PORT}`;
  await Promise.all([untilReady(url, api), untilPolling(env, worker)]);
  // only now: one that cannot even start would be started for ever
  services.splice(0, 2, keepRunning(api, startApi, say), keepRunning(worker, startWorker, say));
  // off where a real bank's connection exchanges the files
  if (config.RAIL_SANDBOX) services.push(keepRunning(await startRail(), startRail, say));
  const addresses = [['API', url], ['API documentation', `${url}/docs`], ...stack.addresses] as const;
  say(table(addresses, users, logs));
  say(`Ready after ${((performance.now() - begun) / 1000).toFixed(1)} s. Ctrl-C stops everything.`);
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
