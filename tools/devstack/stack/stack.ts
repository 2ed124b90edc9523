/** PostgreSQL, Temporal, object store and inbox together, on loopback, with their files in one folder. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Say } from '../binaries/run-tool.ts';
import type { Child } from '../process/child.ts';
import { startInbox } from './inbox.ts';
import { startObjectStore, type ObjectStoreOptions } from './object-store.ts';
import { startPostgres } from './postgres.ts';
import { startTemporal, type TemporalOptions } from './temporal.ts';

/** The ports of the parts, by the variable that sets each. */
export interface StackPorts {
  readonly PORT: number;
  readonly POSTGRES_PORT: number;
  readonly TEMPORAL_PORT: number;
  readonly TEMPORAL_UI_PORT: number;
  readonly S3_PORT: number;
  readonly SMTP_PORT: number;
  readonly INBOX_PORT: number;
}

/** What the parts have to know of the service that uses them. */
export interface StackSettings {
  readonly temporal: Pick<TemporalOptions, 'namespace' | 'searchAttributes' | 'codecEndpoint'>;
  readonly storage: Pick<ObjectStoreOptions, 'region' | 'bucket' | 'accessKey' | 'secretKey'>;
}

export interface StackOptions {
  readonly dataDir: string;
  readonly ports: Omit<StackPorts, 'PORT'>;
  readonly settings: StackSettings;
  /** Histories on disk and a database safe against a power cut; tests need neither. */
  readonly persistent: boolean;
  /** A part whose address is given here is not started. */
  readonly env: NodeJS.ProcessEnv;
  readonly runFolder: string;
  readonly say: Say;
  nextPort(): Promise<number>;
  /** Told when a part has ended, for whatever reason. */
  onEnd(part: string, outcome: Awaited<Child['ended']>): void;
}

export interface Stack {
  /** What API, worker and migrations need to find the parts. */
  readonly env: Readonly<Record<string, string>>;
  /** For people: the part and where it is. */
  readonly addresses: readonly (readonly [part: string, address: string])[];
  /** Stops what was started here; no part needs another to end well. */
  stop(): Promise<void>;
}

interface Part {
  readonly env: Record<string, string>;
  readonly addresses: readonly (readonly [string, string])[];
  /** What was started; absent where others run it. */
  readonly server?: Pick<Child, 'name' | 'ended' | 'stop'>;
}

/** Which part a variable replaces; `npm start` does not ask for the ports of these. */
export const REPLACED_BY = {
  DATABASE_URL: ['POSTGRES_PORT'],
  TEMPORAL_ADDRESS: ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT'],
  S3_ENDPOINT: ['S3_PORT'],
  SMTP_URL: ['SMTP_PORT', 'INBOX_PORT'],
} as const satisfies Record<string, readonly (keyof StackPorts)[]>;

