/** `npm run api`: serves the HTTP API until it is told to stop. Several may run beside each other. */
import closeWithGrace from 'close-with-grace';
import { createServer as createHttpServer, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { batchMetrics } from '../adapters/metrics.ts';
import { createReadiness } from '../services/monitoring/readiness.ts';
import { createRegistry } from '../services/monitoring/registry.ts';
import { listen, metricsPage, pagesServer } from '../services/monitoring/pages.ts';
import { createWebhookKeys } from '../adapters/custody/webhook-keys.ts';
import { createCipher } from '../adapters/cipher.ts';
import { createLogger } from '../adapters/logging.ts';
import { createProcesses } from '../services/platform/processes.ts';
import { createPush } from '../adapters/push/push.ts';
import { createStorage } from '../adapters/storage.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { startTracing } from '../adapters/tracing.ts';
import { ConfigError, loadConfig, type Config } from '../config.ts';
import { listsAtHand } from '../services/aml/lists-in-memory.ts';
import { createOrderTaker } from '../db/ledger/transfers.ts';
import { openOrm } from '../db/orm.ts';
import { permissionCatalogue } from './derived/permissions.ts';
import { openCardVault } from '../services/cards/keys.ts';
import { createIdentity } from '../services/identity/identity.ts';
import { keepAssets } from '../services/platform/assets.ts';
import { stepUpOperations } from './derived/step-ups.ts';
import { operationsOf } from './operations.ts';
import { limitConnections } from './pipeline/http/limits.ts';
import { createMetrics } from './pipeline/http/metrics.ts';
import { followClock } from '../services/platform/clock.ts';
import { createLive } from '../services/notifications/live/live.ts';
import { createThrottles } from '../services/platform/throttles.ts';
import { createServer } from './server.ts';

/** Longer than the longest operation, see `pipeline/limits.ts`. */
const GRACE_MILLISECONDS = 30_000;
const IDLE_MILLISECONDS = 1_000;

async function main(config: Config): Promise<void> {
  const log = createLogger(config, 'api');
  const tracing = await startTracing(config, 'teller-api');
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  const clock = await followClock({ config, em, log });
  const assets = await keepAssets({ config, em, log });
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const vault = await openCardVault(config, em());
  const temporal = connectTemporal(config, cipher, tracing.plugins);
  const processes = createProcesses({ temporal, config, log, em });
  const { passwords, tokens, sessions, close } = createIdentity({ config, cipher, em, log });
  const storage = createStorage(config);
  const throttles = createThrottles({ cipher, em });
  const identity = { tokens, sessions, passwords };
  const operations = operationsOf(config);
  const catalogues = {
    stepUpOperations: stepUpOperations(operations),
    permissionActions: permissionCatalogue(operations),
  };
  const live = createLive({ config, em, sessions, log });
  const orders = createOrderTaker(em, config.TRANSFER_RUNS === 'all', batchMetrics);
  const readiness = createReadiness({ config, em, temporal, storage, log });
  const parts = {
    ...{ config, log, cipher, vault, temporal, processes, orders, storage, throttles },
    ...{ live, readiness, custodianKeys: createWebhookKeys(config, log) },
  };
  const services = { ...parts, push: createPush(config), ...identity, ...catalogues };

  const metrics = createMetrics(createRegistry({ em, config, readiness }));
  const handle = createServer(services, orm, operations, metrics).callback();
  const server = createHttpServer((request, response) => void handle(request, response));
  limitConnections(server);
  await listen(server, config.HOST, config.PORT, 'PORT');
  // so that the first payment that leaves the bank finds the lists read; if not, it reads them
  void listsAtHand(em()).catch(() => undefined);
  const metricsServer = pagesServer({ '/metrics': metricsPage(metrics.registry) });
  if (config.API_METRICS_PORT !== 0)
    await listen(metricsServer, config.HOST, config.API_METRICS_PORT, 'API_METRICS_PORT');

  const stopDelay = config.STOP_DELAY_SECONDS * 1_000;
  closeWithGrace({ delay: GRACE_MILLISECONDS + stopDelay, logger: false }, async ({ err }) => {
    readiness.stop();
    if (err) log.fatal({ err }, 'the API stops because of an error');
    // requests still come until every load balancer has seen that this replica is not ready
    else await wait(stopDelay);
    // streams would never end by themselves
    await live.close();
    await drain(server);
    metricsServer.close();
    // a pool that is closed while a first connection is being made waits for it for ever
    await processes.settled();
    await Promise.allSettled([
      ...[clock.close(), assets.close(), close(), temporal.close()],
      ...[orm.close(true), tracing.stop()],
    ]);
    log.info('the API has stopped');
  });
  log.info({ port: (server.address() as AddressInfo).port }, 'the API listens');
}

/**
 * Takes no new connections and lets the calls under way end. Node's own `close` would cut every idle connection at once, and
 * with it a call that is just on its way; so each is told to close with its next answer, and only later cut while idle.
 */
async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  const cut = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_MILLISECONDS);
  await closed;
  clearInterval(cut);
}

try {
  await main(loadConfig());
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  // what was already built would keep the process alive
  process.exit(1);
}
