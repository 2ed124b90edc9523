/** Which tests run beside each other, which one after the other, and which are part of the gate. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../service/process.ts';

export interface Group {
  readonly name: string;
  /** The layers of the group: projects of jest.config.mjs, and folders of test/. */
  readonly layers: readonly string[];
  readonly flags?: readonly string[];
}

const ONE_AT_A_TIME = ['--maxWorkers=1'];
/** For files that have processes and a database of their own, and wait more than they work. */
const TWO_AT_A_TIME = ['--maxWorkers=2'];

/** What `npm test` runs, in this order. Killed and stopped processes would disturb the others; the last group looks at what all have run. */
export const GATE: readonly Group[] = [
  { name: 'together', layers: ['unit', 'adapters', 'db', 'workflows', 'api'] },
  { name: 'alone', layers: ['alone'], flags: TWO_AT_A_TIME },
  { name: 'after', layers: ['after'], flags: ONE_AT_A_TIME },
];
/** The faults on which no money rests: `npm run test:faults`. */
const FAULTS: Group = { name: 'faults', layers: ['faults'], flags: ONE_AT_A_TIME };

/** Flags of Jest whose value is the next word. */
export const NAME_FLAGS = ['-t', '--testNamePattern'];

/** The groups of the files that the arguments of Jest match; those of the gate if the arguments match none or name none. */
export function groupsOf(args: readonly string[]): readonly Group[] {
  const words = args.filter(
    (arg, at) => !NAME_FLAGS.includes(arg) && !NAME_FLAGS.includes(args[at - 1] ?? ''),
  );
  const flags = words.filter((arg) => arg.startsWith('-') && !arg.includes('=') && arg !== '--inspect');
  const patterns = words.filter((arg) => !arg.startsWith('-')).map((arg) => new RegExp(arg, 'i'));
  // another flag may have a value that only looks like a pattern
  if (patterns.length === 0) return GATE;
  if (flags.length > 0) return [...GATE, FAULTS];
  const matched = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    patterns.some((pattern) => pattern.test(join(ROOT, file))),
  );
  return [...GATE, FAULTS].filter(({ layers }) =>
    matched.some((file) => layers.some((layer) => file.startsWith(join('test', layer, '/')))),
  );
}

/** The one group of a file's layer. */
export function groupOf(file: string): Group | undefined {
  return [...GATE, FAULTS].find(({ layers }) =>
    layers.some((layer) => file.startsWith(join('test', layer, '/'))),
  );
}
