/** The stage of a benchmark: a stack of its own with a durable database, one API and one worker as processes of their own. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { runProcess, startProcess } from '../../dev/service/process.ts';
import { untilReady } from '../../dev/service/readiness.ts';
import { stopOnSignals, supervise } from '../../tools/devstack/process/supervisor.ts';
import { startPostgres } from '../../tools/devstack/stack/postgres.ts';
import { stackSettings } from '../../dev/service/stack-settings.ts';
import { startStack } from '../../tools/devstack/stack/stack.ts';

export interface Stage {
  readonly env: NodeJS.ProcessEnv;
  readonly api: string;
  readonly ownerUrl: string;
  /** Answers how many mails were taken; they go nowhere. */
  readonly sink: string;
  /** Starts a script of this folder with the stage's environment; answers when it has printed a line. */
  run(script: string, env: Record<string, string>): Promise<void>;
  nextPort(): Promise<number>;
  /** Another database with an API of its own, to be measured in turn with the first. */
  beside(
    name: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Pick<Stage, 'env' | 'api' | 'ownerUrl'>>;
  close(): Promise<void>;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'teller-bench-'));
  chmodSync(folder, 0o711);
  const supervision = await supervise(join(folder, 'run'), [folder]);
  const { runFolder } = supervision;
  const close = async (): Promise<void> => {
    await supervision.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  stopOnSignals(close, supervision.abandon);
  const block = await claimPorts();
  const database = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await block.next(),
    durable: true,
    logFile: join(folder, 'postgres.log'),
    runFolder,
  });
  const ports = {
    PORT: await block.next(),
    POSTGRES_PORT: 0,
    TEMPORAL_PORT: await block.next(),
    TEMPORAL_UI_PORT: await block.next(),
    S3_PORT: await block.next(),
    SMTP_PORT: await block.next(),
    INBOX_PORT: await block.next(),
  };
  const [sinkPort, countPort] = [await block.next(), await block.next()];
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    PORT: String(ports.PORT),
    TRUST_PROXY: 'true',
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CARD_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CARD_NETWORK_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    S3_SECRET_KEY: randomBytes(24).toString('hex'),
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_POOL_MAX: '24',
    // files are taken at once
    RAIL_COLLECT_SECONDS: '1',
    SMTP_URL: `smtp://127.0.0.1:${String(sinkPort)}`,
  };
  const stack = await startStack({
    dataDir: folder,
    ports,
    settings: stackSettings(env, ports.PORT),
    persistent: false,
    env,
    runFolder,
    say,
    nextPort: block.next,
    onEnd: () => undefined,
  });
  Object.assign(env, stack.env, { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
  await runProcess('db/migrate.ts', env, { name: 'migrate', runFolder, output: { line: say } });
  const api = `http://127.0.0.1:${ports.PORT}`;
  const output = (name: string) => ({ name, runFolder, output: { file: join(folder, `${name}.log`) } });
  const sinkEnv = { ...env, SINK_PORT: String(sinkPort), SINK_COUNT_PORT: String(countPort) };
  await startProcess('bench/stage/null-sink.ts', sinkEnv, output('sink'));
  await startProcess('bench/stage/worker.ts', env, output('worker'));
  await untilReady(api, await startProcess('api/main.ts', env, output('api')));
  const beside: Stage['beside'] = async (name, more = {}) => {
    const logFile = join(folder, `${name}.log`);
    const other = await startPostgres({
      folder: join(folder, name),
      port: await block.next(),
      durable: true,
      logFile,
      runFolder,
    });
    const port = await block.next();
    const its = {
      ...env,
      PORT: String(port),
      DATABASE_URL: other.url,
      DATABASE_OWNER_URL: other.ownerUrl,
      ...more,
    };
    await runProcess('db/migrate.ts', its, { name: 'migrate', runFolder, output: { line: say } });
    const itsApi = `http://127.0.0.1:${port}`;
    await untilReady(itsApi, await startProcess('api/main.ts', its, output(`api-${name}`)));
    return { env: its, api: itsApi, ownerUrl: other.ownerUrl };
  };
  return {
    env,
    api,
    ownerUrl: database.ownerUrl,
    sink: `http://127.0.0.1:${String(countPort)}`,
    beside,
    nextPort: block.next,
    run: async (script, more) => {
      await startProcess(script, { ...env, ...more }, output(script.replace('/', '-')));
    },
    close,
  };
}
