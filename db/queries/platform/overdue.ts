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
               when 'aml_review' then (select max(coalesce(f.cleared_at, 'infinity')) from account_aml_flags f where f.account_id = t.source_account_id)
             end,
             (select d.created_at from transfer_decisions d where d.transfer_id = t.id and d.state = 'accepted')) < now() - ${LATE}
     order by id limit $most`,
});

/** Requests to open an account that should have expired. */
export const overdueAccountRequests = statement({
  name: 'overdueAccountRequests',
  takes: page,
  gives: { id: id() },
  sql: `
    select id from account_requests
     where status = 'pending' and expires_at < now() - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Changes that wait for a second administrator and should have expired. */
export const overdueChanges = statement({
  name: 'overdueChanges',
  takes: page,
  gives: { id: id() },
  sql: `
    select id from pending_changes
     where status = 'open' and expires_at < now() - ${LATE} and ${AFTER} order by id limit $most`,
});

/** Tickets that have waited for their customer longer than `idleDays`. */
export const overdueTickets = statement({
  name: 'overdueTickets',
  takes: { ...page, idleDays: integer() },
  gives: { id: id() },
  sql: `
    select id from tickets
     where status = 'waiting_for_customer' and ${AFTER}
       and last_activity_at < now() - make_interval(days => $idleDays::integer) - ${LATE}
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
     where status = 'queued' and created_at < now() - ${LATE} and ${AFTER} order by id limit $most`,
});
