/** Trying a rule out on given events, by the code that judges payments. */
import { amlBase, tryAmlRule, type TrialHit } from '../../db/queries/aml/rules.ts';
import type { Call } from '../callers.ts';

/** What a rule is tried on, by the names of the wire. */
export interface Trial {
  readonly rule: object;
  readonly baseCurrency: string | undefined;
  readonly rates: Readonly<Record<string, string>>;
  readonly customer: object;
  readonly events: readonly object[];
}

/** What the rule finds. Nothing of it is kept. */
export async function tryRule({ db }: Call, trial: Trial): Promise<readonly TrialHit[]> {
  const { rule, rates, customer, events } = trial;
  const base = trial.baseCurrency ?? (await amlBase.one(db)).base;
  return (await tryAmlRule.one(db, { rule, base, rates, customer, events })).hits;
}
