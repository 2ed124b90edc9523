/** Comparing limits, for all that asks whether a change loosens. */

/** True if more is allowed than before. Null is no limit. Minor units. */
export function isRaised(before: bigint | null, after: bigint | null): boolean {
  return before !== null && (after === null || after > before);
}
