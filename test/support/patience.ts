/** How long a test waits for what has to come: a bound for what must not hang, on a machine that is ten times slower than usual. */

/** A slow machine raises it: TEST_PATIENCE=3 waits three times as long. It is never part of what a test proves. */
const factor = Number(process.env['TEST_PATIENCE'] ?? 1);

export const PATIENCE_SECONDS = 120 * factor;
export const PATIENCE_MS = PATIENCE_SECONDS * 1_000;

/** A limit of its own, longer on a slow machine. */
export function patienceFor(limit: number): number {
  return limit * factor;
}
