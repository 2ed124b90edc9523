/** The worker of the stack acts on all rows of the shared bank, so only tests of the API use it; any other one says why. */
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TESTS = join(import.meta.dirname, '../..');
const USES = /\bSHARED\b|\bopenBank\(\)|\bdatabase: 'shared'/;
const REASON = /\/\/ the shared bank: \S/;

/** Lines of a file that use the shared bank, without a comment `// the shared bank: <why>` above them. */
function unexplained(text: string): string[] {
  const lines = text.split('\n');
  return lines.filter(
    (line, at) => USES.test(line) && !line.startsWith('import ') && !REASON.test(lines[at - 1] ?? ''),
  );
}

test('no test outside test/api and test/after uses the shared bank without saying why', () => {
  const files = globSync('{adapters,alone,db,faults,workflows}/**/*.test.ts', { cwd: TESTS });
  expect(files.length).toBeGreaterThan(80);
  const found = files.flatMap((file) =>
    unexplained(readFileSync(join(TESTS, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['  books = openBooks(SHARED);', 1],
  ['  bank = openBank();', 1],
  ['  // the shared bank: one test calls the API\n  bank = openBank();', 0],
  ['  // the shared bank:\n  bank = openBank();', 1],
  ['  bank = openBank(branch.api, branch.env);\n  books = openBooks(await ownBank());', 0],
  ["import { SHARED } from '../support/stack/database.ts';", 0],
])('the rule finds what it forbids: %j', (text, count) => {
  expect(unexplained(text)).toHaveLength(count);
});
