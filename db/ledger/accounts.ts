/** Opening accounts: the application's role cannot insert one, the function `open_account` does. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
import { rows } from '../sql.ts';

/** Opens a customer's account, once per id; nothing happens where the type is not enabled. */
export async function openAccount(
  em: EntityManager,
  account: { id: AccountId; owner: UserId; type: AccountTypeId; nickname: string | null },
): Promise<void> {
  await rows(em, 'select open_account($1, $2, $3, $4)', [
    account.id,
    account.owner,
    account.type,
    account.nickname,
  ]);
}
