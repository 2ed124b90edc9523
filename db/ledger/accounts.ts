/** Opening accounts: the application's role cannot insert one, the function `open_account` does. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { currencyScales } from '../../domain/currencies.ts';
import { ibanOf, type IbanIssuer } from '../../domain/iban.ts';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
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
