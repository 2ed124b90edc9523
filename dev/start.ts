/** `npm start`: the parts, the schema, demo data, API and worker, until Ctrl-C. */
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { environment } from '../config.ts';
import { table } from './address-table.ts';
import { tryLock } from './process/lock.mjs';
import { claimPorts, isFree } from './process/ports.ts';
import { keepRunning, ROOT, runProcess, startProcess, untilReady, type Kept } from './process/service.ts';
import { stopOnSignals, supervise } from './process/supervisor.ts';
import { seed } from './seed.ts';
import { REPLACED_BY, startStack, type StackPorts } from './stack/stack.ts';

const port = (usual: number): z.ZodType<number> => z.coerce.number().int().min(1).max(65_535).default(usual);

const settings = z.object({
  HOST: environment.shape.HOST,
  DATA_DIR: z.string().default('.data'),
  PORT: port(3000),
  POSTGRES_PORT: port(5433),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  S3_PORT: port(7070),
  SMTP_PORT: port(1025),
  INBOX_PORT: port(1080),
});
type Settings = z.output<typeof settings>;

/** What is to be stopped, in this order. */
const services: Kept[] = [];
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
  await start(readSettings());
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
  const dataDir = resolve(ROOT, config.DATA_DIR);
  const runFolder = await takeCharge(dataDir);
  await requireFreePorts(config);
  const spare = await claimPorts();
  say('Starting PostgreSQL, Temporal, object store and inbox …');
  const stack = await startStack({
    dataDir,
    ports: config,
    persistent: true,
    env: process.env,
    runFolder,
    say,
    nextPort: spare.next,
  });
  const env = { ...process.env, ...stack.env, HOST: config.HOST, PORT: String(config.PORT) };
  await runProcess(
    'db/migrate.ts',
    { ...env, NO_COLOR: '1' },
    { name: 'migrate', runFolder, output: prefixed('migrate') },
  );
  const users = await seed(env);

  const startApi = () =>
    startProcess('api/main.ts', env, { name: 'API', runFolder, output: prefixed('api') });
  const startWorker = () =>
    startProcess('workers/main.ts', env, { name: 'Worker', runFolder, output: prefixed('worker') });
  const [api, worker] = await Promise.all([startApi(), startWorker()]);
  const url = `http://${config.HOST}:${config.PORT}`;
  await untilReady(url, api);
  services.push(keepRunning(api, startApi, say), keepRunning(worker, startWorker, say));
  const addresses = [['API', url], ['API documentation', `${url}/docs`], ...stack.addresses] as const;
  say(table(addresses, users, `${relative(process.cwd(), join(dataDir, 'logs'))}/`));
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

function readSettings(): Settings {
  const given = Object.entries(process.env).filter(([, value]) => value !== '');
  const parsed = settings.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The configuration is not usable:\n${faults.join('\n')}`);
}

/** Every taken port at once: meeting them one by one would take as many starts. */
async function requireFreePorts(config: Settings): Promise<void> {
  const replaced = Object.entries(REPLACED_BY).flatMap(([variable, ports]) =>
    process.env[variable] ? [...ports] : [],
  );
  const names = Object.keys(config).filter((name): name is keyof StackPorts => name.endsWith('PORT'));
  const taken: string[] = [];
  const seen = new Map<number, string>();
  for (const name of names.filter((candidate) => !replaced.some((other) => other === candidate))) {
    const number = config[name];
    const twin = seen.get(number);
    if (twin !== undefined)
      taken.push(`  ${number} is asked for twice: set ${twin} or ${name} to another one`);
    else if (!(await isFree(number))) taken.push(`  ${number} is taken: set ${name} to another one`);
    seen.set(number, name);
  }
  if (taken.length > 0) throw new Error(`These ports on 127.0.0.1 cannot be used:\n${taken.join('\n')}`);
}

async function stopAll(): Promise<void> {
  stopping = true;
  for (const service of services) await service.stop();
  await endSupervision();
}
