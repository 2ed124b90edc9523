/** The way to Temporal over TLS: our certificate is shown, theirs is checked, and the API key goes with each call. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NativeConnection } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { createCipher } from '../../adapters/cipher.ts';
import { connectionOptions, connectTemporal } from '../../adapters/temporal.ts';
import { loadConfig, type Config } from '../../config.ts';
import { stack } from '../support/stack/stack.ts';

const file = (name: string): string => join(import.meta.dirname, '..', 'fixtures', 'tls', name);
const server = { cert: readFileSync(file('server.pem')), key: readFileSync(file('server.key')) };
const ours = { TEMPORAL_TLS_CERT: file('client.pem'), TEMPORAL_TLS_KEY: file('client.key') };
const trusted = { TEMPORAL_TLS_CA: file('ca.pem') };

/** What does not let anybody in. */
const UNFIT: readonly (readonly [what: string, settings: NodeJS.ProcessEnv])[] = [
  ['no TLS', {}],
  ['no certificate of ours', trusted],
  ['an authority that has not signed theirs', { TEMPORAL_TLS: 'true', ...ours }],
  ['another name than theirs', { ...trusted, ...ours, TEMPORAL_TLS_SERVER_NAME: 'elsewhere.test' }],
];
const answers = new Map<string, Promise<'answered'>>();

/** Ends TLS in front of the real server, and lets in only whoever shows a certificate of the authority. */
let proxy: Server;
beforeAll(async () => {
  const [host = '', port = ''] = stack.temporal.address.split(':');
  const guard = { ca: readFileSync(file('ca.pem')), requestCert: true, rejectUnauthorized: true };
  proxy = createServer({ ...server, ...guard, ALPNProtocols: ['h2'] }, (socket) => {
    const inside = connect(Number(port), host);
    socket.on('error', () => inside.destroy()).pipe(inside);
    inside.on('error', () => socket.destroy()).pipe(socket);
  });
  await listening(proxy);
  // beside each other: each is refused until its patience is over
  for (const [what, settings] of UNFIT) {
    const answer = asked(configOf(proxy, settings), 3_000);
    answer.catch(() => undefined);
    answers.set(what, answer);
  }
});
afterAll(() => void proxy.close());

test('with our certificate and their authority, client and worker get through', async () => {
  const config = configOf(proxy, { ...trusted, ...ours });
  await expect(asked(config)).resolves.toBe('answered');
  const connection = await NativeConnection.connect(connectionOptions(config));
  await connection.close();
});

test.each(UNFIT)('with %s nothing is said', async (what, settings) => {
  await expect(answers.get(what)).rejects.toThrow();
  const config = configOf(proxy, settings);
  await expect(NativeConnection.connect(connectionOptions(config))).rejects.toThrow();
});

test('the API key goes with the call, and over TLS only', async () => {
  const heard: (string | string[] | undefined)[] = [];
  const listener = createSecureServer(server);
  listener.on('stream', (stream, headers) => {
    heard.push(headers.authorization);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // an empty message
    stream.end(Buffer.alloc(5));
  });
  await listening(listener);
  await asked(configOf(listener, { ...trusted, TEMPORAL_API_KEY: 'of our own' }));
  expect(new Set(heard)).toEqual(new Set(['Bearer of our own']));
  listener.close();
  const bare = configOf(listener, { TEMPORAL_API_KEY: 'of our own' });
  expect(connectionOptions(bare)).toHaveProperty('tls');
});

function configOf(at: { address(): AddressInfo | string | null }, settings: NodeJS.ProcessEnv): Config {
  const where = at.address();
  const port = typeof where === 'object' && where !== null ? where.port : 1;
  return loadConfig({ ...stack.serviceEnv, TEMPORAL_ADDRESS: `127.0.0.1:${port}`, ...settings });
}

/** One call, as a client makes it. What is let in may take its time on a busy machine. */
async function asked(config: Config, patience = 20_000): Promise<'answered'> {
  const temporal = connectTemporal(config, createCipher(config.ENCRYPTION_KEYS));
  try {
    await temporal.within(patience, () => temporal.client.connection.workflowService.getSystemInfo({}));
    return 'answered';
  } finally {
    await temporal.close();
  }
}

function listening(server: Server | Http2SecureServer): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
}
