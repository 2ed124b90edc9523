-- Reminding reviewers of flags that are due soon.

-- Marks the next open flags that are due within so many business hours as reminded of, and returns each with
-- everybody who has to hear: its assignee, or all reviewers if it has none who may review. Nobody hears of a
-- flag about themselves.
create or replace function aml_flags_remind(hours numeric, most int)
returns table (flag uuid, number bigint, severity text, due text, person uuid, locale text)
language sql security definer set search_path = public, pg_temp as $$
  with soon as (
    update aml_flags f set reminded_at = bank_now()
      where f.id in (select x.id from aml_flags x where x.resolved_at is null and x.reminded_at is null
        and x.due_at <= (select business_due(bank_now(), hours))
        order by x.due_at limit most for update skip locked)
      returning f.*
  ), reviewers as (
    select u.id, u.locale from user_permissions p join users u on u.id = p.user_id
      where p.action = 'aml:review' and u.role = 'admin' and u.status = 'active'
  )
  select s.id, s.number, s.severity,
      to_char(s.due_at at time zone (select b.time_zone from bank_settings b), 'YYYY-MM-DD HH24:MI'),
      r.id, r.locale
    from soon s join reviewers r on r.id is distinct from s.customer_id
      and (r.id = s.assignee_id or not exists (select from reviewers a where a.id = s.assignee_id))
    order by s.id, r.id
$$;
grant execute on function aml_flags_remind to teller_app;
