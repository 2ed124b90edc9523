/** What things cost, and exchange rates. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  accountFeePurposes,
  accountFeeStatuses,
  tierModes,
  type StoredFeeTier,
} from '../../domain/pricing/fees.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import type {
  AccountFeeId,
  AccountId,
  AccountTypeId,
  CardId,
  CardProductId,
  FeeRuleId,
  FxRateId,
  UserId,
} from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** What a fee may be for; a flat one is of no amount of which it could be a share. */
export const FeePurpose = defineEntity({
  name: 'FeePurpose',
  tableName: 'fee_purposes',
  properties: { code: p.text().primary(), isFlat: p.boolean() },
});
export type FeePurpose = InferEntity<typeof FeePurpose>;

/** The part of a fee rule that never changes; the rest is in its versions. */
export const FeeRule = defineEntity({
  name: 'FeeRule',
  tableName: 'fee_rules',
  properties: {
    id: p.uuid().$type<FeeRuleId>().primary(),
    code: p.text(),
    purpose: p.text(),
    asset: p.text().$type<CurrencyCode>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type FeeRule = InferEntity<typeof FeeRule>;

/** What a fee rule says from `validFrom` on. Fixed amounts are minor units, rates are basis points. */
export const FeeRuleVersion = defineEntity({
  name: 'FeeRuleVersion',
  tableName: 'fee_rule_versions',
  properties: {
    ruleId: p.uuid().$type<FeeRuleId>().primary(),
    version: p.integer().primary(),
    previous: p.integer().generated('NULLIF((version - 1), 0)').strictNullable(),
    purpose: p.text(),
    asset: p.text().$type<CurrencyCode>(),
    description: p.text(),
    enabled: p.boolean(),
    transferType: p.text().strictNullable(),
    accountTypeId: p.uuid().$type<AccountTypeId>().strictNullable(),
    cardProductId: p.uuid().$type<CardProductId>().strictNullable(),
    priority: p.integer(),
    flat: p.type(Minor),
    rateBps: p.decimal('string').precision(11).scale(6),
    minimum: p.type(Minor).strictNullable(),
    maximum: p.type(Minor).strictNullable(),
    tierMode: p.enum(tierModes),
    tiers: p.json().$type<readonly StoredFeeTier[]>().defaultRaw(`'[]'::jsonb`),
    validFrom: p.datetime(3),
    validTo: p.datetime(3).strictNullable(),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type FeeRuleVersion = InferEntity<typeof FeeRuleVersion>;

/** A fee of one account, in minor units, and whether it has been charged: of a month, or of a card that was issued in it. */
export const AccountFee = defineEntity({
  name: 'AccountFee',
  tableName: 'account_fees',
  properties: {
    id: p.uuid().$type<AccountFeeId>().primary(),
    accountId: p.uuid().$type<AccountId>(),
    month: p.date(),
    purpose: p.enum(accountFeePurposes).default('monthly'),
    cardId: p.uuid().$type<CardId>().strictNullable(),
    ruleId: p.uuid().$type<FeeRuleId>(),
    ruleVersion: p.integer(),
    asset: p.text(),
    amount: p.type(Minor),
    description: p.text(),
    status: p.enum(accountFeeStatuses).default('due'),
    refusal: p.text().strictNullable(),
    attempts: p.integer().default(0),
    transactionId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    triedAt: p.datetime(3).strictNullable(),
  },
});
export type AccountFee = InferEntity<typeof AccountFee>;

/** A month whose account fees have been made. */
export const AccountFeeMonth = defineEntity({
  name: 'AccountFeeMonth',
  tableName: 'account_fee_months',
  properties: {
    month: p.date().primary(),
    beganAt: p.datetime(3).defaultRaw('bank_now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type AccountFeeMonth = InferEntity<typeof AccountFeeMonth>;

/** The one row of settings for exchange rates. */
export const FxSettings = defineEntity({
  name: 'FxSettings',
  tableName: 'fx_settings',
  properties: {
    onlyRow: p.boolean().primary().default(true),
    baseAsset: p.text().$type<CurrencyCode>(),
    staleSeconds: p.integer(),
  },
});
export type FxSettings = InferEntity<typeof FxSettings>;

/** One unit of `base` is `rate` units of `quote`, to 18 significant digits. The newest by `validFrom` counts. */
export const FxRate = defineEntity({
  name: 'FxRate',
  tableName: 'fx_rates',
  properties: {
    id: p.uuid().$type<FxRateId>().primary(),
    base: p.text().$type<CurrencyCode>(),
    quote: p.text().$type<CurrencyCode>(),
    rate: p.decimal('string').columnType('numeric'),
    spreadBps: p.decimal('string').precision(8).scale(4),
    validFrom: p.datetime(3),
    validUntil: p.datetime(3).strictNullable(),
    source: p.text(),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type FxRate = InferEntity<typeof FxRate>;
