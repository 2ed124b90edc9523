/** `npm run api`: serves the HTTP API until it is told to stop. Several may run beside each other. */
import closeWithGrace from 'close-with-grace';
import { createServer as createHttpServer, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import { createCipher } from '../adapters/cipher.ts';
import { createLogger } from '../adapters/logging.ts';
import { createProcesses } from '../services/platform/processes.ts';
import { createStorage } from '../adapters/storage.ts';
import { connectTemporal } from '../adapters/temporal.ts';
import { startTracing } from '../adapters/tracing.ts';
import { ConfigError, loadConfig, type Config } from '../config.ts';
import { createOrderTaker } from '../db/ledger/transfers.ts';
import { openOrm } from '../db/orm.ts';
import { permissionCatalogue } from './derived/permissions.ts';
import { createIdentity } from '../services/identity/identity.ts';
import { stepUpOperations } from './derived/step-ups.ts';
import { operations } from './operations.ts';
import { limitConnections } from './pipeline/http/limits.ts';
import { createMetrics, type Metrics } from './pipeline/http/metrics.ts';
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
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const temporal = connectTemporal(config, cipher, tracing.plugins);
  const processes = createProcesses({ temporal, config, log, em });
  const { passwords, tokens, sessions, close } = createIdentity({ config, cipher, em, log });
  const storage = createStorage(config);
  const throttles = createThrottles({ cipher, em });
  const identity = { tokens, sessions, passwords };
  const catalogues = {
    stepUpOperations: stepUpOperations(operations),
    permissionActions: permissionCatalogue(operations),
  };
  const orders = createOrderTaker(em, config.TRANSFER_RUNS === 'all');
  const parts = { config, log, cipher, temporal, processes, orders, storage, throttles };
  const services = { ...parts, ...identity, ...catalogues };

  const metrics = createMetrics(orm);
  collectDefaultMetrics({ register: metrics.registry });
  const handle = createServer(services, orm, operations, metrics).callback();
  const server = createHttpServer((request, response) => void handle(request, response));
  limitConnections(server);
  await listen(server, config.HOST, config.PORT, 'PORT');
  const metricsServer = config.API_METRICS_PORT === 0 ? undefined : serveMetrics(metrics);
  if (metricsServer) await listen(metricsServer, config.HOST, config.API_METRICS_PORT, 'API_METRICS_PORT');

  closeWithGrace({ delay: GRACE_MILLISECONDS, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'the API stops because of an error');
    await drain(server);
    metricsServer?.close();
    // a pool that is closed while a first connection is being made waits for it for ever
    await processes.settled();
    await Promise.allSettled([close(), temporal.close(), orm.close(true), tracing.stop()]);
    log.info('the API has stopped');
  });
  log.info({ port: (server.address() as AddressInfo).port }, 'the API listens');
}

function listen(server: Server, host: string, port: number, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(
        taken
          ? new ConfigError(`${variable}: ${host}:${String(port)} cannot be used (${error.code})`)
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}

/** A port of its own for the collector, so that the public one need not tell anybody. */
function serveMetrics({ registry }: Metrics): Server {
  return createHttpServer((_request, response) => {
    const answer = async (): Promise<void> => {
      const text = await registry.metrics();
      response.setHeader('Content-Type', registry.contentType).end(text);
    };
    answer().catch(() => response.writeHead(503).end());
  });
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
