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
