/** What every part stands on: audit log, idempotency, outbox of processes, throttles. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { CHAINS } from '../../domain/addresses/address.ts';
import { CHANGE_STATUSES } from '../../domain/changes.ts';
import type { AuditEntryId, ChangeId, UserId } from '../../domain/ids.ts';
import type { ProcessStart } from '../../domain/process.ts';

/** What is known of something before or after it was changed. */
export type AuditState = Readonly<Record<string, unknown>>;

/** How many rows broke each check. */
export type LedgerFindings = readonly { readonly check: string; readonly broken: number }[];

/** Who did what to what, and why. */
export const AuditLogEntry = defineEntity({
  name: 'AuditLogEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().$type<AuditEntryId>().primary().defaultRaw('uuidv7()'),
    at: p.datetime(3).defaultRaw('bank_now()'),
    actorId: p.uuid().$type<UserId>().strictNullable(),
    actorRole: p.enum(['customer', 'admin', 'system']),
    action: p.text(),
    subjectType: p.text(),
    subjectId: p.text(),
    before: p.json().$type<AuditState>().strictNullable(),
    after: p.json().$type<AuditState>().strictNullable(),
    reason: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
    address: p.text().strictNullable(),
  },
});
export type AuditLogEntry = InferEntity<typeof AuditLogEntry>;

/** A request by its idempotency key, and its answer. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    caller: p.text().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    resourceId: p.uuid(),
    requestHmac: p.blob().$type<Buffer>(),
    refusal: p.json().$type<unknown>().strictNullable(),
    status: p.smallint().strictNullable(),
    answer: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    expiresAt: p.datetime(3).strictNullable(),
  },
});
export type IdempotencyKey = InferEntity<typeof IdempotencyKey>;

/** The one row of what the functions of the books know of the bank. `npm run migrate` writes it from the configuration. */
export const BankSettings = defineEntity({
  name: 'BankSettings',
  tableName: 'bank_settings',
  properties: {
    onlyRow: p.boolean().primary().default(true),
    timeZone: p.text().default('Europe/Berlin'),
    clockToleranceSeconds: p.integer().default(10),
    clockMoves: p.boolean().default(false),
    clockAheadSeconds: p.integer().default(0),
    businessHours: p.text().default('Mon-Fri 09:00-17:00'),
    country: p.text().default('DE'),
    kycReviewYears: p.array().columnType('smallint[]').$type<readonly number[]>().defaultRaw(`'{5,3,1}'`),
    kycRenewalDays: p.smallint().default(30),
    kycExpiredLimits: p.boolean().default(false),
    highRiskCountries: p.array().columnType('text[]').defaultRaw(`'{}'`),
    cryptoChains: p.enum(CHAINS).strictNullable(),
    priceMaxAgeSeconds: p.smallint().default(30),
    riskPoints: p.array().columnType('smallint[]').$type<readonly number[]>().defaultRaw(`'{20,50}'`),
  },
});
export type BankSettings = InferEntity<typeof BankSettings>;

/** A process that waits for its start. */
export const OutboxEntry = defineEntity({
  name: 'OutboxEntry',
  tableName: 'process_outbox',
  properties: {
    workflowId: p.text().primary(),
    process: p.text(),
    input: p.json().$type<ProcessStart>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type OutboxEntry = InferEntity<typeof OutboxEntry>;

/** A process that Temporal has refused to start. `failure` is what it said. */
export const RefusedStart = defineEntity({
  name: 'RefusedStart',
  tableName: 'refused_starts',
  properties: {
    workflowId: p.text().primary(),
    process: p.text(),
    failure: p.text(),
    attempts: p.integer().default(1),
    firstAt: p.datetime(3).defaultRaw('bank_now()'),
    lastAt: p.datetime(3).defaultRaw('bank_now()'),
    dueAt: p.datetime(3),
  },
});
export type RefusedStart = InferEntity<typeof RefusedStart>;

/** What a check of the books found. */
export const LedgerCheck = defineEntity({
  name: 'LedgerCheck',
  tableName: 'ledger_checks',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    beganAt: p.datetime(3),
    endedAt: p.datetime(3).defaultRaw('clock_timestamp()'),
    checks: p.json().$type<LedgerFindings>(),
  },
});
export type LedgerCheck = InferEntity<typeof LedgerCheck>;

/** What a process has to hear: an Update of Temporal that waits until it is delivered. */
export const ProcessUpdate = defineEntity({
  name: 'ProcessUpdate',
  tableName: 'process_updates',
  properties: {
    workflowId: p.text().primary(),
    updateId: p.text().primary(),
    name: p.text(),
    input: p.json().$type<unknown>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    dueAt: p.datetime(3).defaultRaw('bank_now()'),
    attempts: p.integer().default(0),
  },
});
export type ProcessUpdate = InferEntity<typeof ProcessUpdate>;
/**
 * A change that loosens a control and waits for a second administrator. `request` is what its maker sent, sealed for this row;
 * `before` and `after` are what administrators may see. `concerns` gains by it and does not decide.
 */
export const PendingChange = defineEntity({
  name: 'PendingChange',
  tableName: 'pending_changes',
  properties: {
    id: p.uuid().$type<ChangeId>().primary(),
    operation: p.text(),
    permission: p.text(),
    resourceType: p.text(),
    resourceId: p.text(),
    etag: p.text(),
    request: p.blob().$type<Buffer>(),
    requestMac: p.blob().$type<Buffer>(),
    before: p.json().$type<AuditState>().strictNullable(),
    after: p.json().$type<AuditState>().strictNullable(),
    concerns: p.uuid().$type<UserId>().strictNullable(),
    requestedBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    expiresAt: p.datetime(3),
    status: p.enum(CHANGE_STATUSES).default('open'),
    remindedAt: p.datetime(3).strictNullable(),
    reminders: p.integer().default(0),
    decidedBy: p.uuid().$type<UserId>().strictNullable(),
    decidedAt: p.datetime(3).strictNullable(),
    decisionReason: p.text().strictNullable(),
    failure: p.text().strictNullable(),
  },
});
export type PendingChange = InferEntity<typeof PendingChange>;

/** A counter of attempts. `rate-limiter-flexible` writes it, so the columns are its own: `expire` is in milliseconds. */
export const Throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttles',
  properties: {
    key: p.string().primary(),
    points: p.integer().default(0),
    expire: p.bigint('number').strictNullable(),
  },
});
export type Throttle = InferEntity<typeof Throttle>;
