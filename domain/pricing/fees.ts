/**
 * What a service costs. A rule is a tariff of one currency; its fee is calculated exactly and rounded once, at the end, to the
 * nearest minor unit and right between two to the even one. Which of several rules applies: docs/decisions/0040.
 */
import type { FeeRuleId } from '../ids.ts';
import type { FeeLine } from './pricing.ts';
import { halfEven, plus, ratioOf, times, whole, type Ratio } from './ratio.ts';

/** A fixed part in minor units and a share of the amount in basis points, as a decimal string: "150" is 1.5 %, "0.5" is 0.005 %. */
export interface Tariff {
  readonly flat: bigint;
  readonly rateBps: string;
}

/** The tariff of what is more than `above` minor units; `above` itself belongs to the tier below. */
export interface FeeTier extends Tariff {
  readonly above: bigint;
}

/** `graduated`: each slice of the amount at the tariff of its tier. `slab`: the whole amount at the tariff of the tier it ends in. */
export const tierModes = ['graduated', 'slab'] as const;
export type TierMode = (typeof tierModes)[number];

/** How a fee is calculated; all amounts in minor units of the rule's currency. */
export interface FeeFormula extends Tariff {
  readonly minimum: bigint | null;
  readonly maximum: bigint | null;
  readonly tierMode: TierMode;
  /** Ascending; the first tier is the formula's own tariff, from zero. */
  readonly tiers: readonly FeeTier[];
}

/** A tier as it is stored: minor units and basis points as decimal strings. */
export interface StoredFeeTier {
  readonly above: string;
  readonly flat: string;
  readonly rate_bps: string;
}

/** What an account is charged for beside its payments. */
export const accountFeePurposes = ['monthly', 'card_issue', 'card_replacement'] as const;
export type AccountFeePurpose = (typeof accountFeePurposes)[number];

/** What may become of such a fee. */
export const accountFeeStatuses = ['due', 'charged', 'refused', 'waived'] as const;
export type AccountFeeStatus = (typeof accountFeeStatuses)[number];

/** One version of a rule, as far as it takes part in a choice. */
export interface FeeRule extends FeeFormula {
  readonly ruleId: FeeRuleId;
  readonly version: number;
  readonly code: string;
  readonly description: string;
  /** Null: whichever. */
  readonly transferType: string | null;
  readonly accountTypeId: string | null;
  readonly priority: number;
}

const BASIS_POINT: Ratio = { num: 1n, den: 10_000n };

/** The fee for an amount, both in minor units of the rule's currency. */
export function feeOf(formula: FeeFormula, amount: bigint): bigint {
  const exact = formula.tierMode === 'slab' ? slab(formula, amount) : graduated(formula, amount);
  const fee = halfEven(exact);
  if (formula.minimum !== null && fee < formula.minimum) return formula.minimum;
  return formula.maximum !== null && fee > formula.maximum ? formula.maximum : fee;
}

function slab(formula: FeeFormula, amount: bigint): Ratio {
  const tier = formula.tiers.findLast(({ above }) => amount > above) ?? formula;
  return costOf(tier, amount);
}

function graduated(formula: FeeFormula, amount: bigint): Ratio {
  const tiers = [{ ...formula, above: 0n }, ...formula.tiers];
  return tiers
    .filter(({ above }, index) => index === 0 || amount > above)
    .map((tier, index) => {
      const end = tiers[index + 1]?.above ?? amount;
      return costOf(tier, (amount < end ? amount : end) - tier.above);
    })
    .reduce(plus);
}

function costOf({ flat, rateBps }: Tariff, amount: bigint): Ratio {
  return plus(whole(flat), times(times(whole(amount), ratioOf(rateBps)), BASIS_POINT));
}

/**
 * The fees of a transfer: among the rules of one code the first by priority counts, then the one that names the account type,
 * then the one that names the transfer type, then the newer one; what different codes cost adds up, a line each. No line costs zero.
 */
export function feeLines(rules: readonly FeeRule[], amount: bigint): FeeLine[] {
  const byCode = Map.groupBy(rules, ({ code }) => code);
  return [...byCode.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, candidates]) => candidates.toSorted(byPrecedence).slice(0, 1))
    .map((rule) => {
      const { ruleId, version, code, description } = rule;
      return { ruleId, version, code, description, minor: feeOf(rule, amount) };
    })
    .filter(({ minor }) => minor > 0n);
}

/** Where tiers of these rules begin, ascending: between two of them a fee never falls while the amount grows. */
export function tierBounds(rules: readonly FeeRule[]): bigint[] {
  const bounds = new Set(rules.flatMap(({ tiers }) => tiers.map(({ above }) => above)));
  return [...bounds].toSorted((one, other) => (one < other ? -1 : 1));
}

function byPrecedence(a: FeeRule, b: FeeRule): number {
  return (
    b.priority - a.priority ||
    Number(b.accountTypeId !== null) - Number(a.accountTypeId !== null) ||
    Number(b.transferType !== null) - Number(a.transferType !== null) ||
    (a.ruleId < b.ruleId ? 1 : -1)
  );
}
