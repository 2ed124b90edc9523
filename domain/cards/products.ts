/** What a card product says, as it is stored and as rules ask it. */
import { secondsOf } from '../time/durations.ts';

/** How a card comes to its holder, and what it is for. */
export const CARD_KINDS = ['virtual', 'physical', 'single_use', 'merchant_locked'] as const;
export type CardKind = (typeof CARD_KINDS)[number];

/** What is charged for a card, and for what is paid with it. */
export const CARD_FEE_PURPOSES = ['card_issue', 'card_replacement', 'card_cash', 'card_fx'] as const;

/** What of a payment a control looks at. */
export const CONTROL_TYPES = ['channel', 'category', 'country', 'merchant'] as const;
export type ControlType = (typeof CONTROL_TYPES)[number];

export const CONTROL_MODES = ['allow', 'block'] as const;

/** How a card is used. A cash withdrawal is `cash` beside the way in which the card was read. */
export const CARD_CHANNELS = [
  'chip',
  'contactless',
  'magstripe',
  'ecommerce',
  'manual',
  'recurring',
  'cash',
] as const;

/** Which payments a limit counts. `online` are those without the card at hand. */
export const LIMIT_SCOPES = ['all', 'purchase', 'cash', 'online', 'contactless'] as const;
/** Or those at merchants of these categories (ISO 18245), in their order. */
export type LimitScope = (typeof LIMIT_SCOPES)[number] | { readonly mcc: readonly string[] };

/** The same scope with each category once and in order, as it is stored. */
export function inOrder(scope: LimitScope): LimitScope {
  return typeof scope === 'string' ? scope : { mcc: [...new Set(scope.mcc)].toSorted() };
}

/** The name of a scope; two scopes of the same categories have the same name. */
export function scopeName(scope: LimitScope): string {
  const ordered = inOrder(scope);
  return typeof ordered === 'string' ? ordered : `mcc/${ordered.mcc.join('_')}`;
}

/** After how much, or after how many payments, the customer has to prove who they are. */
export const SCA_MODES = ['amount', 'count', 'off'] as const;
export type ScaMode = (typeof SCA_MODES)[number];

/** A control. Allowed are only these values, or all but these. */
export interface CardControl {
  readonly type: ControlType;
  readonly mode: (typeof CONTROL_MODES)[number];
  readonly values: readonly string[];
}

/** A limit in a period: `transaction`, `day`, `week`, `month`, `ever`, or a rolling window such as `PT24H`. Minor units as text. */
export interface CardLimit {
  readonly period: string;
  readonly scope: LimitScope;
  readonly amount: string | null;
  readonly count: number | null;
}

/** What a product says of a control or limit beside it. */
interface Loosenable {
  readonly customer_may_loosen: boolean;
}
export type ProductControl = CardControl & Loosenable;
export type ProductLimit = CardLimit & Loosenable;

/** How long payments to merchants of these categories are held; `amount` (minor units as text) or `percent` on top, where the final sum is unknown. */
export interface HoldRule {
  readonly mcc: readonly string[];
  readonly days: number;
  readonly amount: string | null;
  readonly percent: string | null;
}

/** How much, and how many payments, may follow each other without a proof. Minor units as text. */
interface ScaFigures<Amount, Count> {
  readonly amount: Amount;
  readonly count: Count;
}

/** Payments with the card at hand: the figures that the mode does not count may be null. */
export interface ScaRule extends ScaFigures<string | null, number | null> {
  readonly mode: ScaMode;
}

/** Payments without the card at hand. */
export type ScaRemote = ScaFigures<string, number>;
/** What is asked for them; null is what the law lets pass. */
export type WantedScaRemote = ScaFigures<string | null, number | null>;

/** What of a version of a product decides how careful the bank is with its cards. */
export interface ProductTerms {
  readonly enabled: boolean;
  readonly accountTypeIds: readonly string[];
  readonly validityMonths: number;
  readonly holdRules: readonly HoldRule[];
  readonly controls: readonly ProductControl[];
  readonly limits: readonly ProductLimit[];
  readonly sca: ScaRule;
  readonly scaRemote: ScaRemote;
  readonly pinTries: number;
  readonly standInLimit: bigint;
}

const CALENDAR = ['transaction', 'day', 'week', 'month', 'ever'];

/** True for the period of a limit. */
export function isLimitPeriod(text: string): boolean {
  return CALENDAR.includes(text) || (secondsOf(text) ?? 0) > 0;
}
