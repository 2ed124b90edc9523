/** Where the stack that `npm run stack` keeps up can be asked for, noted in the data folder of this clone. */
import { readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startOf, stillRuns } from '../../tools/devstack/process/identity.mjs';
import { ROOT } from '../service/process.ts';

const FILE = join(ROOT, '.data', 'test-stack.json');
const Note = z.object({ pid: z.number(), start: z.string().optional(), socket: z.string() });

/** Notes the stack of this process; answers how to strike it off. */
export function noteKeptStack(socket: string): () => void {
  mkdirSync(join(ROOT, '.data'), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ pid: process.pid, start: startOf(process.pid), socket }), {
    mode: 0o600,
  });
  return () => rmSync(FILE, { force: true });
}

/** The socket of the stack that is kept up now; undefined if there is none. */
export function keptStack(): string | undefined {
  try {
    const { pid, start, socket } = Note.parse(JSON.parse(readFileSync(FILE, 'utf8')));
    return stillRuns(pid, start) ? socket : undefined;
  } catch {
    // no note, or one that was cut short
    return undefined;
  }
}
