/** A worker process: runs the processes, and carries out what waits in the outbox. Several may run beside each other. */
import { Runtime, type BundlerPlugin, type WorkflowBundleOption } from '@temporalio/worker';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { createCipher } from '../adapters/cipher.ts';
import { createLogger } from '../adapters/logging.ts';
import { createMail, smsByMail } from '../adapters/mail.ts';
import { createProcesses } from '../services/platform/processes.ts';
import { createFileRail } from '../services/transfers/file-rail.ts';
import { createStorage } from '../adapters/storage.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { startTracing } from '../adapters/tracing.ts';
import type { Config } from '../config.ts';
import { createOrderTaker } from '../db/ledger/transfers.ts';
import { openOrm } from '../db/orm.ts';
import { bundleWorkflows } from './bundle.ts';
import { startSideWork } from './side-work.ts';
import { temporalLogger } from './temporal-log.ts';
import { createWorkers } from './worker.ts';

/** Longer than the worker may take to finish its tasks, see worker.ts. */
const STOP_MILLISECONDS = 50_000;

/** Runs until it is told to stop. `workflowsPath` names another entry of the bundle than workflows/index.ts. */
export async function runWorker(config: Config, workflowsPath?: string): Promise<void> {
  const log = createLogger(config, 'worker');
  installRuntime(config, log);
  // last built, first closed; a signal that comes while the worker is still being built closes what there is by then
  const closers: (() => Promise<unknown>)[] = [];
  closeWithGrace({ delay: STOP_MILLISECONDS, logger: false }, async ({ err }) => {
    if (err) log.error({ err }, 'the worker stops because of an error');
    for (const close of closers.toReversed()) await close().catch(() => undefined);
  });
  const tracing = await startTracing(config, 'teller-worker');
  closers.push(() => tracing.stop());
  const { plugins } = tracing;
  const orm = openOrm(config);
  closers.push(() => orm.close(true));
  const em = () => orm.em.fork();
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const temporal = connectTemporal(config, cipher, plugins);
  closers.push(() => temporal.close());
  const processes = createProcesses({ temporal, config, log, em });
  const mail = createMail(config);
  const storage = createStorage(config);
  const rail = createFileRail({ config, storage, em, log });
  const workers = await createWorkers({
    config,
    cipher,
    log,
    em,
    orders: createOrderTaker(em, config.TRANSFER_RUNS === 'all'),
    mail,
    sms: smsByMail(mail, config.SMS_MAIL_DOMAIN),
    storage,
    rail,
    keyRotationDays: config.KEY_ROTATION_DAYS,
    plugins,
    workflowBundle: await bundleFor(config, workflowsPath, plugins),
  });
  const running = workers.map((worker) => worker.run());
  closers.push(async () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(running);
  });
  const sideWork = startSideWork({ config, processes, temporal, rail, em, log });
  closers.push(() => Promise.all([processes.settled(), sideWork.stop()]));
  log.info({ prefix: config.TEMPORAL_TASK_QUEUE, queues: config.WORKER_QUEUES }, 'the worker runs');
  await Promise.all(running);
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
}
