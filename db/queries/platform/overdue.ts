/** Open rows that time should have moved on: their process is late, or lost. The watch of the workers looks after them. */
import { openStatuses } from '../../../domain/transfers/transfers.ts';
import { bigCount, id, integer } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { wordList } from '../../rows/words.ts';
import { Transfer } from '../../schema/transfers.ts';

const page = { lateSeconds: integer(), most: bigCount(), after: id().nullable() };
const AFTER = `id > coalesce($after::uuid, '00000000-0000-0000-0000-000000000000')`;
const LATE = 'make_interval(secs => $lateSeconds::integer)';
const REMINDER = 'coalesce(reminded_at, created_at) + make_interval(secs => $remindSeconds::integer)';

/** Transfers of this kind whose approval has expired, whose window is open, whose flag is cleared, or on which a decision waits. */
export const overdueTransfers = statement({
  name: 'overdueTransfers',
  takes: { ...page, ...columnsOf(Transfer, 'kind') },
  gives: { id: id() },
  sql: `
    select id from transfers t
     where t.status in ${wordList(openStatuses)} and t.kind = $kind and ${AFTER}
       and least(
             case t.status when 'pending_approval' then t.approve_until when 'queued' then t.due_at
               when 'aml_review' then greatest(
                 (select max(coalesce(f.cleared_at, 'infinity')) from account_aml_flags f where f.account_id = t.source_account_id),
                 (select max(coalesce(f.resolved_at, 'infinity')) from aml_hits h join aml_flags f on f.id = h.flag_id
                   where h.subject_id = t.id and h.held))
             end,
             (select d.created_at from transfer_decisions d where d.transfer_id = t.id and d.state = 'accepted')) < (select bank_now()) - ${LATE}
     order by id limit $most`,
});

/**
 * Days of scheduled transfers that have neither ordered anything nor been refused, by the ids of their transfers. Of the last week: their
 * ids begin with the time at which they were made, so that the days of all years need not be looked through.
 */
export const overdueScheduledRuns = statement({
  name: 'overdueScheduledRuns',
  takes: page,
  gives: { id: id() },
  sql: `
    select r.transfer_id as id from scheduled_transfer_runs r
     where r.transfer_id > greatest($after::uuid, (select uuidv7(interval '-7 days'))) and r.refusal is null
       and r.created_at < (select bank_now()) - ${LATE} and not exists (select from transfers t where t.id = r.transfer_id)
     order by r.transfer_id limit $most`,
});

/** Requests to open an account that should have expired, or of which reviewers should have been reminded. */
export const overdueAccountRequests = statement({
  name: 'overdueAccountRequests',
  takes: { ...page, remindSeconds: integer() },
  gives: { id: id() },
  sql: `
    select id from account_requests
     where status = 'pending' and least(expires_at, ${REMINDER}) < (select bank_now()) - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Changes that wait for a second administrator and should have expired, or of which somebody should have been reminded. */
export const overdueChanges = statement({
  name: 'overdueChanges',
  takes: { ...page, remindSeconds: integer() },
  gives: { id: id() },
  sql: `
    select id from pending_changes
     where status = 'open' and least(expires_at, ${REMINDER}) < (select bank_now()) - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Tickets that have waited for their customer longer than `idleDays`. */
export const overdueTickets = statement({
  name: 'overdueTickets',
  takes: { ...page, idleDays: integer() },
  gives: { id: id() },
  sql: `
    select id from tickets
     where status = 'waiting_for_customer' and ${AFTER}
       and last_activity_at < (select bank_now()) - make_interval(days => $idleDays::integer) - ${LATE}
     order by id limit $most`,
});

/** Uploads that nobody has confirmed in time. */
export const overdueUploads = statement({
  name: 'overdueUploads',
  takes: page,
  gives: { id: id() },
  sql: `
    select id from uploads
     where status = 'pending' and expires_at < now() - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Messages that are neither delivered nor given up. */
export const overdueMessages = statement({
  name: 'overdueMessages',
  takes: page,
  gives: { id: id() },
  sql: `
    select id from messages
     where status = 'queued' and created_at < (select bank_now()) - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Announcements that are to be sent, and whose process has done nothing for so long. */
export const overdueAnnouncements = statement({
  name: 'overdueAnnouncements',
  takes: page,
  gives: { id: id() },
  sql: `
    select id from announcements
     where status = 'sending' and active_at < (select bank_now()) - ${LATE} and ${AFTER} order by id limit $most`,
});
