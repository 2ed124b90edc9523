/** The sandbox of price sources: a process that answers for the tickers of three exchanges. See docs/prices.md. */
import { pino } from 'pino';
import { listenOnLoopback } from '../simulators/control.ts';
import { createPriceSandbox } from './sandbox.ts';
import { readSettings } from './settings.ts';

/** Whoever asks every two seconds has asked each source twice within it, also after a question that failed. */
const PATIENCE_MS = 10_000;

const settings = readSettings(process.env);
const log = pino({ level: settings.LOG_LEVEL, base: { name: 'price sources' } });
const { server } = createPriceSandbox({ patienceMs: PATIENCE_MS });

await listenOnLoopback(server, settings.PRICES_PORT, 'PRICES_PORT');
log.info({ port: settings.PRICES_PORT }, 'the price sources run');
await new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
});
server.close();
server.closeAllConnections();
process.exit(0);
