/** Business time is read from one clock, so that it can be moved forward as a whole. */
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Logins with their codes and tokens, addresses for uploads, proofs of the books, time limits of calls, and the clocks themselves. */
const BY_MACHINE: readonly RegExp[] = [
  /^domain\/time\/now\.ts$/,
  /^db\/functions\/(clock|guesses|identity|permissions)\.sql$/,
  /^db\/queries\/identity\//,
  /^db\/queries\/platform\/(overdue|standing|sweeps)\.ts$/,
  /^db\/queries\/ledger\/ledger-(checks|events)\.ts$/,
  /^db\/queries\/uploads\/uploads\.ts$/,
  /^db\/schema\/(identity|platform|uploads)\.ts$/,
  /^db\/migrating\/functions\.ts$/,
  /^services\/identity\/(factors|sessions)\//,
  /^api\/pipeline\/http\/doors\/upload-door\.ts$/,
  /^adapters\/(new-id|storage|temporal)\.ts$/,
];

const IN_SQL =
  /(?<!bank_|machine_)\b(now|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(date|timestamp)\b/;
const IN_TYPESCRIPT = /\bDate\.now\(\)|\bnew Date\(\)/;

/** The lines of these files that read the machine's clock without being allowed to. */
function readers(pattern: string, reads: RegExp, ignore?: RegExp): string[] {
  return globSync(pattern, { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !BY_MACHINE.some((allowed) => allowed.test(path)))
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, at) => (reads.test(line) && !ignore?.test(line) ? [`${path}:${at + 1}`] : [])),
    );
}

test('functions of the database read the time from bank_now()', () => {
  expect(readers('db/functions/*.sql', IN_SQL)).toEqual([]);
});

test('statements and defaults read the time from bank_now()', () => {
  // the service's own function of this name
  expect(
    readers('db/{ledger,queries,schema}/**/*.ts', IN_SQL, /\b(machineNow|= now)\(\)|[(:] now\(\)/),
  ).toEqual([]);
});

test('the code reads the time from now()', () => {
  expect(readers('{activities,adapters,api,db,domain,services,workers}/**/*.ts', IN_TYPESCRIPT)).toEqual([]);
});
