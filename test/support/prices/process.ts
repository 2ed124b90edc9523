/**
 * The sandbox price sources as a process of a test. All banks of the stack share another one (`stack.prices`): a test that changes
 * prices or wants faults starts one of its own.
 */
import { sandboxSources } from '../../../dev/prices/sources.ts';
import { controlAt, type CustodianControl } from '../custodian/control.ts';
import { freePort, startService, until } from '../stack/processes.ts';

export interface SandboxPrices extends CustodianControl {
  /** Address of its page, its control and its tickers. */
  readonly base: string;
  /** The setting PRICE_SOURCES of a bank that asks it. */
  readonly sources: string;
  stop(): Promise<void>;
}

/** Starts it on a port of its own; the caller stops it. */
export async function startPrices(): Promise<SandboxPrices> {
  const port = String(await freePort());
  const base = `http://127.0.0.1:${port}`;
  const env = { NODE_ENV: 'development', PRICES_PORT: port };
  const child = await startService('prices', 'dev/prices/main.ts', env);
  await until(async () => {
    if (child.hasEnded()) throw new Error('the price sources have ended; see their log');
    return (await fetch(`${base}/prices`).catch(() => undefined))?.ok === true;
  });
  return { ...controlAt(base), base, sources: sandboxSources(base), stop: () => child.stop() };
}
