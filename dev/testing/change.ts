/** Which files a change touches: what differs from the commit that it lands on. */
import { execFileSync } from 'node:child_process';
import { ROOT } from '../service/process.ts';

/**
 * The commit named by BASE, or the remote's main if the working tree is ahead of it; undefined if neither is there, as in a clone of
 * main itself.
 */
export function baseOfChange(): string | undefined {
  const named = process.env['BASE'];
  if (named !== undefined && named !== '') return git('rev-parse', '--verify', `${named}^{commit}`);
  const [head, main] = [git('rev-parse', 'HEAD'), tried('rev-parse', '--verify', '--quiet', 'origin/main')];
  return main === undefined ||
    main === head ||
    tried('merge-base', '--is-ancestor', main, 'HEAD') === undefined
    ? undefined
    : main;
}

/** Paths from the root of the project, new ones among them; undefined if it is not known what the change lands on. */
export function changedFiles(): ReadonlySet<string> | undefined {
  const base = baseOfChange();
  if (base === undefined) return undefined;
  const changed = `${git('diff', '--name-only', base)}\n${git('ls-files', '--others', '--exclude-standard')}`;
  return new Set(changed.split('\n').filter((path) => path !== ''));
}

function tried(...args: string[]): string | undefined {
  try {
    return git(...args);
  } catch {
    return undefined;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
