/** The real frame round two operations that do nothing: one for everybody, one for whoever has a session. */
import { createServer as createHttpServer } from 'node:http';
import { z } from 'zod';
import { createCardVault } from '../../adapters/card-vault.ts';
import { createWebhookKeys } from '../../adapters/custody/webhook-keys.ts';
import { createCipher } from '../../adapters/cipher.ts';
import { createLogger } from '../../adapters/logging.ts';
import { createReadiness } from '../../services/monitoring/readiness.ts';
import { createProcesses } from '../../services/platform/processes.ts';
import { createPush } from '../../adapters/push/push.ts';
import { createStorage } from '../../adapters/storage.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { permissionCatalogue } from '../../api/derived/permissions.ts';
import { createIdentity } from '../../services/identity/identity.ts';
import { named } from '../../api/wire/naming.ts';
import { forAnybody, forUsers } from '../../api/declaration/operation.ts';
import { createLive } from '../../services/notifications/live/live.ts';
import { createThrottles } from '../../services/platform/throttles.ts';
import { createServer } from '../../api/server.ts';
import { loadConfig } from '../../config.ts';
import { createOrderTaker } from '../../db/ledger/transfers.ts';
import { openOrm } from '../../db/orm.ts';

const Done = named('NoOp', z.strictObject({ done: z.boolean() }), { done: true });
const outline = {
  area: 'Identity',
  title: 'Do nothing',
  description: 'Answers at once.',
  method: 'GET',
  effect: 'read',
  status: 200,
  answer: Done,
  refuses: [],
} as const;
const handle = () => Promise.resolve({ done: true });
const operations = [
  forAnybody({ ...outline, id: 'open', path: '/open', handle }),
  forUsers({ ...outline, id: 'closed', path: '/closed', handle }),
];

const config = loadConfig();
const log = createLogger(config, 'no-op');
const orm = openOrm(config);
const em = () => orm.em.fork();
const cipher = createCipher(config.ENCRYPTION_KEYS);
const vault = createCardVault(config.CARD_KEYS);
const temporal = connectTemporal(config, cipher);
const { tokens, sessions, passwords } = createIdentity({ config, cipher, em, log });
const storage = createStorage(config);
const services = {
  ...{ config, log, cipher, vault, temporal, tokens, sessions, passwords },
  processes: createProcesses({ temporal, config, log, em }),
  orders: createOrderTaker(em, false),
  ...{ storage, readiness: createReadiness({ config, em, temporal, storage, log }) },
  push: createPush(config),
  live: createLive({ config, em, sessions, log }),
  throttles: createThrottles({ cipher, em }),
  custodianKeys: createWebhookKeys(config, log),
  stepUpOperations: new Map(),
  permissionActions: permissionCatalogue(operations),
};
const answer = createServer(services, orm, operations).callback();
createHttpServer((request, response) => void answer(request, response)).listen(config.PORT, config.HOST);
