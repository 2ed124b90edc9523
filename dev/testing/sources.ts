/** When the code of the service was last changed, so that tests never run against processes of older code. */
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../service/process.ts';
import { CUSTODIAN, PRICES, RAIL, SERVICE } from '../service/processes.ts';

/**
 * All that API, worker and the simulators of the tests are made of. Folders count as well as files: their own time changes when a file
 * is removed.
 */
export const SOURCES = [...new Set([...SERVICE, ...RAIL, ...CUSTODIAN, ...PRICES])];
const FILES = ['package-lock.json', ...SOURCES.flatMap((place) => [place, `${place}/**`])];
const MIGRATIONS = ['db/migrate.ts', 'db/{functions,migrating,migrations}/**'];

/** Newest changes, in milliseconds since 1970. */
export interface Sources {
  readonly newest: number;
  readonly newestMigration: number;
}

/** Looks at some five hundred files; takes about ten milliseconds. */
export function sourcesNow(): Sources {
  return { newest: newestOf(FILES), newestMigration: newestOf(MIGRATIONS) };
}

function newestOf(patterns: readonly string[]): number {
  const times = globSync([...patterns], { cwd: ROOT }).map(
    (path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(0, ...times);
}
