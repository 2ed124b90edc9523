/** The money-laundering watch: rules, what they know of movements, and what they have found. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  FLAG_EVENTS,
  FLAG_KINDS,
  FLAG_REASONS,
  FLAG_STATUSES,
  FLAG_SUBJECTS,
  HIT_OUTCOMES,
  REPORT_STATUSES,
  type Explanation,
} from '../../domain/aml/flags.ts';
import {
  MOVEMENT_KINDS,
  RULE_ACTIONS,
  RULE_STATUSES,
  SEVERITIES,
  type MovementKind,
} from '../../domain/aml/rules.ts';
import type {
  AccountId,
  AmlAttachmentId,
  AmlFlagId,
  AmlReportId,
  AmlRuleId,
  UserId,
} from '../../domain/ids.ts';

/** A rule besides its terms. */
export const AmlRule = defineEntity({
  name: 'AmlRule',
  tableName: 'aml_rules',
  properties: {
    id: p.uuid().$type<AmlRuleId>().primary(),
    code: p.text(),
    status: p.enum(RULE_STATUSES).default('draft'),
    version: p.integer().default(1),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlRule = InferEntity<typeof AmlRule>;

/** What a rule says. A version is never rewritten. */
export const AmlRuleVersion = defineEntity({
  name: 'AmlRuleVersion',
  tableName: 'aml_rule_versions',
  properties: {
    ruleId: p.uuid().$type<AmlRuleId>().primary(),
    version: p.integer().primary(),
    name: p.text(),
    description: p.text().default(''),
    severity: p.enum(SEVERITIES),
    action: p.enum(RULE_ACTIONS),
    appliesTo: p.array().$type<MovementKind[]>().columnType('text[]'),
    condition: p.json().$type<Record<string, unknown>>(),
    cooldown: p.text().strictNullable(),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlRuleVersion = InferEntity<typeof AmlRuleVersion>;

/** Values that conditions name together. */
export const AmlValueList = defineEntity({
  name: 'AmlValueList',
  tableName: 'aml_value_lists',
  properties: {
    code: p.text().primary(),
    description: p.text().default(''),
    entries: p.array().columnType('text[]').defaultRaw(`'{}'::text[]`),
    updatedBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlValueList = InferEntity<typeof AmlValueList>;

/** One movement of a customer with what was known at that moment; the sums are of all movements before it. Amounts are in whole units. */
export const AmlMovement = defineEntity({
  name: 'AmlMovement',
  tableName: 'aml_movements',
  properties: {
    customerId: p.uuid().$type<UserId>().primary(),
    seq: p.bigint().primary(),
    at: p.datetime(3),
    kind: p.enum(MOVEMENT_KINDS),
    direction: p.enum(['outgoing', 'incoming']),
    subjectType: p.text(),
    subjectId: p.uuid(),
    accountId: p.uuid().$type<AccountId>().strictNullable(),
    asset: p.text(),
    amount: p.decimal('string').columnType('numeric'),
    amountBase: p.decimal('string').columnType('numeric').strictNullable(),
    transferType: p.text().strictNullable(),
    counterparty: p.text().strictNullable(),
    counterpartyCountry: p.text().strictNullable(),
    counterpartyFirstAt: p.datetime(3).strictNullable(),
    accountOpenedAt: p.datetime(3).strictNullable(),
    lastOwnAt: p.datetime(3).strictNullable(),
    contactChangedAt: p.datetime(3).strictNullable(),
    kycStatus: p.text().default('none'),
    customerRisk: p.text().default('medium'),
    outCount: p.bigint(),
    outBase: p.decimal('string').columnType('numeric'),
    outUnrated: p.bigint(),
    inCount: p.bigint(),
    inBase: p.decimal('string').columnType('numeric'),
    inUnrated: p.bigint(),
    endedAt: p.datetime(3).strictNullable(),
  },
});
export type AmlMovement = InferEntity<typeof AmlMovement>;

/** A suspicion that somebody reviews. */
export const AmlFlag = defineEntity({
  name: 'AmlFlag',
  tableName: 'aml_flags',
  properties: {
    id: p.uuid().$type<AmlFlagId>().primary().defaultRaw('uuidv7()'),
    number: p.bigint().columnType('bigint').autoincrement(),
    kind: p.enum(FLAG_KINDS),
    status: p.enum(FLAG_STATUSES).default('open'),
    severity: p.enum(SEVERITIES),
    reason: p.enum(FLAG_REASONS),
    subjectType: p.enum(FLAG_SUBJECTS),
    subjectId: p.uuid(),
    customerId: p.uuid().$type<UserId>().strictNullable(),
    ruleId: p.uuid().$type<AmlRuleId>().strictNullable(),
    ruleVersion: p.integer().strictNullable(),
    match: p.json().$type<Record<string, unknown>>().strictNullable(),
    explanation: p.json().$type<Explanation>(),
    held: p.boolean(),
    raisedBy: p.uuid().$type<UserId>().strictNullable(),
    assigneeId: p.uuid().$type<UserId>().strictNullable(),
    dueAt: p.datetime(3).strictNullable(),
    lastHitAt: p.datetime(3).defaultRaw('bank_now()'),
    firstBy: p.uuid().$type<UserId>().strictNullable(),
    firstAt: p.datetime(3).strictNullable(),
    firstResolution: p.text().strictNullable(),
    resolvedBy: p.uuid().$type<UserId>().strictNullable(),
    resolvedAt: p.datetime(3).strictNullable(),
    note: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
    remindedAt: p.datetime(3).strictNullable(),
  },
});
export type AmlFlag = InferEntity<typeof AmlFlag>;

/** What a rule has found in one movement. */
export const AmlHit = defineEntity({
  name: 'AmlHit',
  tableName: 'aml_hits',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    at: p.datetime(3),
    ruleId: p.uuid().$type<AmlRuleId>().strictNullable(),
    ruleVersion: p.integer().strictNullable(),
    outcome: p.enum(HIT_OUTCOMES),
    flagId: p.uuid().$type<AmlFlagId>().strictNullable(),
    customerId: p.uuid().$type<UserId>(),
    subjectType: p.text(),
    subjectId: p.uuid(),
    held: p.boolean(),
    amountBase: p.decimal('string').columnType('numeric').strictNullable(),
    explanation: p.json().$type<Explanation>(),
  },
});
export type AmlHit = InferEntity<typeof AmlHit>;

/** What has happened to a flag; null is the service itself. */
export const AmlFlagEvent = defineEntity({
  name: 'AmlFlagEvent',
  tableName: 'aml_flag_events',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    flagId: p.uuid().$type<AmlFlagId>(),
    at: p.datetime(3).defaultRaw('bank_now()'),
    by: p.uuid().$type<UserId>().strictNullable(),
    kind: p.enum(FLAG_EVENTS),
    before: p.text().strictNullable(),
    after: p.text().strictNullable(),
    note: p.text().strictNullable(),
  },
});
export type AmlFlagEvent = InferEntity<typeof AmlFlagEvent>;

/** Since when a flag has been in a state; the database writes it. */
export const AmlFlagState = defineEntity({
  name: 'AmlFlagState',
  tableName: 'aml_flag_states',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    flagId: p.uuid().$type<AmlFlagId>(),
    status: p.enum(FLAG_STATUSES),
    since: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlFlagState = InferEntity<typeof AmlFlagState>;

/** A rule that is left out for one customer until a date. */
export const AmlSuppression = defineEntity({
  name: 'AmlSuppression',
  tableName: 'aml_suppressions',
  properties: {
    ruleId: p.uuid().$type<AmlRuleId>().primary(),
    customerId: p.uuid().$type<UserId>().primary(),
    flagId: p.uuid().$type<AmlFlagId>().primary(),
    until: p.datetime(3),
    createdBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlSuppression = InferEntity<typeof AmlSuppression>;

/** What is reported to the authorities about a confirmed suspicion. */
export const AmlReport = defineEntity({
  name: 'AmlReport',
  tableName: 'aml_reports',
  properties: {
    id: p.uuid().$type<AmlReportId>().primary().defaultRaw('uuidv7()'),
    flagId: p.uuid().$type<AmlFlagId>(),
    status: p.enum(REPORT_STATUSES).default('draft'),
    customerId: p.uuid().$type<UserId>().strictNullable(),
    narrative: p.text(),
    reference: p.text().strictNullable(),
    filedAt: p.datetime(3).strictNullable(),
    filedBy: p.uuid().$type<UserId>().strictNullable(),
    createdBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlReport = InferEntity<typeof AmlReport>;

/** A file that reviewers keep with a flag. */
export const AmlAttachment = defineEntity({
  name: 'AmlAttachment',
  tableName: 'aml_attachments',
  properties: {
    id: p.uuid().$type<AmlAttachmentId>().primary(),
    flagId: p.uuid().$type<AmlFlagId>(),
    fileName: p.text(),
    contentType: p.text(),
    sizeBytes: p.integer(),
    sha256: p.blob().$type<Buffer>(),
    objectKey: p.text(),
    attachedBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AmlAttachment = InferEntity<typeof AmlAttachment>;
