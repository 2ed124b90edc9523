/** An account's status and flags: the application cannot write them, these functions decide under the lock that postings take. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  ACCOUNT_STATUSES,
  SETTABLE_STATUSES,
  type AccountStatus,
  type SettableStatus,
} from '../../domain/accounts/accounts.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { boolean, id, oneOf, text, type RowOf } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf, selectList } from '../rows/table-columns.ts';
import { AccountAmlFlag } from '../schema/accounts.ts';

const account = id<AccountId>();
const person = id<UserId>();
/** Null if there is no such account; so is a flag's id. */
const statusOrNull = oneOf(ACCOUNT_STATUSES).nullable();
const flagId = columnsOf(AccountAmlFlag, 'id').id.nullable();

const statusVerdict = statement({
  name: 'statusVerdict',
  takes: { account, wanted: oneOf(SETTABLE_STATUSES) },
  gives: {
    before: statusOrNull,
    refusal: oneOf([
      'not_found',
      'account_closed',
      'account_frozen',
      'account_flagged',
      'account_not_empty',
    ]).nullable(),
  },
  sql: 'select before, refusal from account_set_status($account, $wanted)',
});

/**
 * Sets the status and returns the one before. Throws not_found, account_closed, account_frozen, and to closing account_flagged
 * and account_not_empty.
 */
export async function setAccountStatus(
  db: EntityManager,
  account: AccountId,
  wanted: SettableStatus,
): Promise<AccountStatus> {
  const { before, refusal } = await statusVerdict.one(db, { account, wanted });
  if (refusal !== null || before === null) throw new Refusal(refusal ?? 'not_found');
  return before;
}

const flagVerdict = statement({
  name: 'flagVerdict',
  takes: { account, raiser: person.nullable(), reason: text(), freeze: boolean() },
  gives: {
    id: flagId,
    before: statusOrNull,
    refusal: oneOf(['not_found', 'account_closed', 'account_flagged']).nullable(),
  },
  sql: 'select flag_id as id, before, refusal from account_flag($account, $raiser, $reason, $freeze)',
});

/** Raises a flag, or freezes under the open one. `raiser` null is a rule. Throws not_found, account_closed, account_flagged. */
export async function raiseFlag(
  db: EntityManager,
  account: AccountId,
  flag: { readonly raiser: UserId | null; readonly reason: string; readonly freeze: boolean },
): Promise<{ readonly id: string; readonly before: AccountStatus }> {
  const { id, before, refusal } = await flagVerdict.one(db, { account, ...flag });
  if (refusal !== null || id === null || before === null) throw new Refusal(refusal ?? 'not_found');
  return { id, before };
}

const clearVerdict = statement({
  name: 'clearVerdict',
  takes: { account, by: person, reason: text() },
  gives: {
    id: flagId,
    before: statusOrNull,
    after: statusOrNull,
    refusal: oneOf(['not_found', 'account_not_flagged', 'same_person']).nullable(),
  },
  sql: 'select flag_id as id, before, after, refusal from account_clear_flag($account, $by, $reason)',
});

/** Clears the open flag; a frozen account is again what it was. Throws not_found, account_not_flagged, same_person. */
export async function clearFlag(
  db: EntityManager,
  account: AccountId,
  clearing: { readonly by: UserId; readonly reason: string },
): Promise<{ readonly id: string; readonly before: AccountStatus; readonly after: AccountStatus }> {
  const { id, before, after, refusal } = await clearVerdict.one(db, { account, ...clearing });
  if (refusal !== null || id === null || before === null || after === null)
    throw new Refusal(refusal ?? 'not_found');
  return { id, before, after };
}

const flag = {
  ...columnsOf(AccountAmlFlag, 'id', 'raisedBy', 'reason', 'frozen', 'frozenBy', 'raisedAt'),
  ...columnsOf(AccountAmlFlag, 'clearedBy', 'clearReason', 'clearedAt'),
};
/** A flag of the money-laundering watch; a rule has raised it if `raisedBy` is null. At most one of an account is open. */
export type AmlFlagRow = RowOf<typeof flag>;

const FLAG = `select ${selectList(flag, 'f')} from account_aml_flags f`;

/** The open flag of an account. */
export const openFlag = statement({
  name: 'openFlag',
  takes: columnsOf(AccountAmlFlag, 'accountId'),
  gives: flag,
  sql: `${FLAG} where f.account_id = $accountId and f.cleared_at is null`,
});

/** The newest flag of an account, open or cleared. */
export const lastFlag = statement({
  name: 'lastFlag',
  takes: columnsOf(AccountAmlFlag, 'accountId'),
  gives: flag,
  sql: `${FLAG} where f.account_id = $accountId order by f.id desc limit 1`,
});
