/** The processes of the service: what each is made of, how it starts, and when it can do its work. */
import type { Child, ChildSpec } from '../../tools/devstack/process/child.ts';
import { startProcess } from './process.ts';
import { untilPolling, untilReady, untilSettled } from './readiness.ts';
import type { Settings } from './settings.ts';
import type { StartOptions } from './start-options.ts';

export interface ServiceProcess {
  readonly name: string;
  /** Folders and files, from the root of the project: whoever changes one of them changes the process. */
  readonly madeOf: readonly string[];
  start(): Promise<Child>;
  /** Waits until that start of it can do its work; throws where it cannot. */
  ready(child: Child, signal?: AbortSignal): Promise<void>;
}

export interface ServiceProcesses {
  readonly api: ServiceProcess;
  readonly worker: ServiceProcess;
  readonly rail: ServiceProcess;
  readonly cardNetwork: ServiceProcess;
  readonly custodian: ServiceProcess;
  readonly prices: ServiceProcess;
}

export interface ProcessesOptions extends StartOptions {
  readonly config: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  readonly runFolder: string;
  /** Where the output of the process of that name goes. */
  output(name: string): ChildSpec['output'];
}

/** What API and worker are made of, and what the simulators are. */
const SETTINGS = [
  'config.ts',
  'environment.ts',
  'setting-kinds.ts',
  'message-settings.ts',
  'process-settings.ts',
  'watch-settings.ts',
  'card-settings.ts',
  'compliance-settings.ts',
  'crypto-settings.ts',
];
export const SERVICE = [
  ...['activities', 'adapters', 'api', 'db', 'domain', 'services', 'workers', 'workflows'],
  ...SETTINGS,
];
export const CARD_NETWORK = ['adapters', 'dev/cards', 'dev/simulators', 'domain', ...SETTINGS];
export const CUSTODIAN = ['dev/custodian', 'dev/simulators', 'domain', ...SETTINGS];
export const PRICES = ['dev/prices', 'dev/simulators', 'domain', ...SETTINGS];
export const RAIL = ['adapters', 'dev/rail', 'dev/simulators', 'domain', ...SETTINGS];

/** A developer waits for each restart, and one stopped at a breakpoint would never end by itself. */
const QUICK_STOP_MS = 2_000;

/** API, worker and simulators of one start. */
export function serviceProcesses(options: ProcessesOptions): ServiceProcesses {
  const { config, env, url, runFolder, watch, inspect, output } = options;
  const shared = { runFolder, ...(watch || inspect ? { stopWithinMs: QUICK_STOP_MS } : {}) };
  const debugged = (port: number): readonly string[] => (inspect ? [`--inspect=${debuggerAt(port)}`] : []);
  return {
    api: {
      name: 'API',
      madeOf: SERVICE,
      start() {
        const nodeFlags = debugged(config.INSPECT_API_PORT);
        return startProcess('api/main.ts', env, { ...shared, name: 'API', output: output('api'), nodeFlags });
      },
      ready: (child, signal) => untilReady(url, child, signal),
    },
    worker: {
      name: 'worker',
      madeOf: SERVICE,
      start() {
        const nodeFlags = debugged(config.INSPECT_WORKER_PORT);
        const told = { name: 'Worker', output: output('worker'), nodeFlags };
        return startProcess('workers/main.ts', env, { ...shared, ...told });
      },
      ready: (child, signal) => untilPolling(env, child, signal),
    },
    rail: {
      name: 'sandbox rail',
      madeOf: RAIL,
      start: () =>
        startProcess('dev/rail/sandbox.ts', env, { ...shared, name: 'Rail', output: output('rail') }),
      ready: untilSettled,
    },
    cardNetwork: {
      name: 'card network',
      madeOf: CARD_NETWORK,
      start: () =>
        startProcess('dev/cards/main.ts', env, { ...shared, name: 'Cards', output: output('cards') }),
      ready: untilSettled,
    },
    custodian: {
      name: 'sandbox custodian',
      madeOf: CUSTODIAN,
      start: () =>
        startProcess('dev/custodian/main.ts', env, { ...shared, name: 'Custody', output: output('custody') }),
      ready: untilSettled,
    },
    prices: {
      name: 'price sources',
      madeOf: PRICES,
      start: () =>
        startProcess('dev/prices/main.ts', env, { ...shared, name: 'Prices', output: output('prices') }),
      ready: untilSettled,
    },
  };
}

/** Where a debugger finds the process that has that port; only on this machine, since whoever attaches may run anything. */
export function debuggerAt(port: number): string {
  return `127.0.0.1:${port}`;
}
