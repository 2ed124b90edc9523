/** Tests known to fail by chance: `test/flaky.json`, kept by hand and emptied before each release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../service/process.ts';

export const MOST_KNOWN = 5;
/** A test that has failed so often by chance gets no second chance any more. */
export const MOST_TIMES = 2;

export const KnownFlaky = z
  .array(
    z.strictObject({
      /** `test/db/sweeps.test.ts › the name of the test`. */
      test: z.string().startsWith('test/'),
      /** The first line of its error. */
      error: z.string().min(1),
      /** The days on which it failed by chance, the first one first. */
      seen: z.array(z.iso.date()).min(1),
      /** What is known of the cause. */
      known: z.string().min(1),
    }),
  )
  .max(MOST_KNOWN);
export type KnownFlaky = z.output<typeof KnownFlaky>;

export function readKnownFlaky(): KnownFlaky {
  return KnownFlaky.parse(JSON.parse(readFileSync(join(ROOT, 'test', 'flaky.json'), 'utf8')));
}
