/** Opening an account: for oneself, or for somebody else. */
import { issuerOf, type Config } from '../../config.ts';
import { openAccount, type Opening } from '../../db/ledger/accounts.ts';
import { openingTerms } from '../../db/queries/accounts/account-opening.ts';
import { accountById, type AccountRow } from '../../db/queries/accounts/accounts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { refusalToOpen } from '../../domain/accounts/accounts.ts';
import type { Call } from '../callers.ts';

/** Opens the account if the terms of its type are met, once per id, with its entry in the audit log. */
export async function openFor(
  { db, actor, refusal }: Call<'account_type_unavailable' | 'kyc_required'>,
  opening: Opening,
  by: 'customer' | 'admin',
  config: Config,
): Promise<AccountRow> {
  const refused = refusalToOpen(await openingTerms.first(db, opening), by);
  if (refused !== undefined) throw refusal(refused.code, { members: refused.members ?? {} });
  await openAccount(db, opening, issuerOf(config));
  const account = await accountById.first(db, opening);
  // switched off at this moment
  if (account === undefined) throw refusal('account_type_unavailable');
  await record(db, actor, {
    action: 'account.opened',
    subject: ['account', opening.id],
    after: { owner_id: opening.owner, account_type_id: opening.type },
  });
  return account;
}
