/** Rules of the money-laundering watch: what a rule says is a version and never rewritten; what is less careful waits for a second person. */
import {
  addAmlRule,
  addAmlRuleVersion,
  amlEstimate,
  amlRuleById,
  amlRuleHasHits,
  deleteAmlRule,
  setAmlRule,
  type AmlRuleRow,
} from '../../db/queries/aml/rules.ts';
import { knownValueLists } from '../../db/queries/aml/value-lists.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { listsIn } from '../../domain/aml/conditions.ts';
import { loosensRule, type RuleStatus, type RuleTerms } from '../../domain/aml/rules.ts';
import { AmlRuleId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { secondsOf } from '../../domain/time/durations.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** A rule that reads more movements of a customer than this, and no counter, would be felt at every payment. */
const MOST_MOVEMENTS = 1_000;

/** What a version of a rule says. */
type Terms = Pick<
  AmlRuleRow,
  'name' | 'description' | 'severity' | 'action' | 'appliesTo' | 'condition' | 'cooldown'
>;
/** What a change says otherwise. */
export type AmlRuleChange = Partial<Terms & { readonly status: RuleStatus }>;
type Changing = Call<'conflict' | 'rule_too_costly'>;

/** Going live waits for a second administrator, and so does whatever makes a live rule less strict. */
export const amlRuleFourEyes = fourEyes({
  resource: (at: Place<{ readonly id: AmlRuleId } | undefined>) => ['aml_rule', ruleAt(at)],
  state: async (db, at) => (await amlRuleById.first(db, { id: ruleAt(at) })) ?? null,
  loosens: (before, after) => loosensRule(before && termsOf(before), after && termsOf(after)),
  shown: told,
});

function ruleAt({ params, newId }: Place<{ readonly id: AmlRuleId } | undefined>): AmlRuleId {
  return params?.id ?? AmlRuleId.parse(newId);
}

function termsOf(rule: AmlRuleRow): RuleTerms {
  return { ...rule, cooldownSeconds: secondsOf(rule.cooldown ?? 'PT0S') ?? 0 };
}

/** Adds a rule with its first version. */
export async function createAmlRule(
  call: Changing,
  rule: { readonly id: AmlRuleId; readonly code: string },
  { status = 'draft', ...terms }: Terms & { readonly status?: RuleStatus },
): Promise<AmlRuleRow> {
  if ((await addAmlRule.run(call.db, rule)) === 0)
    throw call.refusal('conflict', { detail: 'The code is taken by another rule.' });
  await addVersion(call, rule.id, 1, terms);
  return settled(call, rule.id, { status, version: 1 }, 'created', null);
}

/** Changes a rule: other terms are a new version. */
export async function updateAmlRule(
  call: Changing,
  id: AmlRuleId,
  { status, ...change }: AmlRuleChange,
): Promise<AmlRuleRow> {
  const before = found(await amlRuleById.first(call.db, { id }));
  const terms = { ...before, ...change };
  const isSame = JSON.stringify(said(terms)) === JSON.stringify(said(before));
  const version = isSame ? before.version : before.version + 1;
  if (!isSame) await addVersion(call, id, version, terms);
  if (isSame && (status ?? before.status) === before.status) return before;
  return settled(call, id, { status: status ?? before.status, version }, 'updated', before);
}

/** Deletes a rule that has never hit; any other is disabled, and stays readable. */
export async function removeAmlRule(call: Changing, id: AmlRuleId): Promise<void> {
  const before = found(await amlRuleById.first(call.db, { id }));
  const { has } = await amlRuleHasHits.one(call.db, { id });
  if (has) {
    await settled(call, id, { status: 'disabled', version: before.version }, 'updated', before);
    return;
  }
  await deleteAmlRule.run(call.db, { id });
  await recorded(call, id, 'deleted', before, null);
}

async function addVersion(
  { db, actor }: Changing,
  ruleId: AmlRuleId,
  version: number,
  terms: Terms,
): Promise<void> {
  const lists = listsIn(terms.condition);
  const known = (await knownValueLists.all(db, { codes: lists })).map(({ code }) => code);
  const missing = lists.find((code) => !known.includes(code));
  if (missing !== undefined) throw faultIn('/condition', 'unknown_list', `there is no list ${missing}`);
  await addAmlRuleVersion.run(db, { ...said(terms), ruleId, version, createdBy: actor.id });
}

async function settled(
  call: Changing,
  id: AmlRuleId,
  to: { readonly status: RuleStatus; readonly version: number },
  verb: 'created' | 'updated',
  before: AmlRuleRow | null,
): Promise<AmlRuleRow> {
  await setAmlRule.run(call.db, { id, ...to });
  const after = await amlRuleById.one(call.db, { id });
  if (to.status === 'live') await throwIfCostly(call, after);
  await recorded(call, id, verb, before, after);
  return after;
}

/** A rule that would be felt at every payment is refused, with the estimate. */
export async function throwIfCostly(
  { db, refusal }: Pick<Call<'rule_too_costly'>, 'db' | 'refusal'>,
  { condition }: Pick<AmlRuleRow, 'condition'>,
): Promise<void> {
  const { movements } = await amlEstimate.one(db, { condition });
  if (movements > MOST_MOVEMENTS)
    throw refusal('rule_too_costly', { members: { movements, most: MOST_MOVEMENTS } });
}

function recorded(
  { db, actor }: Changing,
  id: AmlRuleId,
  verb: 'created' | 'updated' | 'deleted',
  before: AmlRuleRow | null,
  after: AmlRuleRow | null,
): Promise<void> {
  return record(db, actor, {
    action: `aml_rule.${verb}`,
    subject: ['aml_rule', id],
    before: before === null ? undefined : told(before),
    after: after === null ? undefined : told(after),
  });
}

function said({ name, description, severity, action, appliesTo, condition, cooldown }: Terms): Terms {
  return { name, description, severity, action, appliesTo, condition, cooldown };
}

/** A rule as the audit log keeps it. */
function told({ code, status, version, appliesTo, ...rule }: AmlRuleRow): AuditState {
  const { name, severity, action, condition, cooldown } = rule;
  return { code, status, version, name, severity, action, applies_to: appliesTo, condition, cooldown };
}
