/** The sandbox custodian: a process that speaks the wire protocol of Fireblocks and has its own chains. See docs/custodian.md. */
import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createControl, listenOnLoopback } from '../simulators/control.ts';
import { createAuthentication } from './api/authentication.ts';
import { createApi } from './api/server.ts';
import { transactionCalls } from './api/transaction-calls.ts';
import { vaultCalls } from './api/vault-calls.ts';
import { custodianPage } from './control/page.ts';
import { controlRoutes } from './control/routes.ts';
import { createCustodian } from './custodian.ts';
import { readSettings } from './settings.ts';
import { openJournal } from './state/journal.ts';
import { openWorld } from './state/world.ts';
import { startDelivery } from './webhooks/delivery.ts';
import { resendCalls } from './webhooks/resend-calls.ts';
import { newRsaKey, openSigner } from './webhooks/signing.ts';

const settings = readSettings(process.env);
const log = pino({ level: settings.LOG_LEVEL, base: { name: 'custodian' } });
const world = openWorld(openJournal(join(settings.CUSTODIAN_DATA, 'journal.jsonl')));
const signer = await openSigner(world);
const custodian = createCustodian(world);

/** The private key of the API user, created at the first start. The bank signs with it; the sandbox needs only the public half. */
async function apiUserKey(): Promise<string> {
  const file = join(settings.CUSTODIAN_DATA, 'api-user.pem');
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, await newRsaKey(), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
const publicKey = createPublicKey(await apiUserKey());

const { CUSTODIAN_WEBHOOK_URL: door } = settings;
const delivery =
  door === undefined
    ? undefined
    : startDelivery({ world, signer, door, note: (call, details) => control.note(call, details) });
const routes = [...vaultCalls(world), ...transactionCalls(custodian), ...resendCalls(world, delivery)];
const control = createControl({
  title: 'Sandbox custodian',
  about: 'Keeps coins as Fireblocks does, on chains of its own. See docs/custodian.md.',
  calls: {
    ...Object.fromEntries(routes.map(({ call, method, path }) => [call, `${method} /v1${path}`])),
    jwks: 'GET /.well-known/jwks.json',
  },
  routes: controlRoutes({ custodian, signer, delivery }),
  more: async () => custodianPage(world),
});
const authenticate = createAuthentication({ apiKey: settings.CUSTODIAN_API_KEY, publicKey });
const api = createApi({ world, routes, signer, control, authenticate });

await listenOnLoopback(control.server, settings.CUSTODIAN_CONTROL_PORT, 'CUSTODIAN_CONTROL_PORT');
await listenOnLoopback(api, settings.CUSTODIAN_PORT, 'CUSTODIAN_PORT');
const running = custodian.run();
log.info({ port: settings.CUSTODIAN_PORT }, 'the sandbox custodian runs');
await new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
});
running.stop();
delivery?.stop();
for (const server of [api, control.server]) {
  server.close();
  server.closeAllConnections();
}
world.close();
process.exit(0);
