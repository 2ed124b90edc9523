/** Temporal's development server with its Web UI, on loopback. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { acquire } from '../binaries/acquire.ts';
import type { Say } from '../binaries/run-tool.ts';
import { temporalCli } from '../binaries/temporal.ts';
import { lastLines, startChild, type Child } from '../process/child.ts';

export interface TemporalOptions {
  /** Where the histories are kept; in memory where it is undefined. */
  readonly folder?: string;
  readonly port: number;
  readonly uiPort: number;
  /** Where the Web UI has payloads decrypted. */
  readonly codecEndpoint: string;
  readonly namespace: string;
  /** Keywords that processes can be searched by. */
  readonly searchAttributes: readonly string[];
  readonly runFolder: string;
  /** SIGKILL where nothing is kept. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
  readonly logFile: string;
  readonly say: Say;
}

/** The one shard of the server would otherwise look for work twenty times a second: 50 ms a step. */
const QUEUES = ['transfer', 'timer', 'visibility'];
const POLLS_PER_SECOND = 2_000;
const START_MS = 60_000;
const RETRY_MS = 100;

/** Starts the server and answers once it takes calls. */
export async function startTemporal(options: TemporalOptions): Promise<Child> {
  const command = await acquire(temporalCli, options.say);
  const child = await startChild({
    name: 'Temporal',
    command,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
      ...['--port', String(options.port), '--ui-port', String(options.uiPort)],
      ...['--ui-codec-endpoint', options.codecEndpoint, '--namespace', options.namespace],
      ...QUEUES.flatMap((queue) => [
        '--dynamic-config-value',
        `history.${queue}ProcessorMaxPollRPS=${POLLS_PER_SECOND}`,
      ]),
      ...options.searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
      ...(await quietArguments(command)),
      ...(options.folder === undefined ? [] : await fileArguments(command, options.folder, options.say)),
    ],
    env: process.env,
    output: { file: options.logFile },
    runFolder: options.runFolder,
    stopSignal: options.stopSignal,
  });
  const refusal = await ensureSearchAttributes(command, options, child);
  if (refusal === undefined) return child;
  await child.stop();
  throw new Error(
    `Temporal did not start: ${refusal}\n${options.logFile} ends:\n${lastLines(options.logFile)}`,
  );
}

/** The page would ask a server on the internet for news; older versions neither do nor know the flag. */
async function quietArguments(command: string): Promise<string[]> {
  const flag = '--ui-disable-news-fetch';
  const { stdout } = await promisify(execFile)(command, ['server', 'start-dev', '--help']);
  return stdout.includes(flag) ? [flag] : [];
}

/** The file’s layout belongs to the server’s version and is not migrated, so each version has a file of its own. */
async function fileArguments(command: string, folder: string, say: Say): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const { stdout } = await promisify(execFile)(command, ['--version']);
  const version = /Server (\d+\.\d+)\./.exec(stdout)?.[1] ?? 'unknown';
  const file = `server-${version}.db`;
  const others = readdirSync(folder).filter((name) => name.endsWith('.db') && name !== file);
  if (others.length > 0 && !readdirSync(folder).includes(file)) {
    say(`Temporal is another version than before: histories in ${others.join(', ')} are left aside.`);
  }
  return [
    ...['--db-filename', join(folder, file)],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
  ];
}

/**
 * Creates missing search attributes: the flags count only when a namespace is made, so a file of an earlier start may lack a newer one.
 * The port answers before the server is healthy, and until then it refuses this, so it is repeated. Answers the last refusal if the
 * server ends first or the time is over.
 */
async function ensureSearchAttributes(
  command: string,
  options: TemporalOptions,
  server: Child,
): Promise<string | undefined> {
  const names = options.searchAttributes.flatMap((name) => ['--name', name, '--type', 'Keyword']);
  const where = ['--address', `127.0.0.1:${options.port}`, '--namespace', options.namespace];
  const args = ['operator', 'search-attribute', 'create', ...names, ...where, '--command-timeout', '20s'];
  const deadline = performance.now() + START_MS;
  for (;;) {
    const refusal = await promisify(execFile)(command, args).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (refusal === undefined || server.hasEnded() || performance.now() > deadline) return refusal;
    await sleep(RETRY_MS);
  }
}
