/** A worker process: runs the processes, and carries out what waits in the outbox. Several may run beside each other. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { Runtime, type BundlerPlugin, type WorkflowBundleOption } from '@temporalio/worker';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { batchMetrics } from '../adapters/metrics.ts';
import { createReadiness } from '../services/monitoring/readiness.ts';
import { createRegistry } from '../services/monitoring/registry.ts';
import { createFireblocks } from '../adapters/custody/fireblocks.ts';
import { createCipher, type Cipher } from '../adapters/cipher.ts';
import { createLogger } from '../adapters/logging.ts';
import { createMail, smsByMail } from '../adapters/mail.ts';
import { openInboundMail } from '../adapters/messages/inbound-mail.ts';
import { openCardVault } from '../services/cards/keys.ts';
import { keepAssets } from '../services/platform/assets.ts';
import { followClock } from '../services/platform/clock.ts';
import { bounceInbox } from '../services/notifications/bounces/bounces.ts';
import { createProcesses } from '../services/platform/processes.ts';
import { createFileRail } from '../services/transfers/file-rail.ts';
import { createPush } from '../adapters/push/push.ts';
import { createStorage } from '../adapters/storage.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { createTwilio } from '../adapters/messages/twilio.ts';
import { startTracing } from '../adapters/tracing.ts';
import type { Config } from '../config.ts';
import { createOrderTaker } from '../db/ledger/transfers.ts';
import { openOrm } from '../db/orm.ts';
import { bundleWorkflows } from './bundle.ts';
import { startSideWork } from './side-work.ts';
import { countingFailures } from './counted-rail.ts';
import { openStatus } from './status.ts';
import { temporalLogger } from './temporal-log.ts';
import { createWorkers } from './worker.ts';

/** Longer than the worker may take to finish its tasks, see worker.ts. */
const STOP_MILLISECONDS = 50_000;

/** Connections for sending, beside `DATABASE_POOL_MAX`: mail never waits for money, nor money for mail. */
const SENDING_POOL = 6;

/** Runs until it is told to stop. `workflowsPath` names another entry of the bundle than workflows/index.ts. */
export async function runWorker(config: Config, workflowsPath?: string): Promise<void> {
  const log = createLogger(config, 'worker');
  installRuntime(config, log);
  // last built, first closed; a signal that comes while the worker is still being built closes what there is by then
  const closers: (() => Promise<unknown>)[] = [];
  let stopping = (): void => undefined;
  closeWithGrace({ delay: STOP_MILLISECONDS, logger: false }, async ({ err }) => {
    stopping();
    if (err) log.error({ err }, 'the worker stops because of an error');
    for (const close of closers.toReversed()) await close().catch(() => undefined);
  });
  const { plugins, ...tracing } = await startTracing(config, 'teller-worker');
  closers.push(() => tracing.stop());
  const orm = openOrm(config);
  closers.push(() => orm.close(true));
  const em = () => orm.em.fork();
  const clock = await followClock({ config, em, log });
  closers.push(() => clock.close());
  const assets = await keepAssets({ config, em, log });
  closers.push(() => assets.close());
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const temporal = connectTemporal(config, cipher, plugins);
  closers.push(() => temporal.close());
  const processes = createProcesses({ temporal, config, log, em });
  const ways = waysOf(config, cipher);
  const { mail, sms } = ways;
  const storage = createStorage(config);
  const rail = countingFailures(createFileRail({ config, storage, em, log }));
  const readiness = createReadiness({ config, em, temporal, storage, log });
  stopping = readiness.stop;
  const registry = createRegistry({ em, config, readiness });
  const status = await openStatus({ config, readiness, registry });
  closers.push(status.close);
  const [vault, custodian] = [await openCardVault(config, em()), createFireblocks(config)];
  const workers = await createWorkers({
    config,
    ...{ cipher, log, em, vault },
    orders: createOrderTaker(em, config.TRANSFER_RUNS === 'all', batchMetrics),
    mail,
    sms,
    storage,
    rail,
    custodian,
    keyRotationDays: config.KEY_ROTATION_DAYS,
    plugins,
    workflowBundle: await bundleFor(config, workflowsPath, plugins),
  });
  const running = workers.map((worker) => worker.run());
  status.serves(config.WORKER_QUEUES, () => workers.every((worker) => worker.getState() === 'RUNNING'));
  const stopWorkers = async (): Promise<void> => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(running);
  };
  closers.push(stopWorkers);
  const side = { config, processes, temporal, rail, custodian, storage, vault, em, log, ways };
  const sideWork = startSideWork({ ...side, sendingEm: openSending(config, closers) });
  closers.push(await openInbox({ config, em, cipher, log }));
  // side by side: neither waits for what the other has begun
  closers.push(() => Promise.allSettled([stopWorkers(), processes.settled(), sideWork.stop()]));
  log.info({ prefix: config.TEMPORAL_TASK_QUEUE, queues: config.WORKER_QUEUES }, 'the worker runs');
  await Promise.all(running);
}

/** By which people are told. */
function waysOf(config: Config, cipher: Cipher) {
  const mail = createMail(config);
  const sms = createTwilio(config) ?? smsByMail(mail, config.SMS_MAIL_DOMAIN);
  return { cipher, mail, sms, push: createPush(config) };
}

/** Takes mail that comes back, if a port is set for it. Answers how it is closed. */
async function openInbox(deps: {
  readonly config: Config;
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  readonly log: Logger;
}): Promise<() => Promise<void>> {
  const { config, log } = deps;
  if (config.INBOUND_SMTP_PORT === 0 || !config.WORKER_QUEUES.includes('outside'))
    return () => Promise.resolve();
  const inbound = await openInboundMail({ config, log, inbox: bounceInbox(deps) });
  return () => inbound.close();
}

/** The pool of what is sent. */
function openSending(config: Config, closers: (() => Promise<unknown>)[]): () => EntityManager {
  const orm = openOrm({ ...config, DATABASE_POOL_MAX: SENDING_POOL });
  closers.push(() => orm.close(true));
  return () => orm.em.fork();
}

/** The bundle made before the start, unless tracing needs modules of its own in it or another entry is wanted. */
function bundleFor(
  { WORKFLOW_BUNDLE: codePath }: Config,
  workflowsPath: string | undefined,
  plugins: BundlerPlugin[],
): Promise<WorkflowBundleOption> {
  if (codePath === undefined || workflowsPath !== undefined || plugins.length > 0)
    return bundleWorkflows(workflowsPath, plugins);
  return Promise.resolve({ codePath });
}

/** Temporal's own logs as ours; its metrics for Prometheus where a port is set. */
function installRuntime(config: Config, log: Logger): void {
  Runtime.install({
    // the process decides when to stop; Temporal's own handler would take the signal before there is a worker
    shutdownSignals: [],
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(config.METRICS_PORT === 0
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: `${config.HOST}:${config.METRICS_PORT}`,
                useSecondsForDurations: true,
                unitSuffix: true,
                countersTotalSuffix: true,
              },
            },
          }),
    },
  });
  // there from the start, so that its first rise is seen
  Runtime.instance()
    .metricMeter.createCounter('teller_permanent_failures', '1', 'Activities that no retry would heal')
    .add(0);
}
