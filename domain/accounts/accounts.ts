/** What accounts and their types can be; the words that tables, processes and wire share. */
/** `blocked`: no debits; `frozen`: no movement, while a flag is reviewed; `closed`: for ever, with nothing in it. */
export const ACCOUNT_STATUSES = ['open', 'blocked', 'frozen', 'closed'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** What its owner is told: a frozen account looks blocked, because nobody may learn from us that they are under review. */
export const SHOWN_STATUSES = ['open', 'blocked', 'closed'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

export function shownStatus(status: AccountStatus): ShownStatus {
  return status === 'frozen' ? 'blocked' : status;
}

/** What an administrator may set; `frozen` comes and goes with a flag. */
export const SETTABLE_STATUSES = ['open', 'blocked', 'closed'] as const;
export type SettableStatus = (typeof SETTABLE_STATUSES)[number];

/** `customer`: at once, by oneself; `request`: after a review. */
export const OPENABLE_BY = ['customer', 'request'] as const;
export type OpenableBy = (typeof OPENABLE_BY)[number];

/** What a customer has proven: 0 nothing, 1 the basics, 2 everything. */
export const MOST_KYC_LEVEL = 2;

/** Where an identity check begins. */
export const KYC_DRAFT = '/v1/kyc/draft';

/** The limits of an account type, in minor units of its asset. */
export interface AccountLimits {
  /** What must stay on an account once it is there. */
  readonly minBalance: bigint;
  /** Credits that would go above it are refused; null is no limit. */
  readonly maxBalance: bigint | null;
  readonly overdraftLimit: bigint;
}

/** The field at fault and why; undefined where the limits fit each other. */
export function faultOfLimits(
  limits: AccountLimits,
): { field: 'min_balance' | 'max_balance' | 'overdraft_limit'; detail: string } | undefined {
  const { minBalance, maxBalance, overdraftLimit } = limits;
  if (minBalance < 0n) return { field: 'min_balance', detail: 'must not be negative' };
  if (overdraftLimit < 0n) return { field: 'overdraft_limit', detail: 'must not be negative' };
  if (minBalance > 0n && overdraftLimit > 0n)
    return { field: 'overdraft_limit', detail: 'must be zero where a balance is to be kept' };
  if (maxBalance !== null && maxBalance <= minBalance)
    return { field: 'max_balance', detail: 'must be above zero and above the balance to be kept' };
  return undefined;
}

/**
 * An account keeps both its limits below in one number: how far under zero it may go, or, below zero, what must stay on it. So
 * `posted - held + limit` is everywhere what can be spent. Answers the two again.
 */
export function limitsOfAccount(account: {
  readonly overdraftLimit: bigint;
  readonly maxBalance: bigint | null;
}): AccountLimits {
  const { overdraftLimit: limit, maxBalance } = account;
  return { minBalance: limit < 0n ? -limit : 0n, maxBalance, overdraftLimit: limit > 0n ? limit : 0n };
}

/** What decides whether an account of a type may be opened for a customer. */
export interface OpeningTerms {
  readonly enabled: boolean;
  readonly openableBy: OpenableBy;
  readonly kycLevelRequired: number;
  readonly kycLevel: number;
}

/**
 * Why an account may not be opened; undefined where it may. `by`: the customer at once, a request of the customer or its approval,
 * or an administrator, who may open any type but for nobody who is not identified enough.
 */
export function refusalToOpen(
  terms: OpeningTerms | undefined,
  by: OpenableBy | 'admin',
):
  | {
      code: 'not_found' | 'account_type_unavailable' | 'kyc_required';
      members?: Readonly<Record<string, number | string>>;
    }
  | undefined {
  if (terms === undefined) return { code: 'not_found' };
  if (!terms.enabled || (by !== 'admin' && terms.openableBy !== by))
    return { code: 'account_type_unavailable' };
  const { kycLevel: level, kycLevelRequired: required } = terms;
  return level < required
    ? { code: 'kyc_required', members: { level, required, next: KYC_DRAFT } }
    : undefined;
}
