import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ACCOUNT_STATUSES, OPENABLE_BY, type AccountStatus, type OpenableBy } from '../../domain/accounts.ts';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
import { Minor } from '../types/minor.ts';

/** What kind of account may be opened, by whom, in which asset. Limits are in minor units of the asset. */
export const AccountType = defineEntity({
  name: 'AccountType',
  tableName: 'account_types',
  properties: {
    id: p.uuid().primary().$type<AccountTypeId>(),
    code: p.text().unique(),
    name: p.text(),
    asset: p.text(),
    openableBy: p.enum(OPENABLE_BY).$type<OpenableBy>(),
    overdraftLimit: p.type(Minor).defaultRaw('0'),
    minBalance: p.type(Minor).defaultRaw('0'),
    maxBalance: p.type(Minor).nullable(),
    kycLevelRequired: p.smallint().default(0),
    monthlyFeeRuleId: p.uuid().nullable(),
    enabled: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type AccountType = InferEntity<typeof AccountType>;

/**
 * A customer's account or one of the bank's own. The balances are written by the posting functions only; the application's
 * role may change the nickname, and the status through functions. What can be spent is `posted - held + overdraftLimit`; the limit
 * is below zero where a balance must be kept.
 */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary().$type<AccountId>(),
    kind: p.enum(['customer', 'house']).$type<'customer' | 'house'>(),
    ownerId: p.uuid().$type<UserId>().nullable(),
    accountType: () => p.manyToOne(AccountType).nullable(),
    role: p.text().nullable(),
    shard: p.smallint().nullable(),
    number: p.text().unique().nullable(),
    iban: p.text().unique().nullable(),
    nickname: p.text().nullable(),
    asset: p.text(),
    status: p.enum(ACCOUNT_STATUSES).$type<AccountStatus>().default('open'),
    posted: p.type(Minor).defaultRaw('0'),
    held: p.type(Minor).defaultRaw('0'),
    overdraftLimit: p.type(Minor).defaultRaw('0'),
    maxBalance: p.type(Minor).nullable(),
    entrySeq: p.bigint().defaultRaw('0'),
    lastEntryAt: p.datetime(3),
    openedAt: p.datetime(3).defaultRaw('now()'),
    closedAt: p.datetime(3).nullable(),
  },
});
export type Account = InferEntity<typeof Account>;
