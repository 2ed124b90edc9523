/** What its owner calls an account. */
import { accountOf, setNickname, type AccountRow } from '../../db/queries/accounts/accounts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import type { AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';

/** Gives the caller's account another nickname; null takes it away. */
export async function renameAccount(
  { db, actor, refusal }: OwnCall<'account_closed'>,
  id: AccountId,
  nickname: string | null,
): Promise<AccountRow> {
  const account = found(await accountOf.first(db, { id, owner: actor.id }));
  if (account.status === 'closed') throw refusal('account_closed');
  await setNickname.run(db, { id, nickname });
  await record(db, actor, {
    action: 'account.renamed',
    subject: ['account', id],
    before: { nickname: account.nickname },
    after: { nickname },
  });
  return { ...account, nickname };
}
