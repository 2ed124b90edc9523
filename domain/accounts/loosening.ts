/** Which changes of accounts and of their types make the bank less careful. */
import { isRaised } from '../limits-raised.ts';
import type { AccountLimits, OpenableBy } from './accounts.ts';

/** True if an account could go further below zero, keep less or hold more than before. */
export function loosensLimits(before: AccountLimits, after: AccountLimits): boolean {
  return (
    after.overdraftLimit > before.overdraftLimit ||
    after.minBalance < before.minBalance ||
    isRaised(before.maxBalance, after.maxBalance)
  );
}

/** What of an account type decides who gets which account. */
export interface TypeTerms extends AccountLimits {
  readonly enabled: boolean;
  readonly openableBy: OpenableBy;
  readonly kycLevelRequired: number;
}

/** True if more people could open such an account, if fewer of them are reviewed or identified, or if it allows more. */
export function loosensType(before: TypeTerms | null, after: TypeTerms | null): boolean {
  // nobody can open an account of a type that is gone or disabled
  if (after === null || !after.enabled) return false;
  if (before === null || !before.enabled) return true;
  return (
    (before.openableBy === 'request' && after.openableBy === 'customer') ||
    after.kycLevelRequired < before.kycLevelRequired ||
    loosensLimits(before, after)
  );
}
