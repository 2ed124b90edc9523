/** An account's status and flags: the application cannot write them, these functions decide under the lock that postings take. */
import { ACCOUNT_STATUSES, SETTABLE_STATUSES } from '../../domain/accounts/accounts.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { boolean, id, oneOf, text, type RowOf } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf, selectList } from '../rows/table-columns.ts';
import { AccountAmlFlag } from '../schema/accounts.ts';

const account = id<AccountId>();
const person = id<UserId>();
/** Null if there is no such account; so is a flag's id. */
const statusOrNull = oneOf(ACCOUNT_STATUSES).nullable();
const flagId = columnsOf(AccountAmlFlag, 'id').id.nullable();

/** Sets the status and tells the one before, or why not. */
export const setAccountStatus = statement({
  name: 'setAccountStatus',
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

/** Raises a flag, or freezes under the open one; `raiser` null is a rule. Tells why not if it does not. */
export const raiseFlag = statement({
  name: 'raiseFlag',
  takes: { account, raiser: person.nullable(), reason: text(), freeze: boolean() },
  gives: {
    id: flagId,
    before: statusOrNull,
    refusal: oneOf(['not_found', 'account_closed', 'account_flagged']).nullable(),
  },
  sql: 'select flag_id as id, before, refusal from account_flag($account, $raiser, $reason, $freeze)',
});

/** Clears the open flag; a frozen account is again what it was. Tells why not if it does not. */
export const clearFlag = statement({
  name: 'clearFlag',
  takes: { account, by: person, reason: text() },
  gives: {
    id: flagId,
    before: statusOrNull,
    after: statusOrNull,
    refusal: oneOf(['not_found', 'account_not_flagged', 'same_person']).nullable(),
  },
  sql: 'select flag_id as id, before, after, refusal from account_clear_flag($account, $by, $reason)',
});

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
