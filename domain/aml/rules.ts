/** What a rule of the money-laundering watch can be. */

export const RULE_STATUSES = ['draft', 'shadow', 'live', 'disabled'] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a rule does, from the mildest to the strictest: it opens a flag, and holds or refuses the movement. */
export const RULE_ACTIONS = ['flag', 'hold', 'block'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

export const MOVEMENT_KINDS = [
  'outgoing_transfer',
  'incoming_transfer',
  'card_authorisation',
  'card_clearing',
  'crypto_withdrawal',
  'crypto_deposit',
] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** What a rule says, as far as it decides what is held. */
export interface RuleTerms {
  readonly status: RuleStatus;
  readonly severity: Severity;
  readonly action: RuleAction;
  readonly appliesTo: readonly MovementKind[];
  readonly condition: unknown;
  readonly cooldownSeconds: number;
}

/** True if a rule goes live, or a live one may hold less or report less than before. Null is a rule that is not there. */
export function loosensRule(before: RuleTerms | null, after: RuleTerms | null): boolean {
  if (before?.status !== 'live') return after?.status === 'live';
  if (after?.status !== 'live') return true;
  return (
    JSON.stringify(before.condition) !== JSON.stringify(after.condition) ||
    RULE_ACTIONS.indexOf(after.action) < RULE_ACTIONS.indexOf(before.action) ||
    SEVERITIES.indexOf(after.severity) < SEVERITIES.indexOf(before.severity) ||
    after.cooldownSeconds > before.cooldownSeconds ||
    before.appliesTo.some((kind) => !after.appliesTo.includes(kind))
  );
}
