/** Opening accounts: the application's role cannot insert one, the function `open_account` does. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { ibanOf, type IbanIssuer } from '../../domain/standards/iban.ts';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
import { id, minor, oneOf, text } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf } from '../rows/table-columns.ts';
import { Account, Asset } from '../schema/accounts.ts';

/** An account to be. */
export interface Opening {
  readonly id: AccountId;
  readonly owner: UserId;
  readonly type: AccountTypeId;
  readonly nickname: string | null;
}

const drawnNumber = statement({
  name: 'drawnNumber',
  takes: { type: id<AccountTypeId>() },
  gives: { number: text(), ...columnsOf(Asset, 'kind') },
  sql: `
    select next_account_number() as number, s.kind from account_types t join assets s on s.code = t.asset
     where t.id = $type`,
});

const insertAccount = statement({
  name: 'insertAccount',
  takes: {
    ...columnsOf(Account, 'id', 'nickname', 'iban'),
    owner: id<UserId>(),
    type: id<AccountTypeId>(),
    number: text(),
  },
  gives: {},
  sql: 'select from open_account($id, $owner, $type, $nickname, $number, $iban)',
});

/**
 * Opens a customer's account with a number and, if it keeps a currency, an IBAN; once per id. Nothing happens where
 * the type is not enabled. Numbers of an opening that is repeated or undone are skipped, never used again.
 */
export async function openAccount(db: EntityManager, account: Opening, issuer: IbanIssuer): Promise<void> {
  const drawn = await drawnNumber.first(db, account);
  if (drawn === undefined) return;
  const { number, kind } = drawn;
  const iban = kind === 'fiat' ? ibanOf(issuer, number) : null;
  await insertAccount.run(db, { ...account, number, iban });
}

/**
 * Gives one account limits of its own, or tells why not: overdraft_in_use if it is below zero by more than the new limit. A balance
 * above the new maximum may stay; credits are refused.
 */
export const setAccountLimits = statement({
  name: 'setAccountLimits',
  takes: { account: id<AccountId>(), limit: minor(), max: minor().nullable() },
  gives: { refusal: oneOf(['not_found', 'account_closed', 'overdraft_in_use']).nullable() },
  sql: 'select refusal from account_set_limits($account, $limit, $max)',
});
