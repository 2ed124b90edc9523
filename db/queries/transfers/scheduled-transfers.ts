/** Transfers for later: planned, listed, ended. */
import type { AccountTypeId } from '../../../domain/ids.ts';
import { bigCount, boolean, day, id, integer, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';
import { AuditLogEntry } from '../../schema/platform.ts';
import { Beneficiary, ScheduledTransfer } from '../../schema/transfers.ts';

const order = columnsOf(
  ScheduledTransfer,
  'id',
  'userId',
  'typeCode',
  'sourceAccountId',
  'destinationAccountId',
  'beneficiaryId',
  'fixedSide',
  'amount',
  'asset',
  'targetAsset',
  'description',
  'startsOn',
  'repeatUnit',
  'repeatEvery',
  'endsOn',
);
const stored = { ...order, ...columnsOf(ScheduledTransfer, 'nextOn', 'status', 'createdAt') };
const { number, ownerId } = columnsOf(Account, 'number', 'ownerId');
const scheduledTransfer = {
  ...stored,
  reach: text(),
  // the source is a customer's account, and those have a type
  sourceTypeId: id<AccountTypeId>(),
  destinationNumber: number,
  destinationOwnerId: ownerId,
  beneficiaryName: columnsOf(Beneficiary, 'name').name.nullable(),
  beneficiaryIban: text().nullable(),
};
/** A scheduled transfer with its sides; the amount is of the fixed side's currency. */
export type ScheduledTransferRow = RowOf<typeof scheduledTransfer>;

const SELECT = `
  select ${selectList(stored, 's')},
         coalesce(s.type_code, payee_reach(case when s.beneficiary_id is null then coalesce(d.owner_id = s.user_id, false) end,
           b.iban, s.target_asset)) as reach,
         a.account_type_id as source_type_id, d.number as destination_number, d.owner_id as destination_owner_id,
         b.name as beneficiary_name, coalesce(b.iban, b.account) as beneficiary_iban
    from scheduled_transfers s join accounts a on a.id = s.source_account_id
    left join accounts d on d.id = s.destination_account_id left join beneficiaries b on b.id = s.beneficiary_id`;

/** Once per id: a repeat writes nothing. */
export const insertScheduledTransfer = statement({
  name: 'insertScheduledTransfer',
  takes: order,
  gives: {},
  sql: `
    insert into scheduled_transfers (id, user_id, type_code, source_account_id, destination_account_id, beneficiary_id, fixed_side, amount,
                                     asset, target_asset, description, starts_on, repeat_unit, repeat_every, ends_on, next_on)
    values ($id, $userId, $typeCode, $sourceAccountId, $destinationAccountId, $beneficiaryId, $fixedSide, $amount::minor,
            $asset, $targetAsset, $description, $startsOn, $repeatUnit, $repeatEvery, $endsOn, $startsOn)
    on conflict (id) do nothing`,
});

/** One of this user. */
export const scheduledTransferOf = statement({
  name: 'scheduledTransferOf',
  takes: columnsOf(ScheduledTransfer, 'id', 'userId'),
  gives: scheduledTransfer,
  sql: `${SELECT} where s.id = $id and s.user_id = $userId`,
});

/** One of them, whoever's. */
export const scheduledTransferById = statement({
  name: 'scheduledTransferById',
  takes: columnsOf(ScheduledTransfer, 'id'),
  gives: scheduledTransfer,
  sql: `${SELECT} where s.id = $id`,
});

/** A page of a user's, newest first, from below `before`. */
export const scheduledTransfersOf = statement({
  name: 'scheduledTransfersOf',
  takes: { userId: order.userId, before: order.id.nullable(), most: bigCount() },
  gives: scheduledTransfer,
  sql: `
    ${SELECT} where s.user_id = $userId and s.id < coalesce($before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
     order by s.id desc limit $most`,
});

/** Ends it where it is active. What has come before goes its own way. */
export const cancelScheduledTransfer = statement({
  name: 'cancelScheduledTransfer',
  takes: columnsOf(ScheduledTransfer, 'id', 'userId'),
  gives: {},
  sql: `
    update scheduled_transfers set status = 'cancelled', next_on = null, ended_at = bank_now()
     where id = $id and user_id = $userId and status = 'active'`,
});

/**
 * Ends what the account's owner has planned from it or into it, each with its line in the audit log, in the transaction that closes it.
 * What others have planned into it is theirs: refused on its day, they are told.
 */
export const cancelScheduledTransfersOf = statement({
  name: 'cancelScheduledTransfersOf',
  takes: {
    account: columnsOf(Account, 'id').id,
    ...columnsOf(AuditLogEntry, 'actorId', 'actorRole', 'reason', 'requestId', 'address'),
  },
  gives: {},
  sql: `
    with active as materialized (
      select id, next_on from scheduled_transfers
       where user_id = (select owner_id from accounts where id = $account) and status = 'active'
         and $account in (source_account_id, destination_account_id)
       order by id for update
    ), ended as (
      update scheduled_transfers s set status = 'cancelled', next_on = null, ended_at = bank_now() from active a where a.id = s.id
      returning s.id, a.next_on
    )
    insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address)
    select $actorId, $actorRole, 'scheduled_transfer.cancelled', 'scheduled_transfer', id,
           jsonb_build_object('status', 'active', 'next_on', next_on),
           jsonb_build_object('status', 'cancelled', 'closed_account_id', $account::uuid), $reason, $requestId, $address from ended`,
});

/** Whether a day is today in the time zone, or up to so many days ahead. */
export const isDayAhead = statement({
  name: 'isDayAhead',
  takes: { day: day(), zone: text(), most: integer() },
  gives: { ahead: boolean() },
  sql: `
    select $day::date between today and today + $most::int as ahead
      from (select (bank_now() at time zone $zone)::date as today) t`,
});
