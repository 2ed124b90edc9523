/** Rounds of work that anybody may ask for at any time. */

/** `ask` is done once a round has begun after it and ended; `settled` begins no further one. */
export type Coalesced = Record<'ask' | 'settled', () => Promise<void>>;

/** Runs `round` once at a time, again while it finds more; who asks meanwhile gets one more round after it. */
export function coalesced(round: () => Promise<boolean>): Coalesced {
  let running: Promise<void> | undefined;
  let again = false;
  let closing = false;
  const run = async (): Promise<void> => {
    while (again && !closing) {
      again = false;
      if (await round()) again = true;
    }
    running = undefined;
  };
  return {
    ask: () => {
      again = true;
      return (running ??= run());
    },
    settled: () => {
      closing = true;
      return running ?? Promise.resolve();
    },
  };
}
