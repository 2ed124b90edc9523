/** What the business clock brings next, for whoever moves it forward: it stops where something falls due. */
import { boolean, integer, moment } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

/**
 * The next moment at which time alone changes something: a decision or a hold expires, a window of the rail opens, reviewers are
 * reminded, a ticket closes, the day of a standing order or the month of a fee begins. Null if nothing is planned.
 */
export const nextDue = statement({
  name: 'nextDue',
  takes: { requestRemindSeconds: integer(), changeRemindSeconds: integer(), idleDays: integer() },
  gives: { at: moment().nullable() },
  sql: `
    with clock as materialized (
      select bank_now() as now, date_trunc('month', bank_day(bank_now())::timestamp) as month, time_zone from bank_settings
    ), planned(at) as (
      select case status when 'pending_approval' then approve_until else due_at end
        from transfers where status in ('pending_approval', 'queued')
      union all select expires_at from account_requests where status = 'pending'
      union all select coalesce(reminded_at, created_at) + make_interval(secs => $requestRemindSeconds::integer)
        from account_requests where status = 'pending'
      union all select expires_at from pending_changes where status = 'open'
      union all select coalesce(reminded_at, created_at) + make_interval(secs => $changeRemindSeconds::integer)
        from pending_changes where status = 'open'
      union all select last_activity_at + make_interval(days => $idleDays::integer)
        from tickets where status = 'waiting_for_customer'
      union all select look_at from kyc_applications where look_at is not null
      union all select due_at from card_disputes where ended_at is null and reminded_at is null
      union all select expires_at from holds where status = 'open' and expires_at is not null
      union all select next_on::timestamp at time zone clock.time_zone from scheduled_transfers, clock where status = 'active'
      union all select (month + interval '1 month') at time zone time_zone from clock
    )
    select min(at) as at from planned where at > (select now from clock)`,
});

/** Which rounds of the timetable have something to do. */
export const roundsDue = statement({
  name: 'roundsDue',
  gives: { scheduledTransfers: boolean(), accountFees: boolean() },
  sql: `
    select exists (select from scheduled_transfers where status = 'active' and next_on <= today) as scheduled_transfers,
           not exists (select from account_fee_months
                        where month = date_trunc('month', today::timestamp)::date and finished_at is not null) as account_fees
      from (select bank_day(bank_now()) as today) t`,
});
