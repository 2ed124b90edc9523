/** Work that a process does again and again beside its main one. */

/** Calls `task` every so many seconds, never twice at once; `stop` waits for the round under way. The task handles its own errors. */
export function every(seconds: number, task: () => Promise<void>): { stop(): Promise<void> } {
  let round = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    round = task().finally(() => {
      busy = false;
    });
  }, seconds * 1_000);
  return {
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}

const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 60_000;

/** Calls `task`, which needs a part that may be away. After a failure it skips rounds, more and more of them up to a minute's. Never throws. */
export function unlessAway(
  task: () => Promise<unknown>,
  onFailure: (err: unknown, pause: number) => void,
): () => Promise<void> {
  let pause = 0;
  let resumeAt = 0;
  return async () => {
    if (performance.now() < resumeAt) return;
    try {
      await task();
      pause = 0;
    } catch (error) {
      pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS);
      resumeAt = performance.now() + pause;
      onFailure(error, pause);
    }
  };
}
