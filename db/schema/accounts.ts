/** Assets, accounts and what is asked of them. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ACCOUNT_REQUEST_STATUSES } from '../../domain/accounts/account-requests.ts';
import { ACCOUNT_STATUSES, OPENABLE_BY } from '../../domain/accounts/accounts.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import type { AccountId, AccountRequestId, AccountTypeId, FeeRuleId, UserId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** A currency or another thing that accounts hold. `scale` is the number of decimal places of its minor unit. */
export const Asset = defineEntity({
  name: 'Asset',
  tableName: 'assets',
  properties: {
    code: p.text().primary(),
    scale: p.smallint(),
    kind: p.enum(['fiat', 'crypto']),
  },
});
export type Asset = InferEntity<typeof Asset>;

/** What an account of the bank’s own is for. */
export const HouseRole = defineEntity({
  name: 'HouseRole',
  tableName: 'house_roles',
  properties: { code: p.text().primary() },
});
export type HouseRole = InferEntity<typeof HouseRole>;

/** A kind of account, by whom it may be opened, and its limits in minor units of the asset. */
export const AccountType = defineEntity({
  name: 'AccountType',
  tableName: 'account_types',
  properties: {
    id: p.uuid().$type<AccountTypeId>().primary().defaultRaw('uuidv7()'),
    code: p.text(),
    name: p.text(),
    asset: p.text().$type<CurrencyCode>(),
    openableBy: p.enum(OPENABLE_BY),
    overdraftLimit: p.type(Minor).defaultRaw('0'),
    maxBalance: p.type(Minor).strictNullable(),
    enabled: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
    minBalance: p.type(Minor).defaultRaw('0'),
    kycLevelRequired: p.smallint().default(0),
    monthlyFeeRuleId: p.uuid().$type<FeeRuleId>().strictNullable(),
    monthlyFeePurpose: p.text().generated(`'monthly'`).defaultRaw(`'monthly'`),
  },
});
export type AccountType = InferEntity<typeof AccountType>;

/**
 * A customer’s account, what a customer holds of a coin (`coin`), or one of the bank’s own. Amounts are minor units of the asset; only posting functions write them.
 * A negative `overdraftLimit` is a balance that must be kept; `unarranged` is how far the account is below its limit because something
 * had to be booked.
 */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().$type<AccountId>().primary().defaultRaw('uuidv7()'),
    kind: p.enum(['customer', 'coin', 'house']),
    ownerId: p.uuid().$type<UserId>().strictNullable(),
    accountTypeId: p.uuid().$type<AccountTypeId>().strictNullable(),
    role: p.text().strictNullable(),
    shard: p.smallint().strictNullable(),
    number: p.text().strictNullable(),
    nickname: p.text().strictNullable(),
    asset: p.text(),
    status: p.enum(ACCOUNT_STATUSES).default('open'),
    posted: p.type(Minor).defaultRaw('0'),
    held: p.type(Minor).defaultRaw('0'),
    overdraftLimit: p.type(Minor).defaultRaw('0'),
    maxBalance: p.type(Minor).strictNullable(),
    entrySeq: p.bigint().defaultRaw('0'),
    lastEntryAt: p.datetime(3).defaultRaw(`'-infinity'::timestamp with time zone`),
    openedAt: p.datetime(3).defaultRaw('bank_now()'),
    closedAt: p.datetime(3).strictNullable(),
    iban: p.text().strictNullable(),
    unarranged: p.type(Minor).defaultRaw('0'),
    unarrangedSince: p.datetime(3).strictNullable(),
  },
});
export type Account = InferEntity<typeof Account>;

/** A request for an account that an administrator reviews. */
export const AccountRequest = defineEntity({
  name: 'AccountRequest',
  tableName: 'account_requests',
  properties: {
    id: p.uuid().$type<AccountRequestId>().primary(),
    userId: p.uuid().$type<UserId>(),
    accountTypeId: p.uuid().$type<AccountTypeId>(),
    nickname: p.text().strictNullable(),
    status: p.enum(ACCOUNT_REQUEST_STATUSES).default('pending'),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    expiresAt: p.datetime(3),
    remindedAt: p.datetime(3).strictNullable(),
    reminders: p.integer().default(0),
    decidedBy: p.uuid().$type<UserId>().strictNullable(),
    decisionId: p.uuid().strictNullable(),
    decisionReason: p.text().strictNullable(),
    decidedAt: p.datetime(3).strictNullable(),
    accountId: p.uuid().$type<AccountId>().strictNullable(),
  },
});
export type AccountRequest = InferEntity<typeof AccountRequest>;

/** A suspicion of money laundering. While it is open, transfers of the account wait for a review. */
export const AccountAmlFlag = defineEntity({
  name: 'AccountAmlFlag',
  tableName: 'account_aml_flags',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    accountId: p.uuid().$type<AccountId>(),
    raisedBy: p.uuid().$type<UserId>().strictNullable(),
    reason: p.text(),
    frozen: p.boolean().default(false),
    frozenBy: p.uuid().$type<UserId>().strictNullable(),
    statusBefore: p.enum(['open', 'blocked']).strictNullable(),
    raisedAt: p.datetime(3).defaultRaw('bank_now()'),
    clearedBy: p.uuid().$type<UserId>().strictNullable(),
    clearReason: p.text().strictNullable(),
    clearedAt: p.datetime(3).strictNullable(),
  },
});
export type AccountAmlFlag = InferEntity<typeof AccountAmlFlag>;
