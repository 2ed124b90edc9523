/** Starting and stopping one child process: with its own group, its output somewhere, and written down for recovery. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { record, signal, type Entry } from './run-folder.ts';

export interface ChildSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Output goes to the end of a file, line by line to a function, or where this process writes. */
  readonly output: { readonly file: string } | { readonly line: (text: string) => void } | 'inherit';
  /** How to ask it to end; what has not ended `stopWithinMs` later is killed. */
  readonly stopSignal?: Entry['stopSignal'];
  readonly stopWithinMs?: number;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Where the child is written down, so that whatever happens to this process somebody can stop it. */
  readonly runFolder: string;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Settles when the process has ended: with the code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  hasEnded(): boolean;
  /** Asks it to end, waits, and kills what does not. */
  stop(): Promise<void>;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
}

const LARGEST_LOG = 8 * 1024 * 1024;

/** Starts a child and answers once the system has accepted it. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const { output } = spec;
  const file = output !== 'inherit' && 'file' in output ? openLog(output.file) : undefined;
  const sink = output === 'inherit' ? 'inherit' : (file ?? 'pipe');
  const child = spawn(spec.command, spec.args, {
    env: spec.env,
    stdio: ['ignore', sink, sink],
    // a group of its own: Ctrl-C reaches this process only, which then stops the parts in their order
    detached: true,
    ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    ...spec.user,
  });
  if (file !== undefined) closeSync(file);
  if (output !== 'inherit' && 'line' in output) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', output.line);
    }
  }
  await once(child, 'spawn');
  return follow(spec, child);
}

function follow(spec: ChildSpec, child: ChildProcess): Child {
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${spec.name} was not started`);
  const stopSignal = spec.stopSignal ?? 'SIGTERM';
  const strikeOff = recordOrKill(spec, pid, stopSignal);
  const ended = new Promise<number | NodeJS.Signals>((done) => {
    child.once('exit', (code, by) => {
      strikeOff();
      done(by ?? code ?? 1);
    });
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const kill = async (): Promise<void> => {
    if (!hasEnded()) signal(-pid, 'SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    if (stopSignal === 'SIGKILL') return kill();
    signal(pid, stopSignal);
    const timer = setTimeout(() => void kill(), spec.stopWithinMs ?? 10_000);
    await ended;
    clearTimeout(timer);
  };
  return { name: spec.name, pid, ended, hasEnded, stop, kill };
}

/** A child that could not be written down would be found by nobody. */
function recordOrKill(spec: ChildSpec, pid: number, stopSignal: Entry['stopSignal']): () => void {
  try {
    return record(spec.runFolder, { name: spec.name, pid, stopSignal });
  } catch (error) {
    signal(-pid, 'SIGKILL');
    throw new Error(`${spec.name} was started while everything was being stopped`, { cause: error });
  }
}

/** The last lines of a log, for the message of a part that did not start. */
export function lastLines(file: string, count = 5): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count);
  return lines.map((line) => `    ${line}`).join('\n');
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
}
