/** Comparing limits, for all that asks whether a change loosens. */

/** True if more is allowed than before. Null is no limit. Minor units. */
export function isRaised(before: bigint | null, after: bigint | null): boolean {
  return before !== null && (after === null || after > before);
}

/** The limit that holds for a level of the customer: that of the highest level reached, or else that of the lowest one. */
export function limitAtLevel<Limit extends { readonly kycLevel: number }>(
  limits: readonly Limit[],
  level: number,
): Limit | undefined {
  const byLevel = limits.toSorted((one, other) => one.kycLevel - other.kycLevel);
  return byLevel.findLast(({ kycLevel }) => kycLevel <= level) ?? byLevel[0];
}
