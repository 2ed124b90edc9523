/** What API and worker of a test stack logged at some moment. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';

export interface LogLine {
  /** The name of its file: `api`, `worker`, those of a second bank `api-2`, `worker-2`. */
  readonly part: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly isError: boolean;
  readonly text: string;
}

/** pino's number for `error`; `fatal` is above it. */
const ERROR = 50;
const Line = z.looseObject({ time: z.number(), level: z.number() });
/** What happens in a test may be logged a moment after its end. */
const MARGIN_MS = 1_000;

/** The lines of both logs, in the order of time; what is no line of a log, such as a stack printed by Node, is left out. */
export function readServiceLogs(folder: string): LogLine[] {
  const lines = globSync('{api,worker}{,-[0-9]}.log', { cwd: folder }).flatMap((file) => {
    const part = basename(file, '.log');
    return readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((text) => {
        const read = text.startsWith('{') ? Line.safeParse(parsed(text)).data : undefined;
        return read === undefined ? [] : [{ part, time: read.time, isError: read.level >= ERROR, text }];
      });
  });
  return lines.sort((a, b) => a.time - b.time);
}

/** The lines from shortly before until shortly after. */
export function linesWithin(lines: readonly LogLine[], from: number, to: number): LogLine[] {
  return lines.filter(({ time }) => time >= from - MARGIN_MS && time <= to + MARGIN_MS);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a line that is being written
    return undefined;
  }
}
