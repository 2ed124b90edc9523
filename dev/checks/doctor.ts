/** `npm run doctor`: what `npm start` and `npm test` need, whether it is there, and what to do where it is not. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findExecutable, type Executable } from '../../tools/devstack/binaries/acquire.ts';
import { cacheRoot } from '../../tools/devstack/binaries/cache.ts';
import { seaweedfs, versitygw } from '../../tools/devstack/binaries/object-store.ts';
import { temporalCli, temporalTestServer } from '../../tools/devstack/binaries/temporal.ts';
import { findGo, findPython } from '../../tools/devstack/binaries/ways.ts';
import { tryLock } from '../../tools/devstack/process/lock.mjs';
import { answers } from '../../tools/devstack/process/ports.ts';
import { readSettings, unusablePorts, type Settings } from '../service/settings.ts';
import { locatePostgres } from '../../tools/devstack/stack/postgres-programs.ts';
import { runAsUnprivileged } from '../../tools/devstack/stack/unprivileged.ts';

/** `missing` keeps `npm start` from working; `note` is worth knowing. */
interface Finding {
  readonly need: string;
  readonly state: 'ok' | 'note' | 'missing';
  readonly detail: string;
}

const NEEDED_GB = 3;
const env = process.env;

const findings = await examine();
const column = Math.max(...findings.map(({ need }) => need.length)) + 2;
const marks = { ok: ' ok  ', note: 'note ', missing: 'MISS ' } as const;
for (const { need, state, detail } of findings) {
  process.stdout.write(
    `${marks[state]} ${need.padEnd(column)}${detail.replaceAll('\n', `\n${' '.repeat(column + 6)}`)}\n`,
  );
}
const missing = findings.filter(({ state }) => state === 'missing');
process.stdout.write(
  missing.length === 0
    ? '\nNothing stands in the way of `npm start`.\n'
    : `\n\`npm start\` cannot work yet: ${missing.map(({ need }) => need).join(', ')}.\n`,
);
process.exitCode = missing.length === 0 ? 0 : 1;

async function examine(): Promise<Finding[]> {
  let config: Settings;
  try {
    config = readSettings(env);
  } catch (error) {
    return [{ need: 'Configuration', state: 'missing', detail: messageOf(error) }];
  }
  return [
    { need: 'Node', state: 'ok', detail: `${process.version} at ${process.execPath}` },
    // the bootstrap would not have come this far otherwise
    { need: 'npm packages', state: 'ok', detail: 'installed as locked' },
    postgres(config),
    await part('Temporal', 'TEMPORAL_ADDRESS', [temporalCli], addressOf(env['TEMPORAL_ADDRESS'])),
    await part('Object store', 'S3_ENDPOINT', [versitygw, seaweedfs], portOf(env['S3_ENDPOINT'])),
    testServer(),
    tool('Python', findPython()),
    tool('Go', findGo()),
    await ports(config),
    folder('Data folder', config.DATA_DIR),
    folder('Cache folder', cacheRoot()),
  ];
}

function postgres(config: Settings): Finding {
  const need = 'PostgreSQL';
  if (env['DATABASE_URL']) {
    const owner = env['DATABASE_OWNER_URL']
      ? ''
      : '; set DATABASE_OWNER_URL too, or the schema cannot be brought up';
    return { need, state: owner === '' ? 'ok' : 'missing', detail: `as DATABASE_URL says${owner}` };
  }
  try {
    const programs = locatePostgres();
    runAsUnprivileged([programs, join(config.DATA_DIR, 'postgres', 'cluster')]);
    const { status, stdout, stderr } = spawnSync(join(programs, 'postgres'), ['--version'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`it does not run on this machine: ${stderr.trim()}`);
    return { need, state: 'ok', detail: `${stdout.trim()}, from the npm packages` };
  } catch (error) {
    return { need, state: 'missing', detail: messageOf(error) };
  }
}

/** A part that is reached at a given address, or whose executable is here, or could be fetched. */
async function part(
  need: string,
  variable: string,
  executables: readonly Executable[],
  given: number | undefined,
): Promise<Finding> {
  if (env[variable]) {
    // only loopback is tried: an address further away may well be closed to this machine now and open later
    const local = given !== undefined && !(await answers(given, () => false, 500));
    const detail = `as ${variable} says: ${env[variable]}${local ? ', where nothing answers now' : ''}`;
    return { need, state: local ? 'note' : 'ok', detail };
  }
  for (const executable of executables) {
    const found = findExecutable(executable);
    if (found !== undefined)
      return { need, state: 'ok', detail: `${executable.name} from the ${found.from}: ${found.path}` };
  }
  return fetchable(need, executables);
}

function fetchable(need: string, executables: readonly Executable[]): Finding {
  const ways = executables.flatMap((executable) => executable.ways);
  const open = ways.filter((way) => way.obstacle() === undefined).map((way) => way.source);
  if (open.length > 0)
    return { need, state: 'note', detail: `fetched at the first start, from ${open.join(', else ')}` };
  const obstacles = ways.map((way) => `${way.source}: ${way.obstacle() ?? ''}`);
  return {
    need,
    state: 'missing',
    detail: [...obstacles, ...executables.map(({ remedy }) => remedy)].join('\n'),
  };
}

/** The tests alone need it, so it is never what keeps the service from starting. */
function testServer(): Finding {
  const need = 'Test server (npm test)';
  const found = findExecutable(temporalTestServer);
  if (found !== undefined)
    return { need, state: 'ok', detail: `${temporalTestServer.name} from the ${found.from}: ${found.path}` };
  return { ...fetchable(need, [temporalTestServer]), state: 'note' };
}

function tool(need: string, path: string | undefined): Finding {
  return {
    need,
    state: path === undefined ? 'note' : 'ok',
    detail: path ?? 'not found; only needed to fetch what is missing',
  };
}

async function ports(config: Settings): Promise<Finding> {
  const need = 'Ports';
  const lock = tryLock(join(config.DATA_DIR, 'lock'));
  if (!lock.taken) return { need, state: 'note', detail: `Teller runs already (process ${lock.owner})` };
  lock.release();
  const faults = await unusablePorts(config, env);
  if (faults.length > 0) return { need, state: 'missing', detail: faults.join('\n') };
  return { need, state: 'ok', detail: 'free' };
}

function folder(need: string, path: string): Finding {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    const free = (bavail * bsize) / 1e9;
    const detail = `${path}, ${free.toFixed(0)} GB free`;
    if (free >= NEEDED_GB) return { need, state: 'ok', detail };
    return {
      need,
      state: 'missing',
      detail: `${detail}; make it ${NEEDED_GB} GB, or choose another place (DATA_DIR, XDG_CACHE_HOME)`,
    };
  } catch (error) {
    const exists = existsSync(dirname(path)) ? '' : '; its parent does not exist';
    return { need, state: 'missing', detail: `${path} cannot be written: ${messageOf(error)}${exists}` };
  }
}

function addressOf(address: string | undefined): number | undefined {
  return address === undefined ? undefined : portOf(`tcp://${address}`);
}

function portOf(url: string | undefined): number | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return ['127.0.0.1', 'localhost'].includes(hostname) && port !== '' ? Number(port) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