/** Starts all parts side by side. Where one fails, the others are stopped and its reason is thrown. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const starts = [inbox(options), objectStore(options), temporal(options), postgres(options)];
  const settled = await Promise.allSettled(starts);
  const parts = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const servers = parts.flatMap(({ server }) => server ?? []);
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const failures = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (failures.length > 0) {
    await stop();
    throw failures.length === 1
      ? failures[0]
      : new AggregateError(failures, failures.map(messageOf).join('\n'));
  }
  for (const { name, ended } of servers) void ended.then((outcome) => options.onEnd(name, outcome));
  const env = Object.fromEntries(parts.flatMap((part) => Object.entries(part.env)));
  return { env, addresses: parts.flatMap((part) => part.addresses), stop };
}

async function postgres({ env, dataDir, ports, persistent, runFolder }: StackOptions): Promise<Part> {
  const given = valueOf(env, 'DATABASE_URL');
  if (given !== undefined) {
    const passed = passedOn(env, 'DATABASE_URL', 'DATABASE_OWNER_URL');
    return { env: passed, addresses: [['PostgreSQL', hostOf(given)]] };
  }
  const server = await startPostgres({
    folder: join(dataDir, 'postgres'),
    port: ports.POSTGRES_PORT,
    durable: persistent,
    countStatements: !persistent,
    logFile: join(dataDir, 'logs', 'postgres.log'),
    runFolder,
  });
  return {
    env: { DATABASE_URL: server.url, DATABASE_OWNER_URL: server.ownerUrl },
    addresses: [['PostgreSQL', hostOf(server.url)]],
    server,
  };
}

async function temporal(options: StackOptions): Promise<Part> {
  const { env, dataDir, ports, persistent, runFolder, say, settings } = options;
  const given = valueOf(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    const passed = passedOn(env, 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_UI_URL');
    return { env: passed, addresses: [['Temporal', given]] };
  }
  const server = await startTemporal({
    port: ports.TEMPORAL_PORT,
    uiPort: ports.TEMPORAL_UI_PORT,
    ...settings.temporal,
    logFile: join(dataDir, 'logs', 'temporal.log'),
    runFolder,
    stopSignal: stopSignalOf(options),
    say,
    ...(persistent ? { folder: join(dataDir, 'temporal') } : {}),
  });
  const address = `127.0.0.1:${ports.TEMPORAL_PORT}`;
  const ui = `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`;
  return {
    env: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: settings.temporal.namespace, TEMPORAL_UI_URL: ui },
    addresses: [
      ['Temporal', address],
      ['Temporal Web UI', ui],
    ],
    server,
  };
}

async function objectStore(options: StackOptions): Promise<Part> {
  const { env, dataDir, ports, runFolder, say, nextPort, settings } = options;
  const { storage } = settings;
  const given = valueOf(env, 'S3_ENDPOINT');
  const endpoint = given ?? `http://127.0.0.1:${ports.S3_PORT}`;
  const part = {
    env: {
      S3_ENDPOINT: endpoint,
      S3_REGION: storage.region,
      S3_BUCKET: storage.bucket,
      S3_ACCESS_KEY: storage.accessKey,
      S3_SECRET_KEY: storage.secretKey,
    },
    addresses: [['Object store (S3)', endpoint]] as const,
  };
  if (given !== undefined) return part;
  const store = await startObjectStore({
    folder: join(dataDir, 'objects'),
    port: ports.S3_PORT,
    ...storage,
    logFile: join(dataDir, 'logs', 'object-store.log'),
    runFolder,
    stopSignal: stopSignalOf(options),
    say,
    nextPort,
  });
  return { ...part, server: store };
}

async function inbox(options: StackOptions): Promise<Part> {
  const { env, dataDir, ports, runFolder } = options;
  const given = valueOf(env, 'SMTP_URL');
  if (given !== undefined) return { env: { SMTP_URL: given }, addresses: [['Mail server', hostOf(given)]] };
  const server = await startInbox({
    folder: join(dataDir, 'inbox'),
    smtpPort: ports.SMTP_PORT,
    webPort: ports.INBOX_PORT,
    logFile: join(dataDir, 'logs', 'inbox.log'),
    runFolder,
    stopSignal: stopSignalOf(options),
  });
  const web = `http://127.0.0.1:${ports.INBOX_PORT}`;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${ports.SMTP_PORT}`, INBOX_URL: web },
    addresses: [['Mail inbox', web]],
    server,
  };
}

/** Parts whose data goes with them need no time to end well; PostgreSQL does, or it leaves shared memory behind. */
function stopSignalOf({ persistent }: StackOptions): 'SIGTERM' | 'SIGKILL' {
  return persistent ? 'SIGTERM' : 'SIGKILL';
}

/** An empty variable counts as none, as in the service’s own configuration. */
function valueOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function passedOn(env: NodeJS.ProcessEnv, ...names: string[]): Record<string, string> {
  return z
    .record(z.string(), z.string())
    .parse(
      Object.fromEntries(
        names.flatMap((name) => (valueOf(env, name) === undefined ? [] : [[name, env[name]]])),
      ),
    );
}

/** An address without its password. */
function hostOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
