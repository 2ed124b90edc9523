/** What a worker says of itself on a port of its own: whether it is alive, whether it can work, and its metrics. */
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Queue } from '../domain/queues.ts';
import { jsonPage, listen, metricsPage, pagesServer, type Page } from '../services/monitoring/pages.ts';
import type { Readiness } from '../services/monitoring/readiness.ts';

export interface Status {
  /** From now on it takes tasks of these queues, as long as `isRunning` says so. */
  serves(queues: readonly Queue[], isRunning: () => boolean): void;
  close(): Promise<void>;
}

interface StatusDeps {
  readonly config: Pick<Config, 'HOST' | 'WORKER_STATUS_PORT'>;
  readonly readiness: Readiness;
  readonly registry: Registry;
}

/** Opens the port before the worker connects, so that one that cannot start says what it lacks. */
export async function openStatus({ config, readiness, registry }: StatusDeps): Promise<Status> {
  let queues: readonly Queue[] = [];
  let isRunning = (): boolean => false;
  watchQueues(registry, () => (isRunning() ? queues : []));

  /** Without database or Temporal a worker can do nothing; without store or mail it does the rest. */
  const ready = async (): Promise<Page> => {
    const checks = await readiness.look();
    const canWork = checks.database === 'ok' && checks.temporal === 'ok';
    const serves = isRunning() && !readiness.isStopping() && canWork;
    const isWhole = Object.values(checks).every((check) => check === 'ok');
    const status = serves ? (isWhole ? 'ok' : 'degraded') : 'unavailable';
    return jsonPage(serves ? 200 : 503, {
      status,
      running: isRunning(),
      stopping: readiness.isStopping(),
      queues,
      checks,
    });
  };
  const server = pagesServer({
    '/health': () => Promise.resolve(jsonPage(200, { status: 'ok' })),
    '/ready': ready,
    '/metrics': metricsPage(registry),
  });
  if (config.WORKER_STATUS_PORT !== 0)
    await listen(server, config.HOST, config.WORKER_STATUS_PORT, 'WORKER_STATUS_PORT');
  return {
    serves(served, running) {
      queues = served;
      isRunning = running;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function watchQueues(registry: Registry, served: () => readonly Queue[]): void {
  new Gauge({
    name: 'teller_worker_serves',
    help: '1 for each task queue from which this worker takes tasks.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      this.reset();
      for (const queue of served()) this.set({ queue }, 1);
    },
  });
}
