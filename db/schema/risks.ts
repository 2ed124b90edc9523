/** How customers are rated. Only functions of the database write these tables. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  RISK_CATEGORIES,
  RISK_LEVELS,
  type FactorFound,
  type RiskFactorCode,
  type RiskLevel,
} from '../../domain/compliance/risk.ts';
import type { UserId } from '../../domain/ids.ts';

/** What makes a customer a risk, and how much. `atLeast` is the lowest rating of whomever it is true of, which the law may ask for. */
export const RiskFactor = defineEntity({
  name: 'RiskFactor',
  tableName: 'risk_factors',
  properties: {
    code: p.text().$type<RiskFactorCode>().primary(),
    category: p.enum(RISK_CATEGORIES),
    points: p.smallint(),
    atLeast: p.enum(['medium', 'high']).strictNullable(),
    byLaw: p.boolean().default(false),
    threshold: p.decimal('string').columnType('numeric').strictNullable(),
    entries: p.array().columnType('text[]').strictNullable(),
    enabled: p.boolean().default(true),
    updatedBy: p.uuid().$type<UserId>().strictNullable(),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type RiskFactor = InferEntity<typeof RiskFactor>;

/** How a customer is rated. `level` was in force at the last assessment; an override may have ended since. */
export const CustomerRisk = defineEntity({
  name: 'CustomerRisk',
  tableName: 'customer_risks',
  properties: {
    customerId: p.uuid().$type<UserId>().primary(),
    factors: p.json().$type<readonly FactorFound[]>().default([]),
    points: p.integer().default(0),
    rated: p.enum(RISK_LEVELS).default('medium'),
    leastByLaw: p.enum(['low', 'high']).default('low'),
    override: p.enum(RISK_LEVELS).strictNullable(),
    overrideReason: p.text().strictNullable(),
    overrideUntil: p.datetime(3).strictNullable(),
    overrideBy: p.uuid().$type<UserId>().strictNullable(),
    level: p.enum(RISK_LEVELS).default('medium'),
    levelSince: p.datetime(3).defaultRaw('bank_now()'),
    assessedAt: p.datetime(3).defaultRaw(`'-infinity'::timestamp with time zone`),
  },
});
export type CustomerRisk = InferEntity<typeof CustomerRisk>;

/** How a customer was rated from a moment on. Never rewritten. */
export const CustomerRiskChange = defineEntity({
  name: 'CustomerRiskChange',
  tableName: 'customer_risk_changes',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    customerId: p.uuid().$type<UserId>(),
    at: p.datetime(3).defaultRaw('bank_now()'),
    level: p.text().$type<RiskLevel>(),
    rated: p.text().$type<RiskLevel>(),
    points: p.integer(),
    factors: p.json().$type<readonly FactorFound[]>(),
    override: p.text().$type<RiskLevel>().strictNullable(),
    overrideReason: p.text().strictNullable(),
    overrideUntil: p.datetime(3).strictNullable(),
    overrideBy: p.uuid().$type<UserId>().strictNullable(),
  },
});
export type CustomerRiskChange = InferEntity<typeof CustomerRiskChange>;
