/** A server of its own for a few operations that only a test declares: the real frame on the real database. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { createCardVault } from '../../../adapters/card-vault.ts';
import { createWebhookKeys } from '../../../adapters/custody/webhook-keys.ts';
import { createCipher } from '../../../adapters/cipher.ts';
import { createLogger } from '../../../adapters/logging.ts';
import { createMetrics } from '../../../api/pipeline/http/metrics.ts';
import { createRegistry } from '../../../services/monitoring/registry.ts';
import { createReadiness } from '../../../services/monitoring/readiness.ts';
import { createProcesses } from '../../../services/platform/processes.ts';
import { createPush } from '../../../adapters/push/push.ts';
import { createStorage } from '../../../adapters/storage.ts';
import { connectTemporal } from '../../../adapters/temporal.ts';
import { createIdentity } from '../../../services/identity/identity.ts';
import { permissionCatalogue } from '../../../api/derived/permissions.ts';
import { stepUpOperations } from '../../../api/derived/step-ups.ts';
import type { Operation } from '../../../api/declaration/operation.ts';
import { createLive } from '../../../services/notifications/live/live.ts';
import { createThrottles } from '../../../services/platform/throttles.ts';
import { createServer } from '../../../api/server.ts';
import { loadConfig, type Config } from '../../../config.ts';
import { createOrderTaker } from '../../../db/ledger/transfers.ts';
import { openOrm } from '../../../db/orm.ts';
import { rows } from './sql.ts';
import { apiClient, type ApiClient } from '../client.ts';
import { stack } from './stack.ts';

export interface FrameWorld extends ApiClient {
  readonly base: string;
  /** All lines logged so far. */
  log(): string;
  sql<Row extends object>(statement: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Serves `operations`; `settings` replace parts of the test stack's configuration. */
export async function serve(
  operations: readonly Operation[],
  settings: Partial<Config> = {},
): Promise<FrameWorld> {
  const config = { ...loadConfig(stack.serviceEnv), ...settings };
  const lines: string[] = [];
  const sink = new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) });
  const log = createLogger({ LOG_LEVEL: 'info' }, 'test', sink);
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const vault = createCardVault(config.CARD_KEYS);
  const temporal = connectTemporal(config, cipher);
  const processes = createProcesses({ temporal, config, log, em });
  const { close: closeIdentity, ...identity } = createIdentity({ config, cipher, em, log });
  const live = createLive({ config, em, sessions: identity.sessions, log });
  const storage = createStorage(config);
  const readiness = createReadiness({ config, em, temporal, storage, log });
  const services = {
    ...{ config, log, cipher, vault, temporal, processes, ...identity },
    orders: createOrderTaker(em, false),
    ...{ storage, readiness, live, push: createPush(config) },
    throttles: createThrottles({ cipher, em }),
    custodianKeys: createWebhookKeys(config, log),
    stepUpOperations: stepUpOperations(operations),
    permissionActions: permissionCatalogue(operations),
  };
  const metrics = createMetrics(createRegistry({ em, config, readiness }));
  const handle = createServer(services, orm, operations, metrics).callback();
  const server = createHttpServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    ...apiClient(base),
    base,
    log: () => lines.join(''),
    sql: (statement, parameters) => rows(em(), statement, parameters),
    close: async () => {
      await live.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      readiness.stop();
      await processes.settled();
      await Promise.allSettled([closeIdentity(), temporal.close(), orm.close(true)]);
    },
  };
}
