/** Reads of customers' accounts. Owner and id together find an account: somebody else's is not there. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountStatus } from '../../../domain/accounts.ts';
import type { AccountId, AccountTypeId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** An account with its type; amounts in minor units as decimal strings. */
export interface AccountRow {
  readonly id: AccountId;
  readonly owner_id: UserId;
  readonly number: string;
  /** Null where it keeps what has no IBANs. */
  readonly iban: string | null;
  readonly nickname: string | null;
  readonly status: AccountStatus;
  readonly asset: string;
  readonly posted: string;
  readonly held: string;
  /** Below zero where a balance must be kept, see `lowerLimits`. */
  readonly overdraft_limit: string;
  readonly max_balance: string | null;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly type_id: AccountTypeId;
  readonly type_code: string;
  readonly type_name: string;
}

const SELECT = `
  select a.id, a.owner_id, a.number, a.iban, a.nickname, a.status, a.asset, a.posted, a.held, a.overdraft_limit, a.max_balance, a.opened_at, a.closed_at,
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

/** How a payer names a customer's account. */
export type PayeeKey =
  | { readonly id: AccountId }
  | { readonly number: string }
  | { readonly iban: string }
  | { readonly email: string }
  | { readonly phone: string };

/**
 * A customer's account that can be paid into. A person, by email or phone, is paid into the oldest open account of the payer's
 * currency, else into the oldest open one.
 */
export function accountToPay(
  em: EntityManager,
  by: PayeeKey,
  payer: AccountId,
): Promise<AccountRow | undefined> {
  if ('id' in by) return accountById(em, by.id);
  if ('number' in by) return row(em, `${SELECT} where a.number = $1`, [by.number]);
  if ('iban' in by) return findAccountByIban(em, by.iban);
  const [found, contact] =
    'email' in by
      ? (['lower(u.email) = lower($1)', by.email] as const)
      : (['u.phone = $1 and u.phone_verified_at is not null', by.phone] as const);
  return row(
    em,
    `${SELECT} join users u on u.id = a.owner_id
      where ${found} and u.status = 'active' and a.status = 'open'
      order by a.asset = (select asset from accounts where id = $2) desc, a.id limit 1`,
    [contact, payer],
  );
}

/** The customer's account with this IBAN, written without spaces. */
export function findAccountByIban(em: EntityManager, iban: string): Promise<AccountRow | undefined> {
  return row(em, `${SELECT} where a.iban = $1`, [iban]);
}

/** Gives an account another nickname; null takes it away. */
export async function renameAccount(
  em: EntityManager,
  id: AccountId,
  nickname: string | null,
): Promise<void> {
  await rows(em, 'update accounts set nickname = $2 where id = $1', [id, nickname]);
}
