/** Starting a process again whenever it ends by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export interface Stoppable {
  stop(): Promise<void>;
}

const LONGEST_WAIT_MS = 30_000;
/** A process that held out this long has recovered, so its next crash is a first one. */
const RECOVERED_MS = 60_000;

/** Starts the process again whenever it ends by itself, waiting longer each time. */
export function keepRunning(
  first: Child,
  start: () => Promise<Child>,
  say: (line: string) => void,
): Stoppable {
  let child = first;
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    let wait = 1_000;
    let since = performance.now();
    for (;;) {
      const outcome = await child.ended;
      if (stopped.signal.aborted) return;
      if (performance.now() - since > RECOVERED_MS) wait = 1_000;
      say(`${child.name} has ended (${outcome}); it is started again in ${wait / 1000} s.`);
      await sleep(wait, undefined, { signal: stopped.signal });
      child = await start();
      since = performance.now();
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopped.signal.aborted) say(`${child.name} cannot be started: ${String(error)}`);
  });
  return {
    async stop() {
      stopped.abort();
      await child.stop();
      await watching;
    },
  };
}
