/**
 * `npm run migrate:compatible [-- --whole] [REVISION]`: while a release is rolled out, the one before it still runs on the new
 * database. So its own tests of the API must pass with the SQL of this working tree: migrations, functions and triggers. The release
 * before is the newest tag `v…`, or, as long as there is none, the commit named below. The story of each operation calls what new SQL
 * can break, so the gate runs these, if a change touches the SQL at all; `--whole` runs all tests of the API, before a release.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../../tools/devstack/process/child.ts';
import { stopOnSignals, supervise } from '../../../tools/devstack/process/supervisor.ts';
import { ROOT } from '../../service/process.ts';
import { changedFiles } from '../../testing/change.ts';
import { inTurn } from '../../testing/turn.ts';

const UNTIL_A_RELEASE_IS_TAGGED = '02a80315e14104323600d3492b9ff9623ba44ae6';
const SQL = ['db/migrations', 'db/functions'];
/** Starts Temporal as we do: that release looks for it once, before it is healthy. */
const STARTING = ['tools/devstack/stack/temporal.ts'];
const STORIES = ['test/api/platform/contract', '-t', 'the story of'];
/**
 * Without how a process starts and stops and what the demo makes up: that says nothing of the SQL, and depends on the machine.
 */
const TESTS = 'test/api/(?!platform/(demo|lifecycle))';
/**
 * What tests of that release say that has been changed since on purpose, and does the release no harm: by the test's name.
 * To be emptied with each release.
 */
const CHANGED_SINCE: Readonly<Record<string, string>> = {
  'everybody begins with the defaults of every type that is switched on':
    'types of notifications that were seeded for later are switched on',
  'a confirmed flag rejects the payment, freezes the account if wanted, and opens a report':
    'a suspicion is confirmed by two reviewers',
};

const escaped = Object.keys(CHANGED_SINCE).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
const WHOLE = [TESTS, ...(escaped.length === 0 ? [] : ['-t', `^(?!.*(?:${escaped.join('|')}))`])];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = join(ROOT, '.data', 'release-before');

const whole = process.argv.includes('--whole');
const named = process.argv.slice(2).find((arg) => !arg.startsWith('--'));
const revision = named ?? newestTag() ?? UNTIL_A_RELEASE_IS_TAGGED;
if (!known(revision)) say(`NOT COMPARED: this clone does not know ${revision}; fetch its history.`);
else if (unchangedSince(revision)) say(`The SQL is that of ${revision}.`);
else if (!whole && !touchesSql()) say('The change touches no SQL; what it lands on has been compared.');
else process.exitCode = await inTurn(say, () => testRelease(revision));

/** Returns 0 if all of them pass. */
async function testRelease(release: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const supervision = await supervise(join(folder, 'run'), [folder]);
  stopOnSignals(() => supervision.end(), supervision.abandon);
  try {
    const tree = join(folder, 'tree');
    checkOut(release, tree);
    say(`Running ${whole ? 'the API tests' : 'the stories'} of ${release} on the SQL of this working tree.`);
    if (whole) for (const [name, why] of Object.entries(CHANGED_SINCE)) say(`Without “${name}”: ${why}.`);
    const tests = await startChild({
      ...{
        name: 'tests',
        command: process.execPath,
        args: ['dev/run.mjs', 'dev/testing/test.ts', ...(whole ? WHOLE : STORIES)],
      },
      ...{ env: process.env, cwd: tree, output: 'inherit', runFolder: supervision.runFolder },
    });
    return (await tests.ended) === 0 ? 0 : 1;
  } finally {
    await supervision.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The release's files with our SQL in the place of its own; its packages are ours if its lock is. */
function checkOut(release: string, tree: string): void {
  mkdirSync(tree);
  const archive = execFileSync('git', ['archive', release], { cwd: ROOT, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  for (const path of [...SQL, ...STARTING]) {
    rmSync(join(tree, path), { recursive: true });
    cpSync(join(ROOT, path), join(tree, path), { recursive: true });
  }
  const lock = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(tree) === lock(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
}

/** True also if it is not known what the change lands on. */
function touchesSql(): boolean {
  const changed = changedFiles();
  return changed === undefined || [...changed].some((path) => SQL.some((folder) => path.startsWith(folder)));
}

function newestTag(): string | undefined {
  const [newest] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
  return newest === '' ? undefined : newest;
}

function known(release: string): boolean {
  try {
    git('rev-parse', '--verify', '--quiet', `${release}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function unchangedSince(release: string): boolean {
  const unknown = git('ls-files', '--others', '--exclude-standard', ...SQL);
  return unknown === '' && git('diff', '--name-only', release, '--', ...SQL) === '';
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
