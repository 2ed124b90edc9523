/** Monthly fees of accounts. They are booked by functions of the books' owner, a batch a transaction. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountFeeId, AccountId, FeeRuleId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** How far a batch came, and what became of it. */
export interface ChargedBatch {
  /** The last one looked at; null where there are no more. */
  readonly last: string | null;
  readonly charged: number;
  readonly refused: number;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** The month of now (UTC, its first day) where it is still to be charged; null where it is done. */
export async function openFeeMonth(em: EntityManager): Promise<string | null> {
  await rows(
    em,
    `insert into account_fee_months (month) values (date_trunc('month', now() at time zone 'UTC')::date) on conflict (month) do nothing`,
  );
  const open = await row<{ month: string }>(
    em,
    `select to_char(month, 'YYYY-MM-DD') as month from account_fee_months
      where month = date_trunc('month', now() at time zone 'UTC')::date and finished_at is null`,
  );
  return open?.month ?? null;
}

export async function closeFeeMonth(em: EntityManager, month: string): Promise<void> {
  await rows(
    em,
    'update account_fee_months set finished_at = now() where month = $1 and finished_at is null',
    [month],
  );
}

/** Charges the fee of a month to the next accounts by id. Repeated, it charges nobody twice. */
export function chargeFeeMonth(
  em: EntityManager,
  month: string,
  after: string | null,
  most: number,
): Promise<ChargedBatch> {
  return batch(em, 'select last, charged, refused from charge_account_fees($1, $2, $3)', [
    month,
    after ?? FIRST,
    most,
  ]);
}

/** Tries the next fees by id that the books have refused. */
export function chargeRefusedFees(
  em: EntityManager,
  after: string | null,
  most: number,
): Promise<ChargedBatch> {
  return batch(em, 'select last, charged, refused from charge_refused_account_fees($1, $2)', [
    after ?? FIRST,
    most,
  ]);
}

async function batch(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<ChargedBatch> {
  const done = await row<ChargedBatch>(em, statement, parameters);
  if (done === undefined) throw new Error('a function answers one row');
  return done;
}

export const accountFeeStatuses = ['due', 'charged', 'refused', 'waived'] as const;
export type AccountFeeStatus = (typeof accountFeeStatuses)[number];

/** The fee of one account for one month; minor units as text. */
export interface AccountFeeRow {
  readonly id: AccountFeeId;
  readonly account_id: AccountId;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly rule_id: FeeRuleId;
  readonly rule_version: number;
  readonly asset: string;
  readonly amount: string;
  readonly status: AccountFeeStatus;
  /** Why the books refused it last. */
  readonly refusal: string | null;
  readonly attempts: number;
  readonly transaction_id: string | null;
  readonly created_at: Date;
  readonly tried_at: Date | null;
}

/** Where a page of fees begins: below this month and account. */
export interface AccountFeeKey {
  readonly month: string;
  readonly account: AccountId;
}

/** A page of fees, the newest month first and in it by account, from below `before`. */
export function accountFees(
  em: EntityManager,
  filter: { readonly status?: AccountFeeStatus | undefined; readonly account?: AccountId | undefined },
  before: AccountFeeKey | null,
  most: number,
): Promise<AccountFeeRow[]> {
  return rows(
    em,
    `select f.id, f.account_id, to_char(f.month, 'YYYY-MM') as month, f.rule_id, f.rule_version, f.asset, f.amount, f.status, f.refusal, f.attempts,
            f.transaction_id, f.created_at, f.tried_at
       from account_fees f
      where (f.month, f.account_id) < ($1::date, $2::uuid) and ($3::text is null or f.status = $3) and ($4::uuid is null or f.account_id = $4)
      order by f.month desc, f.account_id desc limit $5`,
    [
      before === null ? '9999-12-01' : `${before.month}-01`,
      before?.account ?? FIRST,
      filter.status ?? null,
      filter.account ?? null,
      most,
    ],
  );
}
