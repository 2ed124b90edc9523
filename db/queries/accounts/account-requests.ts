/** Requests to open an account: made, read, decided. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountRequestStatus } from '../../../domain/account-requests.ts';
import type { AccountId, AccountRequestId, AccountTypeId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** A request with its type. */
export interface AccountRequestRow {
  readonly id: AccountRequestId;
  readonly user_id: UserId;
  readonly type_id: AccountTypeId;
  readonly type_code: string;
  readonly type_name: string;
  readonly nickname: string | null;
  readonly status: AccountRequestStatus;
  readonly account_id: AccountId | null;
  readonly decided_by: UserId | null;
  /** Of the API request that decided. */
  readonly decision_id: string | null;
  readonly decision_reason: string | null;
  readonly decided_at: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** Since it was made; seconds. */
  readonly age_seconds: number;
}

const SELECT = `
  select r.id, r.user_id, r.account_type_id as type_id, t.code as type_code, t.name as type_name, r.nickname, r.status, r.account_id,
         r.decided_by, r.decision_id, r.decision_reason, r.decided_at, r.created_at, r.expires_at,
         floor(extract(epoch from now() - r.created_at))::int as age_seconds
    from account_requests r join account_types t on t.id = r.account_type_id`;
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const OLDEST = '00000000-0000-0000-0000-000000000000';

/** Writes a request down; false where one of this customer for this type waits already, also one made at the same moment. */
export async function insertAccountRequest(
  em: EntityManager,
  request: Pick<AccountRequestRow, 'id' | 'user_id' | 'type_id' | 'nickname'>,
  expiresInSeconds: number,
): Promise<boolean> {
  const inserted = await rows(
    em,
    `insert into account_requests (id, user_id, account_type_id, nickname, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))
     on conflict (user_id, account_type_id) where status = 'pending' do nothing returning id`,
    [request.id, request.user_id, request.type_id, request.nickname, expiresInSeconds],
  );
  return inserted.length > 0;
}

/** The customer's request for this type that waits. */
export function pendingRequestFor(
  em: EntityManager,
  user: UserId,
  type: AccountTypeId,
): Promise<AccountRequestRow | undefined> {
  return row(em, `${SELECT} where r.user_id = $1 and r.account_type_id = $2 and r.status = 'pending'`, [
    user,
    type,
  ]);
}

/** One request, of this customer or, where it is null, of anybody. */
export function accountRequestOf(
  em: EntityManager,
  user: UserId | null,
  id: AccountRequestId,
): Promise<AccountRequestRow | undefined> {
  return row(em, `${SELECT} where r.id = $1 and ($2::uuid is null or r.user_id = $2)`, [id, user]);
}

/** The same, held until the transaction ends. */
export function lockAccountRequest(
  em: EntityManager,
  id: AccountRequestId,
): Promise<AccountRequestRow | undefined> {
  return row(em, `${SELECT} where r.id = $1 for update of r`, [id]);
}

/** A page of a customer's requests, newest first. */
export function accountRequestsOf(
  em: EntityManager,
  user: UserId,
  before: AccountRequestId | null,
  most: number,
): Promise<AccountRequestRow[]> {
  return rows(em, `${SELECT} where r.user_id = $1 and r.id < $2 order by r.id desc limit $3`, [
    user,
    before ?? NEWEST,
    most,
  ]);
}

/** A page of the requests that wait, longest waiting first. */
export function pendingAccountRequests(
  em: EntityManager,
  after: AccountRequestId | null,
  most: number,
): Promise<AccountRequestRow[]> {
  return rows(em, `${SELECT} where r.status = 'pending' and r.id > $1 order by r.id limit $2`, [
    after ?? OLDEST,
    most,
  ]);
}

/** Ends a request that the caller has locked. */
export async function endAccountRequest(
  em: EntityManager,
  id: AccountRequestId,
  end: {
    readonly status: Exclude<AccountRequestStatus, 'pending'>;
    readonly accountId: AccountId | null;
    readonly by: UserId | null;
    readonly decisionId: string | null;
    readonly reason: string | null;
  },
): Promise<void> {
  await rows(
    em,
    `update account_requests set status = $2, account_id = $3, decided_by = $4, decision_id = $5, decision_reason = $6, decided_at = now()
      where id = $1`,
    [id, end.status, end.accountId, end.by, end.decisionId, end.reason],
  );
}

/**
 * When a waiting request is next to be looked at, in seconds; `due` says that it expires or that its reviewers are reminded now.
 * The caller has locked it.
 */
export async function requestClock(
  em: EntityManager,
  id: AccountRequestId,
  remindSeconds: number,
): Promise<{ due: 'expiry' | 'reminder' | null; againInSeconds: number }> {
  const clock = await row<{ expires: number; reminds: number }>(
    em,
    `select ceil(extract(epoch from expires_at - now()))::int as expires,
            ceil(extract(epoch from coalesce(reminded_at, created_at) + make_interval(secs => $2) - now()))::int as reminds
       from account_requests where id = $1`,
    [id, remindSeconds],
  );
  if (clock === undefined) throw new Error('an account request is gone');
  if (clock.expires <= 0) return { due: 'expiry', againInSeconds: 0 };
  if (clock.reminds <= 0) return { due: 'reminder', againInSeconds: Math.min(clock.expires, remindSeconds) };
  return { due: null, againInSeconds: Math.min(clock.expires, clock.reminds) };
}

/** Notes that the reviewers are reminded now. */
export async function noteReminder(em: EntityManager, id: AccountRequestId): Promise<void> {
  await rows(em, 'update account_requests set reminders = reminders + 1, reminded_at = now() where id = $1', [
    id,
  ]);
}

/** Where a person is written to. */
export interface Addressee {
  readonly id: UserId;
  readonly email: string;
  readonly locale: string;
}

/** Administrators who hold this action and can log in. */
export function holdersOf(em: EntityManager, action: string): Promise<Addressee[]> {
  return rows(
    em,
    `select u.id, u.email, u.locale from user_permissions p join users u on u.id = p.user_id
      where p.action = $1 and u.role = 'admin' and u.status = 'active' order by u.id`,
    [action],
  );
}

/** Where this user is written to. */
export function addresseeOf(em: EntityManager, id: UserId): Promise<Addressee | undefined> {
  return row(em, 'select id, email, locale from users where id = $1', [id]);
}
