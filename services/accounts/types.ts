/** The account types that the bank offers. A change is not retroactive: accounts keep what they were opened with. */
import {
  ForeignKeyConstraintViolationException,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import type { AuditState } from '../../db/schema/platform.ts';
import { AccountType } from '../../db/schema/accounts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { OpenableBy } from '../../domain/accounts/accounts.ts';
import { loosensType } from '../../domain/accounts/loosening.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import { AccountTypeId, type FeeRuleId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { now } from '../../domain/time/now.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';
import { limitsTold, limitsWith, type WantedLimits } from './limits.ts';

/** What may change later; a field that is left out stays. */
export interface TypeChange extends WantedLimits {
  readonly name?: string;
  readonly openableBy?: OpenableBy;
  readonly kycLevelRequired?: number;
  readonly monthlyFeeRuleId?: FeeRuleId | null;
  readonly enabled?: boolean;
}
interface NewType extends TypeChange {
  readonly code: string;
  readonly currency: CurrencyCode;
  readonly name: string;
  readonly openableBy: OpenableBy;
}

const NO_LIMITS = { minBalance: 0n, maxBalance: null, overdraftLimit: 0n };

/** A type that lets more people have an account, or allows more on it, waits for a second administrator. */
export const typeFourEyes = fourEyes({
  resource: (at: Place<{ readonly id: AccountTypeId } | undefined>) => ['account_type', typeAt(at)],
  state: (db, at) => db.findOne(AccountType, typeAt(at)),
  loosens: loosensType,
  shown: told,
});

function typeAt({ params, newId }: Place<{ readonly id: AccountTypeId } | undefined>): AccountTypeId {
  return params?.id ?? AccountTypeId.parse(newId);
}

export async function createType(
  call: Call<'conflict'>,
  id: AccountTypeId,
  { code, currency: asset, ...terms }: NewType,
): Promise<AccountType> {
  const createdAt = now();
  const type = call.db.create(AccountType, {
    ...{ kycLevelRequired: 0, monthlyFeeRuleId: null, enabled: true },
    ...terms,
    ...limitsWith(NO_LIMITS, terms, asset),
    // last, because a body may name an id and times, which are ignored
    ...{ id, code, asset, createdAt, updatedAt: createdAt },
  });
  try {
    await storeType(call);
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw call.refusal('conflict', { detail: 'The code is taken by another account type.' });
  }
  await recordType(call, 'created', id, undefined, told(type));
  return type;
}

export async function updateType(call: Call, id: AccountTypeId, change: TypeChange): Promise<AccountType> {
  const type = found(await call.db.findOne(AccountType, id));
  const before = told(type);
  call.db.assign(type, { ...change, ...limitsWith(type, change, type.asset), updatedAt: now() });
  await storeType(call);
  await recordType(call, 'updated', id, before, told(type));
  return type;
}

/** Deletes a type that nothing refers to. */
export async function deleteType(call: Call<'in_use'>, id: AccountTypeId): Promise<void> {
  const before = told(found(await call.db.findOne(AccountType, id)));
  try {
    await call.db.nativeDelete(AccountType, { id });
  } catch (error) {
    // the database knows every table that refers to it, also those of later days
    throw error instanceof ForeignKeyConstraintViolationException ? call.refusal('in_use') : error;
  }
  await recordType(call, 'deleted', id, before, undefined);
}

async function storeType({ db }: Call): Promise<void> {
  try {
    await db.flush();
  } catch (error) {
    if (!(error instanceof ForeignKeyConstraintViolationException)) throw error;
    throw faultIn('/monthly_fee_rule_id', 'unknown', 'there is no such fee rule');
  }
}

function recordType(
  { db, actor }: Call,
  verb: 'created' | 'updated' | 'deleted',
  id: AccountTypeId,
  before: AuditState | undefined,
  after: AuditState | undefined,
): Promise<void> {
  return record(db, actor, { action: `account_type.${verb}`, subject: ['account_type', id], before, after });
}

/** A type as the audit log keeps it. */
function told(type: AccountType): AuditState {
  return {
    code: type.code,
    name: type.name,
    openable_by: type.openableBy,
    ...limitsTold(type, type.asset),
    kyc_level_required: type.kycLevelRequired,
    monthly_fee_rule_id: type.monthlyFeeRuleId,
    enabled: type.enabled,
  };
}
