/** How often something happens in a minute, by whoever does it; in memory, for what comes before anybody is known. */

const MINUTE_MILLISECONDS = 60_000;
/** Beyond so many the oldest are forgotten, so that strangers cannot fill the memory. */
const MOST_KEYS = 10_000;

export interface Window {
  /** Counts one; false if there were too many within the minute. */
  take(key: string): boolean;
}

export function createWindow(most: number): Window {
  const counts = new Map<string, { since: number; count: number }>();
  return {
    take(key) {
      const now = performance.now();
      const known = counts.get(key);
      if (known !== undefined && now - known.since < MINUTE_MILLISECONDS) return ++known.count <= most;
      counts.delete(key);
      counts.set(key, { since: now, count: 1 });
      const [oldest] = counts.keys();
      if (counts.size > MOST_KEYS && oldest !== undefined) counts.delete(oldest);
      return true;
    },
  };
}
