/** `npm run dev`: a process of the service is restarted when something it is made of is saved. */
import type { KeptRunning, Stoppable } from '../../tools/devstack/process/keep-running.ts';
import { watchFiles } from '../../tools/devstack/watch.ts';
import { ROOT } from './process.ts';
import type { ServiceProcess } from './processes.ts';

export interface RestartOptions {
  readonly processes: readonly { readonly process: ServiceProcess; readonly kept: KeptRunning }[];
  /** Brings the database to the newest schema; throws where a migration fails. */
  migrate(): Promise<void>;
  say(line: string): void;
}

const SCHEMA = ['db/migrations', 'db/migrating', 'db/functions'];
const NAMED = 3;

/** Restarts until it is stopped. A save during a restart begins the next one at once. */
export function restartOnSave({ processes, migrate, say }: RestartOptions): Stoppable {
  const saved = new Set<string>();
  let newest = new AbortController();
  let rounds = Promise.resolve();

  async function round(signal: AbortSignal): Promise<void> {
    // what was saved is left for the round of the newer save
    if (signal.aborted) return;
    const begun = performance.now();
    const paths = [...saved];
    const touched = processes.filter(({ process }) => paths.some((path) => belongsTo(path, process.madeOf)));
    try {
      if (paths.some((path) => SCHEMA.some((place) => path.startsWith(place)))) await migrate();
      await all(touched.map(({ process, kept }) => kept.restart((child) => process.ready(child, signal))));
      saved.clear();
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      say(`${listed(paths)} saved: ${backAfter(touched.map(({ process }) => process.name))} ${seconds} s.`);
    } catch (error) {
      // the paths stay, so that the next save does again what could not be done
      if (signal.aborted) return;
      say(`${listed(paths)} saved: ${messageOf(error)} The next save tries again.`);
    }
  }

  const watcher = watchFiles({
    root: ROOT,
    paths: [...new Set(processes.flatMap(({ process }) => process.madeOf))],
    onSaved(paths) {
      for (const path of paths) saved.add(path);
      newest.abort();
      newest = new AbortController();
      const { signal } = newest;
      rounds = rounds.then(() => round(signal));
    },
    onError: (error) => say(`Some changes will go unseen: ${messageOf(error)}`),
  });
  return {
    async stop() {
      watcher.close();
      newest.abort();
    },
  };
}

/** Whether a path is one of these files or lies in one of these folders. */
export function belongsTo(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** The first few of them, and how many more. */
export function listed(paths: readonly string[]): string {
  const more = paths.length - NAMED;
  return [...paths.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function backAfter(names: readonly string[]): string {
  const together = new Intl.ListFormat('en').format(names);
  return `${together} ${names.length === 1 ? 'is' : 'are'} back after`;
}

/** Waits for all of them, so that none is still at work when the next round begins; then throws what went wrong. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(work);
  const failures = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join(' '));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
