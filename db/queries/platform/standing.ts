/** Where the bank's work stands, for operators: what waits, for how long, and what does not go on. Counts only, over open rows. */
import { TICKET_STATUSES } from '../../../domain/tickets/tickets.ts';
import { openStatuses } from '../../../domain/transfers/transfers.ts';
import { bigCount, seconds, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { wordList } from '../../rows/words.ts';

const SINCE = 'extract(epoch from bank_now() - min(created_at))::float8';
/** Of rows that keep the time of the machine. */
const SINCE_BY_MACHINE = 'extract(epoch from now() - min(created_at))::float8';

/** Open rows by the kind of their process and their status, and the age of the oldest of each. */
export const waitingProcesses = statement({
  name: 'waitingProcesses',
  gives: { process: text(), status: text(), count: bigCount(), oldest: seconds() },
  sql: `
    select kind as process, status, count(*) as count, ${SINCE} as oldest from transfers
      where status in ${wordList(openStatuses)} group by kind, status
    union all select 'account_request', status, count(*), ${SINCE} from account_requests where status = 'pending' group by status
    union all select 'change', status, count(*), ${SINCE} from pending_changes where status = 'open' group by status
    union all select 'ticket', status, count(*), ${SINCE} from tickets
      where status in ${wordList(TICKET_STATUSES.filter((status) => status !== 'closed'))} group by status
    union all select 'upload', status, count(*), ${SINCE_BY_MACHINE} from uploads where status = 'pending' group by status
    union all select 'crypto_wallet', status, count(*), ${SINCE} from crypto_wallets
      where status = 'creating' and user_id is not null group by status
    union all select 'crypto_deposit', status, count(*), ${SINCE} from crypto_deposits
      where status in ('pending', 'under_review') group by status
    union all select 'crypto_order', status, count(*), ${SINCE} from crypto_orders where status = 'open' group by status
    union all select 'aml_flag', case reason when 'not_checked' then reason else status end, count(*), ${SINCE} from aml_flags
      where resolved_at is null group by 2
    union all select 'message', status, count(*), ${SINCE} from messages where status = 'queued' group by status
    union all select 'event', 'queued', count(*), ${SINCE} from events where waiting group by waiting
    union all select 'notification', status, count(*), ${SINCE} from notification_deliveries
      where status = 'queued' and coalesce(reason, '') not in ('quiet_hours', 'digest') group by status`,
});

/** Starts and updates of the outbox, and the age of the oldest of them that nobody has refused. */
export const outboxStanding = statement({
  name: 'outboxStanding',
  gives: { kind: text(), state: text(), count: bigCount(), oldest: seconds() },
  sql: `
    select 'start' as kind, 'waiting' as state, count(*) as count, coalesce(${SINCE}, 0) as oldest from process_outbox o
      where not exists (select from refused_starts r where r.workflow_id = o.workflow_id)
    union all
    select 'update', 'waiting', count(*), coalesce(${SINCE}, 0) from process_updates where attempts < 10
    union all
    select 'update', 'set_aside', count(*), coalesce(${SINCE}, 0) from process_updates where attempts >= 10`,
});

/** Monthly fees that are owed: tried every day, or set aside. */
export const owedFees = statement({
  name: 'owedFees',
  gives: { state: text(), count: bigCount() },
  sql: `
    select 'refused' as state, count(*) as count from account_fees where status in ('due', 'refused') and attempts < 30
    union all
    select 'set_aside', count(*) from account_fees where status in ('due', 'refused') and attempts >= 30`,
});

/**
 * Sessions of the service that wait for a lock now, how long the longest has waited, and the age of the oldest transaction that has
 * written: the feed of the ledger ends before it.
 */
export const lockWaits = statement({
  name: 'lockWaits',
  gives: { count: bigCount(), longest: seconds(), oldestWrite: seconds() },
  sql: `
    select count(*) filter (where wait_event_type = 'Lock') as count,
           coalesce(extract(epoch from max(clock_timestamp() - query_start) filter (where wait_event_type = 'Lock')), 0)::float8 as longest,
           coalesce(extract(epoch from max(clock_timestamp() - xact_start) filter (where backend_xid is not null)), 0)::float8 as oldest_write
      from pg_stat_activity where datname = current_database()`,
});
