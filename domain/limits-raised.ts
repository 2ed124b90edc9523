/** Comparing limits, for all that asks whether a change loosens. */

/** True if more is allowed than before. Null is no limit. Minor units. */
export function isRaised(before: bigint | null, after: bigint | null): boolean {
  return before !== null && (after === null || after > before);
}

/** From a level of the customer on: the most in each period. */
type LevelLimit<Period extends string> = { readonly kycLevel: number } & Readonly<
  Record<Period, bigint | null>
>;

/** True if more is allowed in one of the periods to a customer of some level. No limit at all is no limit. */
export function isRaisedAtSomeLevel<Period extends string>(
  before: readonly LevelLimit<Period>[],
  after: readonly LevelLimit<Period>[],
  periods: readonly Period[],
): boolean {
  const levels = [0, ...[...before, ...after].map(({ kycLevel }) => kycLevel)];
  return levels.some((level) => {
    const [was, is] = [limitAtLevel(before, level), limitAtLevel(after, level)];
    return periods.some((period) => isRaised(was?.[period] ?? null, is?.[period] ?? null));
  });
}

/** The limit that holds for a level of the customer: that of the highest level reached, or else that of the lowest one. */
function limitAtLevel<Limit extends { readonly kycLevel: number }>(
  limits: readonly Limit[],
  level: number,
): Limit | undefined {
  const byLevel = limits.toSorted((one, other) => one.kycLevel - other.kycLevel);
  return byLevel.findLast(({ kycLevel }) => kycLevel <= level) ?? byLevel[0];
}
