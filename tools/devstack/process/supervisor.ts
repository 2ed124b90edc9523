/** Being responsible for children: what earlier supervisors left is stopped, what this one starts never outlives it. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { closeRunFolder, killAllIn, openRunFolder, recoverUnder, stopAllIn } from './run-folder.ts';

export interface Supervision {
  readonly runFolder: string;
  /** What an earlier supervisor that died here had left running, and no longer runs. */
  readonly recovered: readonly string[];
  /** Ends the supervision: stops whatever is still written down. */
  end(): Promise<void>;
  /** Ends it at once: kills. */
  abandon(): void;
}

/** Takes charge of the run folders under `parent`. `temporary` folders are removed even if this process is killed. */
export async function supervise(parent: string, temporary: readonly string[] = []): Promise<Supervision> {
  const recovered = await recoverUnder(parent);
  const runFolder = openRunFolder(parent);
  const reaper = spawn(
    process.execPath,
    [fileURLToPath(new URL('./reaper.ts', import.meta.url)), runFolder, ...temporary],
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  reaper.unref();
  // the pipe must not keep this process alive, and a reaper that died must not end it
  if (reaper.stdin instanceof Socket) reaper.stdin.unref();
  reaper.stdin?.on('error', () => undefined);
  return {
    runFolder,
    recovered,
    async end() {
      closeRunFolder(runFolder);
      await stopAllIn(runFolder);
      rmSync(runFolder, { recursive: true, force: true });
    },
    abandon() {
      closeRunFolder(runFolder);
      killAllIn(runFolder);
    },
  };
}

/**
 * Calls `stop` on the first SIGINT, SIGTERM or SIGHUP and leaves with its code; a second one does not wait. Ctrl-C
 * comes twice under npm (from the terminal and from npm), so what follows at once is the same wish.
 */
export function stopOnSignals(stop: () => Promise<void>, force: () => void): void {
  let first: number | undefined;
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (first === undefined) {
        first = performance.now();
        void stop().finally(() => process.exit(codes[name]));
      } else if (performance.now() - first > 1_000) {
        force();
        process.exit(codes[name]);
      }
    });
  }
}
