/** The flags of `npm start` and `npm run dev`. */
import { parseArgs } from 'node:util';

export interface StartOptions {
  /** Restart API and worker when their source is saved. */
  readonly watch: boolean;
  /** Let debuggers attach to API and worker. */
  readonly inspect: boolean;
}

/** Reads the flags; throws where one is not known. */
export function readStartOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      watch: { type: 'boolean', default: false },
      inspect: { type: 'boolean', default: false },
    },
  });
  return values;
}
