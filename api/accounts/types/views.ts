/** Account types as the wire shows them, and what a request says of their limits. */
import type { z } from 'zod';
import type { AccountType } from '../../../db/schema/accounts.ts';
import { faultOfLimits, type AccountLimits } from '../../../domain/accounts/accounts.ts';
import { formatMoney, type MoneyWire } from '../../../domain/money.ts';
import { faultIn } from '../../../domain/refusals.ts';
import { signedMinorIn } from '../../wire/amounts.ts';
import type * as wire from './schemas.ts';

export function accountTypeView(type: AccountType): z.input<typeof wire.AccountType> {
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: type.asset });
  return {
    id: type.id,
    code: type.code,
    currency: type.asset,
    name: type.name,
    openable_by: type.openableBy,
    min_balance: money(type.minBalance),
    max_balance: type.maxBalance == null ? null : money(type.maxBalance),
    overdraft_limit: money(type.overdraftLimit),
    kyc_level_required: type.kycLevelRequired,
    monthly_fee_rule_id: type.monthlyFeeRuleId ?? null,
    enabled: type.enabled,
    created_at: type.createdAt.toISOString(),
    updated_at: type.updatedAt.toISOString(),
  };
}

/** The limits of a request over those there are, in the type's currency. Refuses invalid_request with a pointer to the fault. */
export function limitsOf(
  wished: Pick<z.output<typeof wire.AccountTypeUpdate>, 'min_balance' | 'max_balance' | 'overdraft_limit'>,
  before: AccountLimits,
  asset: string,
): AccountLimits {
  const limits = {
    minBalance: read('min_balance', wished.min_balance, asset) ?? before.minBalance,
    maxBalance:
      wished.max_balance === undefined
        ? before.maxBalance
        : (read('max_balance', wished.max_balance, asset) ?? null),
    overdraftLimit: read('overdraft_limit', wished.overdraft_limit, asset) ?? before.overdraftLimit,
  };
  const fault = faultOfLimits(limits);
  if (fault !== undefined) throw faultIn(`/${fault.field}`, 'limits_conflict', fault.detail);
  return limits;
}

function read(field: string, wished: MoneyWire | null | undefined, asset: string): bigint | undefined {
  return wished == null ? undefined : signedMinorIn(asset, `/${field}`, wished);
}
