/** Requests to open an account: made, read, decided. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountRequestStatus } from '../../../domain/accounts/account-requests.ts';
import type { AccountRequestId } from '../../../domain/ids.ts';
import { bigCount, integer, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AccountRequest, AccountType } from '../../schema/accounts.ts';

const asked = {
  ...columnsOf(AccountRequest, 'id', 'userId', 'accountTypeId', 'nickname', 'status', 'accountId'),
  ...columnsOf(AccountRequest, 'decidedBy', 'decisionId', 'decisionReason', 'decidedAt'),
  ...columnsOf(AccountRequest, 'createdAt', 'expiresAt'),
};
const { code: typeCode, name: typeName } = columnsOf(AccountType, 'code', 'name');
const request = { ...asked, typeCode, typeName, ageSeconds: integer() };
/** A request with its type. `decisionId` is that of the API request that decided. */
export type AccountRequestRow = RowOf<typeof request>;

const SELECT = `
  select ${selectList(asked, 'r')}, t.code as type_code, t.name as type_name,
         floor(extract(epoch from bank_now() - r.created_at))::int as age_seconds
    from account_requests r join account_types t on t.id = r.account_type_id`;

/** Writes a request down. Nothing is written if one of this customer for this type waits, also one made at the same moment. */
export const insertAccountRequest = statement({
  name: 'insertAccountRequest',
  takes: {
    ...columnsOf(AccountRequest, 'id', 'userId', 'accountTypeId', 'nickname'),
    expiresInSeconds: integer(),
  },
  gives: {},
  sql: `
    insert into account_requests (id, user_id, account_type_id, nickname, expires_at)
    values ($id, $userId, $accountTypeId, $nickname, bank_now() + make_interval(secs => $expiresInSeconds::integer))
    on conflict (user_id, account_type_id) where status = 'pending' do nothing`,
});

/** The customer's request for this type that waits. */
export const pendingRequestFor = statement({
  name: 'pendingRequestFor',
  takes: columnsOf(AccountRequest, 'userId', 'accountTypeId'),
  gives: request,
  sql: `${SELECT} where r.user_id = $userId and r.account_type_id = $accountTypeId and r.status = 'pending'`,
});

/** One request, of this customer or, if that is null, of anybody. */
export const accountRequestOf = statement({
  name: 'accountRequestOf',
  takes: { id: asked.id, user: asked.userId.nullable() },
  gives: request,
  sql: `${SELECT} where r.id = $id and ($user::uuid is null or r.user_id = $user)`,
});

/** One request, held until the transaction ends. */
export const lockAccountRequest = statement({
  name: 'lockAccountRequest',
  takes: { id: asked.id },
  gives: request,
  sql: `${SELECT} where r.id = $id for update of r`,
});

/** A page of a customer's requests, newest first. */
export const accountRequestsOf = statement({
  name: 'accountRequestsOf',
  takes: { user: asked.userId, before: asked.id.nullable(), most: bigCount() },
  gives: request,
  sql: `${SELECT}
    where r.user_id = $user and r.id < coalesce($before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by r.id desc limit $most`,
});

/** A page of the requests that wait, longest waiting first. */
export const pendingAccountRequests = statement({
  name: 'pendingAccountRequests',
  takes: { after: asked.id.nullable(), most: bigCount() },
  gives: request,
  sql: `${SELECT}
    where r.status = 'pending' and r.id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')
    order by r.id limit $most`,
});

/** Ends a request that the caller has locked. */
export async function endAccountRequest(
  db: EntityManager,
  id: AccountRequestId,
  end: Pick<AccountRequestRow, 'accountId' | 'decidedBy' | 'decisionId' | 'decisionReason'> & {
    readonly status: Exclude<AccountRequestStatus, 'pending'>;
  },
): Promise<void> {
  await query(db)
    .updateTable('account_requests')
    .set({ ...end, decidedAt: sql<Date>`bank_now()` })
    .where('id', '=', id)
    .execute();
}

const deadlines = statement({
  name: 'deadlinesOfAccountRequest',
  takes: { id: asked.id, remindSeconds: integer() },
  gives: { expires: integer(), reminds: integer() },
  sql: `
    select ceil(extract(epoch from expires_at - bank_now()))::int as expires,
           ceil(extract(epoch from
             coalesce(reminded_at, created_at) + make_interval(secs => $remindSeconds::integer) - bank_now()))::int as reminds
      from account_requests where id = $id`,
});

/**
 * When a waiting request is next to be looked at, in seconds; `due` says that it expires or that its reviewers are reminded now.
 * The caller has locked it.
 */
export async function requestClock(
  db: EntityManager,
  id: AccountRequestId,
  remindSeconds: number,
): Promise<{ due: 'expiry' | 'reminder' | null; againInSeconds: number }> {
  const { expires, reminds } = await deadlines.one(db, { id, remindSeconds });
  if (expires <= 0) return { due: 'expiry', againInSeconds: 0 };
  if (reminds <= 0) return { due: 'reminder', againInSeconds: Math.min(expires, remindSeconds) };
  return { due: null, againInSeconds: Math.min(expires, reminds) };
}

/** Notes that the reviewers are reminded now. */
export const noteReminder = statement({
  name: 'noteReminder',
  takes: { id: asked.id },
  gives: {},
  sql: 'update account_requests set reminders = reminders + 1, reminded_at = bank_now() where id = $id',
});
