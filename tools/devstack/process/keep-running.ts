/** Starting a process again whenever it ends by itself, and on demand. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export interface Stoppable {
  stop(): Promise<void>;
}

export interface KeptRunning extends Stoppable {
  /**
   * Stops the process and starts it at once. Answers when `ready` does. A process that ends before it is ready stays
   * down until the next restart: starting the same code again would only fail again. One restart at a time.
   */
  restart(ready: (child: Child) => Promise<void>): Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A process that held out this long has recovered, so its next crash is a first one. */
const RECOVERED_MS = 60_000;

/** Starts the process again whenever it ends by itself, waiting longer each time. */
export function keepRunning(
  first: Child,
  start: () => Promise<Child>,
  say: (line: string) => void,
): KeptRunning {
  let child = first;
  let stopped = false;
  let letGo = new AbortController();
  let following = follow(letGo.signal);

  /** Replaces each process that ends, until `signal` says that its end was asked for. */
  async function follow(signal: AbortSignal): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let since = performance.now();
    try {
      for (;;) {
        const outcome = await child.ended;
        if (signal.aborted) return;
        if (performance.now() - since > RECOVERED_MS) wait = FIRST_WAIT_MS;
        say(`${child.name} has ended (${outcome}); it is started again in ${wait / 1000} s.`);
        await sleep(wait, undefined, { signal });
        child = await start();
        // the stop may have come between the two, and would otherwise wait for a process that runs on
        if (signal.aborted) return await child.stop();
        since = performance.now();
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
      }
    } catch (error) {
      if (!signal.aborted) say(`${child.name} cannot be started: ${String(error)}`);
    }
  }

  async function end(): Promise<void> {
    letGo.abort();
    await child.stop();
    await following;
  }

  return {
    async stop() {
      stopped = true;
      await end();
    },
    async restart(ready) {
      await end();
      if (stopped) return;
      child = await start();
      if (stopped) return child.stop();
      letGo = new AbortController();
      try {
        await ready(child);
      } finally {
        if (!child.hasEnded()) following = follow(letGo.signal);
      }
    },
  };
}
