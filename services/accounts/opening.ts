/** Opening an account: for oneself, or for somebody else. */
import { issuerOf, type Config } from '../../config.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { openAccount, type Opening } from '../../db/ledger/accounts.ts';
import { openingTerms } from '../../db/queries/accounts/account-opening.ts';
import { refusalToOpen } from '../../domain/accounts/accounts.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';

/**
 * Opens the account where its type's terms are met, once per id, with its line in the audit log.
 * Refuses: not_found, account_type_unavailable, kyc_level_too_low.
 */
export async function openFor(
  opening: Opening,
  by: 'customer' | 'admin',
  { caller, db, requestId, client }: Call,
  config: Config,
): Promise<void> {
  const refused = refusalToOpen(await openingTerms.first(db, opening), by);
  if (refused !== undefined) throw new Refusal(refused.code, { members: refused.members ?? {} });
  await openAccount(db, opening, issuerOf(config));
  await record(db, {
    actorId: caller.id,
    actorRole: by,
    action: 'account.opened',
    subjectType: 'account',
    subjectId: opening.id,
    after: { owner_id: opening.owner, account_type_id: opening.type },
    requestId,
    address: client.address,
  });
}
