/**
 * The record of what one supervisor has started: a folder with a file a child. Whoever finds the folder of a dead
 * supervisor can stop what it left behind, and only that: each file holds the moment its process began.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startOf, stillRuns } from './identity.mjs';

const Identity = z.object({ pid: z.number(), start: z.string() });
const Entry = Identity.extend({ name: z.string(), stopSignal: z.enum(['SIGTERM', 'SIGINT', 'SIGKILL']) });
export type Entry = z.infer<typeof Entry>;

const SUPERVISOR = 'supervisor';
const CLOSED = 'closed';
const PATIENCE_MS = 5_000;

/** Opens the folder of this process under `parent`. */
export function openRunFolder(parent: string): string {
  const folder = join(parent, `${process.pid}-${startOf(process.pid) ?? 'now'}`);
  mkdirSync(folder, { recursive: true });
  put(join(folder, SUPERVISOR), { pid: process.pid, start: startOf(process.pid) });
  return folder;
}

/** Writes a child down; answers how to strike it off. Throws where the supervision is over. */
export function record(folder: string, child: Omit<Entry, 'start'>): () => void {
  const start = startOf(child.pid);
  // it has ended already
  if (start === undefined) return () => undefined;
  const file = join(folder, `${Date.now()}-${child.pid}.json`);
  put(file, { ...child, start });
  // written first, looked after: whoever closes the folder either finds the file or has left the mark
  if (existsSync(join(folder, CLOSED))) throw new Error('no more children are to be started');
  return () => rmSync(file, { force: true });
}

/** From now on no child can be written down in the folder. */
export function closeRunFolder(folder: string): void {
  if (existsSync(folder)) writeFileSync(join(folder, CLOSED), '');
}

/** Stops whatever supervisors that have died left behind under `parent`; answers the names of what was stopped. */
export async function recoverUnder(parent: string): Promise<string[]> {
  if (!existsSync(parent)) return [];
  const stopped: string[] = [];
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    const supervisor = read(join(folder, SUPERVISOR), Identity);
    if (supervisor !== undefined && stillRuns(supervisor.pid, supervisor.start)) continue;
    stopped.push(...(await stopAllIn(folder)));
    rmSync(folder, { recursive: true, force: true });
  }
  return stopped;
}

/** Stops every child written down in the folder, the youngest first, since the young depend on the old. */
export async function stopAllIn(folder: string): Promise<string[]> {
  const stopped: string[] = [];
  for (const [file, entry] of entriesIn(folder).reverse()) {
    if (stillRuns(entry.pid, entry.start)) {
      await stopOne(entry);
      stopped.push(entry.name);
    }
    rmSync(file, { force: true });
  }
  return stopped;
}

/** Kills every child written down, without a word to any of them. */
export function killAllIn(folder: string): void {
  for (const [, { pid, start }] of entriesIn(folder)) {
    if (!stillRuns(pid, start)) continue;
    signal(-pid, 'SIGKILL');
    signal(pid, 'SIGKILL');
  }
}

/** The oldest first. */
function entriesIn(folder: string): [file: string, entry: Entry][] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().flatMap((name): [string, Entry][] => {
    const file = join(folder, name);
    const entry = read(file, Entry);
    return entry === undefined ? [] : [[file, entry]];
  });
}

async function stopOne({ pid, start, stopSignal }: Entry): Promise<void> {
  signal(stopSignal === 'SIGKILL' ? -pid : pid, stopSignal);
  const deadline = Date.now() + PATIENCE_MS;
  while (stillRuns(pid, start)) {
    if (Date.now() > deadline) {
      // the whole group: what the child itself has started goes with it
      signal(-pid, 'SIGKILL');
      signal(pid, 'SIGKILL');
    }
    await sleep(50);
  }
}

/** Signals a process or (negative) a group; one that has just ended is as good as signalled. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: already gone
  }
}

function put(file: string, content: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(content));
  renameSync(`${file}.new`, file);
}

function read<S extends z.ZodType>(file: string, schema: S): z.infer<S> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
