/** Opening accounts: the application's role cannot insert one, the function `open_account` does. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountLimits } from '../../domain/accounts.ts';
import { currencyScales } from '../../domain/currencies.ts';
import { ibanOf, type IbanIssuer } from '../../domain/iban.ts';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
import { Refusal, type RefusalCode } from '../../domain/refusals.ts';
import { row, rows } from '../sql.ts';

/** An account to be. */
export interface Opening {
  readonly id: AccountId;
  readonly owner: UserId;
  readonly type: AccountTypeId;
  readonly nickname: string | null;
}

/**
 * Opens a customer's account with a number and, where it keeps a currency of ISO 4217, an IBAN; once per id. Nothing happens where
 * the type is not enabled. Numbers of an opening that is repeated or undone are skipped, never used again.
 */
export async function openAccount(em: EntityManager, account: Opening, issuer: IbanIssuer): Promise<void> {
  const drawn = await row<{ number: string; asset: string }>(
    em,
    'select next_account_number() as number, asset from account_types where id = $1',
    [account.type],
  );
  if (drawn === undefined) return;
  const iban = currencyScales.has(drawn.asset) ? ibanOf(issuer, drawn.number) : null;
  await rows(em, 'select open_account($1, $2, $3, $4, $5, $6)', [
    account.id,
    account.owner,
    account.type,
    account.nickname,
    drawn.number,
    iban,
  ]);
}

/**
 * Gives one account limits of its own and answers those before. Throws account_closed, and overdraft_in_use where it is below zero
 * by more than the new limit. A balance above the new maximum may stay; credits are refused.
 */
export async function setAccountLimits(
  em: EntityManager,
  account: AccountId,
  limits: AccountLimits,
): Promise<{ readonly limit: bigint; readonly max: bigint | null }> {
  const verdict = await row<{ limit: string; max: string | null; refusal: RefusalCode | null }>(
    em,
    'select before_limit as limit, before_max as max, refusal from account_set_limits($1, $2, $3)',
    [account, limits.overdraftLimit - limits.minBalance, limits.maxBalance],
  );
  if (verdict === undefined) throw new Error('the database gave no verdict');
  if (verdict.refusal !== null) throw new Refusal(verdict.refusal);
  return { limit: BigInt(verdict.limit), max: verdict.max === null ? null : BigInt(verdict.max) };
}
