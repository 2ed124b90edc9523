/** A PostgreSQL of our own: the server an npm package brings, on loopback, with its files in one folder. */
import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines, startChild, type Child } from '../process/child.ts';
import { answers } from '../process/ports.ts';
import { signal } from '../process/run-folder.ts';
import { addressOf, passwordsIn, prepareDatabase, type Passwords } from './database.ts';
import { locatePostgres } from './postgres-programs.ts';
import { runAsUnprivileged, type RunAs } from './unprivileged.ts';

export interface PostgresOptions {
  /** Holds the cluster, in `cluster/`, and its passwords. */
  readonly folder: string;
  readonly port: number;
  readonly runFolder: string;
  readonly logFile: string;
  /** False gives up safety against a power cut, for tests; a killed server still loses nothing. */
  readonly durable: boolean;
  /** Counts what each statement was run, those inside functions too, for `statementsRun` of database.ts. */
  readonly countStatements?: boolean;
}

export interface Postgres extends Pick<Child, 'name' | 'ended' | 'stop' | 'kill'> {
  /** As `teller_app`, which owns nothing. */
  readonly url: string;
  /** As `teller_owner`, which owns database and schema. */
  readonly ownerUrl: string;
  readonly port: number;
}

const START_ATTEMPTS = 5;
/** Each database of the server has statements of its own, so there may be many. */
const COUNTING = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.max': '200000',
};

/**
 * Starts the server, made anew where the folder is empty, and answers once both roles can connect. One that was
 * stopped or killed can be started again on its folder and keeps what was committed.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const programs = locatePostgres();
  const cluster = join(resolve(options.folder), 'cluster');
  mkdirSync(options.folder, { recursive: true });
  const runAs = runAsUnprivileged([programs, cluster]);
  const passwords = passwordsIn(options.folder);
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(programs, cluster, passwords, runAs);
  await endLeftOver(cluster);
  const child = await startServer(options, programs, cluster, runAs);
  try {
    await prepareDatabase(options.port, passwords);
  } catch (error) {
    await child.stop();
    throw error;
  }
  const { name, ended, stop, kill } = child;
  const url = (role: 'app' | 'owner'): string => addressOf(options.port, passwords, role, 'teller');
  return { url: url('app'), ownerUrl: url('owner'), port: options.port, name, ended, stop, kill };
}

/** A cluster appears whole or not at all: one that was cut short would look like a broken one. */
async function initialise(
  programs: string,
  cluster: string,
  passwords: Passwords,
  runAs: RunAs,
): Promise<void> {
  const partial = `${cluster}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  const secret = `${partial}.password`;
  writeFileSync(secret, passwords.superuser, { mode: 0o600 });
  const { owner } = runAs;
  if (owner) for (const path of [partial, secret]) chownSync(path, owner.uid, owner.gid);
  try {
    const { command, args } = runAs.command(join(programs, 'initdb'), [
      `--pgdata=${partial}`,
      '--username=postgres',
      `--pwfile=${secret}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // the same order of text on every machine
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ]);
    await promisify(execFile)(command, args, { ...runAs.spawnAs });
    renameSync(partial, cluster);
  } finally {
    rmSync(secret, { force: true });
    rmSync(partial, { recursive: true, force: true });
  }
}

async function startServer(
  options: PostgresOptions,
  programs: string,
  cluster: string,
  runAs: RunAs,
): Promise<Child> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_duration_statement: '500ms',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...(options.countStatements === true ? COUNTING : {}),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { command, args } = runAs.command(join(programs, 'postgres'), [
    '-D',
    cluster,
    '-p',
    String(options.port),
    ...flags,
  ]);
  for (let attempt = 1; ; attempt++) {
    const child = await startChild({
      name: 'PostgreSQL',
      command,
      args,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      output: { file: options.logFile },
      // fast shutdown: SIGTERM would wait for the last client to leave
      stopSignal: 'SIGINT',
      runFolder: options.runFolder,
      ...(runAs.spawnAs ? { user: runAs.spawnAs } : {}),
    });
    if (await answers(options.port, child.hasEnded)) return child;
    await child.kill();
    if (attempt === START_ATTEMPTS)
      throw new Error(`PostgreSQL did not start; ${options.logFile} ends:\n${lastLines(options.logFile)}`);
    // the children of a server that was killed hold its shared memory for a moment longer
    await sleep(1_000);
  }
}

/** A server that nobody recorded may still run on the cluster; a file that names some other process is only stale. */
async function endLeftOver(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!servesCluster(pid, cluster)) {
    rmSync(file, { force: true });
    return;
  }
  signal(pid, 'SIGINT');
  for (let waited = 0; servesCluster(pid, cluster); waited += 100) {
    // SIGQUIT ends it at once; the next start recovers from the log
    if (waited === 5_000) signal(pid, 'SIGQUIT');
    await sleep(100);
  }
}

function servesCluster(pid: number, cluster: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    const command = existsSync(`/proc/${pid}`)
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
    return command.includes('postgres') && command.includes(cluster);
  } catch {
    return false;
  }
}
