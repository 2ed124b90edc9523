/** An account's status and flags: the application cannot write them, these functions decide under the lock that postings take. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountStatus, SettableStatus } from '../../domain/accounts.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { Refusal, type RefusalCode } from '../../domain/refusals.ts';
import { row } from '../sql.ts';

/** A flag of the money-laundering watch. At most one of an account is open. */
export interface AmlFlagRow {
  readonly id: string;
  /** Null where a rule raised it. */
  readonly raised_by: UserId | null;
  readonly reason: string;
  readonly frozen: boolean;
  readonly frozen_by: UserId | null;
  readonly raised_at: Date;
  readonly cleared_by: UserId | null;
  readonly clear_reason: string | null;
  readonly cleared_at: Date | null;
}

interface Verdict {
  readonly before: AccountStatus;
  readonly refusal: RefusalCode | null;
}

/**
 * Sets the status and answers the one before. Throws account_closed, account_frozen, and to closing account_flagged and
 * account_not_empty.
 */
export async function setAccountStatus(
  em: EntityManager,
  account: AccountId,
  wanted: SettableStatus,
): Promise<AccountStatus> {
  const verdict = await row<Verdict>(em, 'select before, refusal from account_set_status($1, $2)', [
    account,
    wanted,
  ]);
  return accepted(verdict).before;
}

/** Raises a flag, or freezes under the open one. `raiser` null is a rule. Throws account_closed, account_flagged. */
export async function raiseFlag(
  em: EntityManager,
  account: AccountId,
  flag: { readonly raiser: UserId | null; readonly reason: string; readonly freeze: boolean },
): Promise<{ readonly id: string; readonly before: AccountStatus }> {
  const verdict = await row<Verdict & { id: string }>(
    em,
    'select flag_id as id, before, refusal from account_flag($1, $2, $3, $4)',
    [account, flag.raiser, flag.reason, flag.freeze],
  );
  return accepted(verdict);
}

/** Clears the open flag; a frozen account is again what it was. Throws account_not_flagged, same_person. */
export async function clearFlag(
  em: EntityManager,
  account: AccountId,
  clearing: { readonly by: UserId; readonly reason: string },
): Promise<{ readonly id: string; readonly before: AccountStatus; readonly after: AccountStatus }> {
  const verdict = await row<Verdict & { id: string; after: AccountStatus }>(
    em,
    'select flag_id as id, before, after, refusal from account_clear_flag($1, $2, $3)',
    [account, clearing.by, clearing.reason],
  );
  return accepted(verdict);
}

const FLAG = `
  select id, raised_by, reason, frozen, frozen_by, raised_at, cleared_by, clear_reason, cleared_at from account_aml_flags`;

/** The open flag of an account. */
export function openFlag(em: EntityManager, account: AccountId): Promise<AmlFlagRow | undefined> {
  return row(em, `${FLAG} where account_id = $1 and cleared_at is null`, [account]);
}

/** The newest flag of an account, open or cleared. */
export function lastFlag(em: EntityManager, account: AccountId): Promise<AmlFlagRow | undefined> {
  return row(em, `${FLAG} where account_id = $1 order by id desc limit 1`, [account]);
}

function accepted<V extends Verdict>(verdict: V | undefined): V {
  if (verdict === undefined) throw new Error('the database gave no verdict');
  if (verdict.refusal !== null) throw new Refusal(verdict.refusal);
  return verdict;
}
