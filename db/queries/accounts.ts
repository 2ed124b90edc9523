/** Reads of customers' accounts. Owner and id together find an account: somebody else's is not there. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, AccountTypeId, UserId } from '../../domain/ids.ts';
import { row, rows } from '../sql.ts';

/** An account with its type; amounts in minor units as decimal strings. */
export interface AccountRow {
  readonly id: AccountId;
  readonly owner_id: UserId;
  readonly number: string;
  readonly nickname: string | null;
  readonly status: 'open' | 'blocked' | 'frozen' | 'closed';
  readonly asset: string;
  readonly posted: string;
  readonly held: string;
  readonly overdraft_limit: string;
  readonly max_balance: string | null;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly type_id: AccountTypeId;
  readonly type_code: string;
  readonly type_name: string;
}

const SELECT = `
  select a.id, a.owner_id, a.number, a.nickname, a.status, a.asset, a.posted, a.held, a.overdraft_limit, a.max_balance, a.opened_at, a.closed_at,
         t.id as type_id, t.code as type_code, t.name as type_name
    from accounts a join account_types t on t.id = a.account_type_id`;

/** $1 owner, $2 the id after which to read on or null, $3 how many at most. */
export const ACCOUNTS_OF = `${SELECT} where a.owner_id = $1 and a.id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') order by a.id limit $3`;

/** A page of somebody's accounts in the order of their opening, from after `after`. */
export function accountsOf(
  em: EntityManager,
  owner: UserId,
  after: AccountId | null,
  most: number,
): Promise<AccountRow[]> {
  return rows(em, ACCOUNTS_OF, [owner, after, most]);
}

/** One account of this owner. */
export function accountOf(em: EntityManager, owner: UserId, id: AccountId): Promise<AccountRow | undefined> {
  return row(em, `${SELECT} where a.id = $1 and a.owner_id = $2`, [id, owner]);
}

/** One customer's account, whoever owns it. */
export function accountById(em: EntityManager, id: AccountId): Promise<AccountRow | undefined> {
  return row(em, `${SELECT} where a.id = $1`, [id]);
}

/** A customer's account that can be paid into: by its id or by its number. */
export function accountToPay(
  em: EntityManager,
  by: { id: AccountId } | { number: string },
): Promise<AccountRow | undefined> {
  return 'id' in by ? accountById(em, by.id) : row(em, `${SELECT} where a.number = $1`, [by.number]);
}
