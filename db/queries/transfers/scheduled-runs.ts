/** The days of scheduled transfers that have come, and what became of them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId } from '../../../domain/ids.ts';
import { bigCount, boolean, idArray, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { ScheduledTransfer, ScheduledTransferRun, Transfer } from '../../schema/transfers.ts';

const { refusal } = columnsOf(ScheduledTransferRun, 'refusal');
const run = {
  ...columnsOf(ScheduledTransferRun, 'dueOn', 'transferId'),
  // null if the books refused it, or have not answered yet
  status: columnsOf(Transfer, 'status').status.nullable(),
  ...columnsOf(Transfer, 'dueAt'),
  refusal,
};
/** What came of a day. */
export type ScheduledRunRow = RowOf<typeof run>;

/** What came of the days that have come, newest first. */
export const runsOf = statement({
  name: 'runsOf',
  takes: { ...columnsOf(ScheduledTransferRun, 'scheduledTransferId'), most: bigCount() },
  gives: run,
  sql: `
    select r.due_on, r.transfer_id, t.status, t.due_at, r.refusal
      from scheduled_transfer_runs r left join transfers t on t.id = r.transfer_id
     where r.scheduled_transfer_id = $scheduledTransferId order by r.due_on desc limit $most`,
});

const accountsThatStay = statement({
  name: 'accountsThatStay',
  takes: { accounts: idArray<AccountId>() },
  gives: { closed: boolean() },
  sql: `select status = 'closed' as closed from accounts where id = any($accounts) order by id for share`,
});

/** Whether one of the accounts is closed. None of them closes before the transaction ends. */
export async function isAnyClosed(db: EntityManager, accounts: readonly AccountId[]): Promise<boolean> {
  return (await accountsThatStay.all(db, { accounts })).some(({ closed }) => closed);
}

/** What the process of a day starts with. */
const begun = {
  ...columnsOf(ScheduledTransferRun, 'scheduledTransferId', 'transferId'),
  ...columnsOf(ScheduledTransfer, 'userId'),
  ...columnsOf(ScheduledTransferRun, 'dueOn'),
};

/** Writes down the days that have come in the time zone, at most one for each and so many in all, and moves each to its next day. */
export const takeDueRuns = statement({
  name: 'takeDueRuns',
  takes: { zone: text(), most: bigCount() },
  gives: begun,
  sql: `
    with due as materialized (
      select id, user_id, next_on, next_occurrence(starts_on, repeat_unit, repeat_every, runs + 1) as following, ends_on
        from scheduled_transfers where status = 'active' and next_on <= ((select bank_now()) at time zone $zone)::date
       order by next_on, id limit $most for update skip locked
    ), run as (
      insert into scheduled_transfer_runs (transfer_id, scheduled_transfer_id, due_on) select uuidv7(), id, next_on from due
      returning transfer_id, scheduled_transfer_id, due_on
    ), moved as (
      update scheduled_transfers s set runs = s.runs + 1,
             next_on = case when d.following <= coalesce(d.ends_on, 'infinity') then d.following end,
             status = case when d.following <= coalesce(d.ends_on, 'infinity') then 'active' else 'completed' end,
             ended_at = case when d.following <= coalesce(d.ends_on, 'infinity') then null else bank_now() end
        from due d where d.id = s.id
    )
    select r.scheduled_transfer_id, r.transfer_id, d.user_id, r.due_on
      from run r join due d on d.id = r.scheduled_transfer_id`,
});

/** A day that has neither ordered anything nor been refused. */
export const openRun = statement({
  name: 'openRun',
  takes: columnsOf(ScheduledTransferRun, 'transferId'),
  gives: begun,
  sql: `
    select r.scheduled_transfer_id, r.transfer_id, s.user_id, r.due_on
      from scheduled_transfer_runs r join scheduled_transfers s on s.id = r.scheduled_transfer_id
     where r.transfer_id = $transferId and r.refusal is null
       and not exists (select from transfers t where t.id = r.transfer_id)`,
});

/** Locks the row of a day until the transaction ends: no order of it is taken meanwhile. */
export const lockRun = statement({
  name: 'lockRun',
  takes: columnsOf(ScheduledTransferRun, 'transferId'),
  gives: {},
  sql: 'select from scheduled_transfer_runs where transfer_id = $transferId for update',
});

/** Writes why a run moved nothing, unless that is written already, or it has moved something. */
export const noteRefusal = statement({
  name: 'noteRefusal',
  takes: { ...columnsOf(ScheduledTransferRun, 'transferId'), refusal: text() },
  gives: {},
  sql: `
    update scheduled_transfer_runs set refusal = $refusal where transfer_id = $transferId and refusal is null
           and not exists (select from transfers t where t.id = $transferId)`,
});
