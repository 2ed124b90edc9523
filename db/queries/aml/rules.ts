/** Rules of the money-laundering watch, their versions, and trying them out. */
import { MOVEMENT_KINDS } from '../../../domain/aml/rules.ts';
import type { AmlRuleId, UserId } from '../../../domain/ids.ts';
import {
  arrayOfWords,
  bigCount,
  boolean,
  id,
  integer,
  ownJson,
  text,
  type RowOf,
} from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AmlRule, AmlRuleVersion } from '../../schema/aml.ts';

const rule = columnsOf(AmlRule, 'id', 'code', 'status', 'createdAt', 'updatedAt');
const said = {
  ...columnsOf(AmlRuleVersion, 'version', 'name', 'description', 'severity', 'action'),
  appliesTo: arrayOfWords(MOVEMENT_KINDS),
  condition: ownJson<Record<string, unknown>>(),
  ...columnsOf(AmlRuleVersion, 'cooldown', 'createdBy'),
};
const ruleRow = { ...rule, ...said, approvedBy: id<UserId>().nullable() };
/** A rule in one of its versions. */
export type AmlRuleRow = RowOf<typeof ruleRow>;

const COLUMNS = `
  ${selectList(rule, 'r')}, ${selectList(said, 'v')},
  (select c.decided_by from pending_changes c where c.resource_type = 'aml_rule' and c.resource_id = r.id::text and c.status = 'applied'
    order by c.id desc limit 1) as approved_by`;
const NEWEST = 'from aml_rules r join aml_rule_versions v on v.rule_id = r.id and v.version = r.version';

/** A rule in its newest version. */
export const amlRuleById = statement({
  name: 'amlRuleById',
  takes: { id: rule.id },
  gives: ruleRow,
  sql: `select ${COLUMNS} ${NEWEST} where r.id = $id`,
});

/** Which rules: what is left out is not narrowed to. */
export interface AmlRulePage {
  readonly status?: string | undefined;
  readonly severity?: string | undefined;
  readonly action?: string | undefined;
  readonly code?: string | undefined;
  readonly after: AmlRuleId | null;
  readonly most: number;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** A page of rules, oldest first, from after `after`. */
export const amlRules = composedStatement({
  name: 'amlRules',
  gives: ruleRow,
  compose({ status, severity, action, code, after, most }: AmlRulePage, bind) {
    const narrowing = {
      'r.id >': after ?? FIRST,
      'r.status =': status,
      'r.code =': code,
      'v.severity =': severity,
      'v.action =': action,
    };
    return `select ${COLUMNS} ${NEWEST} where ${narrowedTo(narrowing, bind)} order by r.id limit ${bind(most)}`;
  },
  examples: [
    { after: null, most: 1 },
    { status: 'live', severity: 'high', action: 'hold', code: 'velocity', after: null, most: 1 },
  ],
});

/** A page of the versions of a rule, newest first, from below `before`. */
export const amlRuleVersions = statement({
  name: 'amlRuleVersions',
  takes: { id: rule.id, before: integer().nullable(), most: bigCount() },
  gives: ruleRow,
  sql: `
    select ${COLUMNS} from aml_rules r join aml_rule_versions v on v.rule_id = r.id
     where r.id = $id and v.version < coalesce($before, 2147483647) order by v.version desc limit $most`,
});

/** Adds a rule as a draft; nothing if the code is taken. Its first version follows. */
export const addAmlRule = statement({
  name: 'addAmlRule',
  takes: columnsOf(AmlRule, 'id', 'code'),
  gives: {},
  sql: 'insert into aml_rules (id, code) values ($id, $code) on conflict (code) do nothing',
});

/** Adds a version, which counts once `setAmlRule` names it. */
export const addAmlRuleVersion = statement({
  name: 'addAmlRuleVersion',
  takes: { ...columnsOf(AmlRuleVersion, 'ruleId'), ...said },
  gives: {},
  sql: `
    insert into aml_rule_versions (rule_id, version, name, description, severity, action, applies_to, condition, cooldown, created_by)
    values ($ruleId, $version, $name, $description, $severity, $action, $appliesTo, $condition, $cooldown, $createdBy)`,
});

/** Sets the status of a rule and the version that counts. */
export const setAmlRule = statement({
  name: 'setAmlRule',
  takes: columnsOf(AmlRule, 'id', 'status', 'version'),
  gives: {},
  sql: 'update aml_rules set status = $status, version = $version, updated_at = bank_now() where id = $id',
});

/** Whether a rule has found anything: it is then kept. */
export const amlRuleHasHits = statement({
  name: 'amlRuleHasHits',
  takes: { id: rule.id },
  gives: { has: boolean() },
  sql: 'select exists (select from aml_hits h where h.rule_id = $id) as has',
});

export const deleteAmlRule = statement({
  name: 'deleteAmlRule',
  takes: { id: rule.id },
  gives: {},
  sql: 'delete from aml_rules where id = $id',
});

/** How many movements of one customer a condition would read at most. */
export const amlEstimate = statement({
  name: 'amlEstimate',
  takes: { condition: said.condition },
  gives: { movements: bigCount() },
  sql: 'select aml_estimate($condition) as movements',
});

/** What a rule finds in given events. */
export const tryAmlRule = statement({
  name: 'tryAmlRule',
  takes: {
    rule: ownJson<object>(),
    base: text(),
    rates: ownJson<object>(),
    customer: ownJson<object>(),
    events: ownJson<readonly object[]>(),
  },
  gives: { hits: ownJson<readonly TrialHit[]>() },
  sql: 'select aml_try($rule, $base, $rates, $customer, $events) as hits',
});

/** What a rule has found in one event; hits that share a flag have the same number. */
export interface TrialHit {
  readonly index: number;
  readonly outcome: 'hit' | 'not_checked' | 'suppressed';
  readonly flag: number;
  readonly explanation: Record<string, unknown>;
}

/** The currency that amounts are compared in. */
export const amlBase = statement({
  name: 'amlBase',
  gives: { base: text() },
  sql: 'select base_asset as base from fx_settings',
});
