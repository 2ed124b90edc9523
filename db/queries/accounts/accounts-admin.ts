/** Everybody's accounts, for the back office. */
import type { AccountStatus } from '../../../domain/accounts/accounts.ts';
import { AccountId, AccountTypeId, UserId } from '../../../domain/ids.ts';
import { heldStatuses } from '../../../domain/transfers/transfers.ts';
import { bigCount, boolean, minor, text, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo, type Bind } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { wordList } from '../../rows/words.ts';
import { Account } from '../../schema/accounts.ts';
import { User } from '../../schema/identity.ts';
import { Hold } from '../../schema/ledger.ts';
import { Transfer } from '../../schema/transfers.ts';
import { ACCOUNT_COLUMNS, account } from './accounts.ts';

const adminAccount = {
  ...account,
  ownerEmail: columnsOf(User, 'email').email,
  ownerName: text(),
  flagged: boolean(),
};
/** An account with its owner; `flagged` while a flag of the money-laundering watch is open. */
export type AdminAccountRow = RowOf<typeof adminAccount>;

const SELECT = `
  select ${ACCOUNT_COLUMNS}, u.email as owner_email, u.first_name || ' ' || u.last_name as owner_name,
         exists (select from account_aml_flags f where f.account_id = a.id and f.cleared_at is null) as flagged
    from accounts a join account_types t on t.id = a.account_type_id join users u on u.id = a.owner_id`;

/** What a list or a count is narrowed to; what is left out does not narrow. */
export interface AccountFilter {
  readonly owner?: UserId | undefined;
  readonly status?: AccountStatus | undefined;
  readonly type?: AccountTypeId | undefined;
  readonly asset?: string | undefined;
  readonly number?: string | undefined;
  readonly iban?: string | undefined;
  /** Below the limit because something had to be booked, or not. */
  readonly unarranged?: boolean | undefined;
}

function narrowed(filter: AccountFilter, bind: Bind): string {
  const { owner, status, type, asset, number, iban, unarranged } = filter;
  const conditions = {
    ...{ 'a.owner_id =': owner, 'a.status =': status, 'a.account_type_id =': type },
    ...{ 'a.asset =': asset, 'a.number =': number, 'a.iban =': iban },
  };
  const marked =
    unarranged === undefined ? '' : unarranged ? 'a.unarranged > 0 and ' : 'a.unarranged = 0 and ';
  return `a.kind = 'customer' and ${marked}${narrowedTo(conditions, bind)}`;
}

const NEWEST = AccountId.parse(LAST_ID);
const every: AccountFilter = {
  owner: UserId.parse(NEWEST),
  status: 'open',
  type: AccountTypeId.parse(NEWEST),
  asset: 'EUR',
  number: '100000000190',
  iban: 'DE02100100109307118603',
  unarranged: true,
};

/** A page of customers' accounts, newest first, from below `before`. */
export const allAccounts = composedStatement({
  name: 'allAccounts',
  gives: adminAccount,
  compose: (
    page: { readonly filter: AccountFilter; readonly before: AccountId | null; readonly most: number },
    bind,
  ) =>
    `${SELECT} where ${narrowed(page.filter, bind)} and a.id < ${bind(page.before ?? NEWEST)}
      order by a.id desc limit ${bind(page.most)}`,
  examples: [
    { filter: {}, before: null, most: 1 },
    { filter: { unarranged: false }, before: null, most: 1 },
    { filter: every, before: NEWEST, most: 1 },
  ],
});

/** How many customers' accounts there are, by status. */
export const countAccounts = composedStatement({
  name: 'countAccounts',
  gives: { ...columnsOf(Account, 'status'), count: bigCount() },
  compose: (filter: AccountFilter, bind) =>
    `select a.status, count(*) from accounts a where ${narrowed(filter, bind)} group by a.status`,
  examples: [{}, every],
});

/** One customer's account with its owner. */
export const adminAccountById = statement({
  name: 'adminAccountById',
  takes: columnsOf(Account, 'id'),
  gives: adminAccount,
  sql: `${SELECT} where a.id = $id`,
});

/** Holds an account as postings do, until the transaction ends. */
export const lockAccount = statement({
  name: 'lockAccount',
  takes: columnsOf(Account, 'id'),
  gives: {},
  sql: 'select from accounts where id = $id for no key update',
});

const waiting = columnsOf(Hold, 'id', 'sourceType', 'sourceId', 'createdAt', 'expiresAt');
const hold = { ...waiting, rest: minor() };
/** Money that waits on an account: what is left of a hold. */
export type OpenHoldRow = RowOf<typeof hold>;

/** The open holds of an account, oldest first. */
export const openHolds = statement({
  name: 'openHolds',
  takes: { account: account.id, most: bigCount() },
  gives: hold,
  sql: `
    select ${selectList(waiting, 'h')}, h.amount - h.captured as rest from holds h where h.account_id = $account and h.status = 'open'
     order by h.created_at limit $most`,
});

/** Transfers and adjustments that would take money from this account and wait for something; of one status if it is given. */
export const waitingTransfers = statement({
  name: 'waitingTransfers',
  takes: { account: account.id },
  gives: columnsOf(Transfer, 'id', 'kind'),
  sql: `
    select id, kind from transfers
     where source_account_id = $account and status in ${wordList(heldStatuses)}
     order by id`,
});
