/** Everybody's accounts, for the back office. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountStatus } from '../../../domain/accounts.ts';
import type { AccountId, AccountTypeId, TransferId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';
import type { AccountRow } from './accounts.ts';

/** An account with its owner. */
export interface AdminAccountRow extends AccountRow {
  readonly owner_email: string;
  readonly owner_name: string;
  /** A flag of the money-laundering watch is open. */
  readonly flagged: boolean;
}

/** What a list or a count is narrowed to; what is left out does not narrow. */
export interface AccountFilter {
  readonly owner?: UserId | undefined;
  readonly status?: AccountStatus | undefined;
  readonly type?: AccountTypeId | undefined;
  readonly asset?: string | undefined;
  readonly number?: string | undefined;
  readonly iban?: string | undefined;
}

const COLUMNS: Readonly<Record<keyof AccountFilter, string>> = {
  owner: 'a.owner_id',
  status: 'a.status',
  type: 'a.account_type_id',
  asset: 'a.asset',
  number: 'a.number',
  iban: 'a.iban',
};

const SELECT = `
  select a.id, a.owner_id, a.number, a.iban, a.nickname, a.status, a.asset, a.posted, a.held, a.overdraft_limit, a.max_balance, a.opened_at, a.closed_at,
         t.id as type_id, t.code as type_code, t.name as type_name, u.email as owner_email, u.first_name || ' ' || u.last_name as owner_name,
         exists (select from account_aml_flags f where f.account_id = a.id and f.cleared_at is null) as flagged
    from accounts a join account_types t on t.id = a.account_type_id join users u on u.id = a.owner_id`;
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A page of customers' accounts, newest first, from below `before`. */
export function allAccounts(
  em: EntityManager,
  filter: AccountFilter,
  before: AccountId | null,
  most: number,
): Promise<AdminAccountRow[]> {
  const { where, values } = narrowed(filter);
  const place = values.length;
  return rows(
    em,
    `${SELECT} where ${where} and a.id < $${place + 1} order by a.id desc limit $${place + 2}`,
    [...values, before ?? NEWEST, most],
  );
}

/** How many customers' accounts there are, by status. */
export function countAccounts(
  em: EntityManager,
  filter: AccountFilter,
): Promise<{ status: AccountStatus; count: number }[]> {
  const { where, values } = narrowed(filter);
  return rows(
    em,
    `select a.status, count(*)::int as count from accounts a where ${where} group by a.status`,
    values,
  );
}

/** One customer's account with its owner. */
export function adminAccount(em: EntityManager, id: AccountId): Promise<AdminAccountRow | undefined> {
  return row(em, `${SELECT} where a.id = $1`, [id]);
}

/** Holds an account as postings do, until the transaction ends. */
export async function lockAccount(em: EntityManager, id: AccountId): Promise<void> {
  await rows(em, 'select 1 from accounts where id = $1 for no key update', [id]);
}

function narrowed(filter: AccountFilter): { where: string; values: string[] } {
  const names: (keyof AccountFilter)[] = ['owner', 'status', 'type', 'asset', 'number', 'iban'];
  const given = names.flatMap((name) => (filter[name] === undefined ? [] : [{ name, value: filter[name] }]));
  const conditions = given.map(({ name }, index) => `${COLUMNS[name]} = $${index + 1}`);
  return {
    where: [`a.kind = 'customer'`, ...conditions].join(' and '),
    values: given.map(({ value }) => value),
  };
}

/** Money that waits on an account. Amount in minor units. */
export interface OpenHoldRow {
  readonly id: string;
  readonly amount: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly created_at: Date;
}

/** The open holds of an account, oldest first, at most `most`. */
export function openHolds(em: EntityManager, account: AccountId, most: number): Promise<OpenHoldRow[]> {
  return rows(
    em,
    `select id, amount, source_type, source_id, created_at from holds where account_id = $1 and status = 'open'
      order by created_at limit $2`,
    [account, most],
  );
}

/** Transfers and adjustments that would take money from this account and wait for something. */
export async function waitingTransfers(
  em: EntityManager,
  account: AccountId,
  status: 'aml_review' | null = null,
): Promise<TransferId[]> {
  const found = await rows<{ id: TransferId }>(
    em,
    `select id from transfers where source_account_id = $1 and status in ('pending_approval', 'aml_review', 'queued')
        and ($2::text is null or status = $2) order by id`,
    [account, status],
  );
  return found.map(({ id }) => id);
}
