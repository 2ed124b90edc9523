-- Cases: business hours in which flags are due, flags of accounts as flags of kind manual, and reports of
-- suspicious activity.

alter table bank_settings
  -- first and last weekday, and the time of day from which and until which people work
  add column business_hours text not null default 'Mon-Fri 09:00-17:00',
  -- whose public holidays count
  add column country text not null default 'DE' check (country ~ '^[A-Z]{2}$');

-- What is reported to the authorities about a confirmed suspicion.
create table aml_reports (
  id uuid primary key default uuidv7(),
  flag_id uuid not null references aml_flags,
  status text not null default 'draft' check (status in ('draft', 'filed')),
  customer_id uuid references users,
  narrative text not null check (char_length(narrative) between 1 and 10000),
  -- the authority's own, and when it was filed there
  reference text check (char_length(reference) between 1 and 100),
  filed_at timestamptz(3),
  filed_by uuid references users,
  created_by uuid not null references users,
  created_at timestamptz(3) not null default bank_now(),
  constraint aml_reports_flag unique (flag_id),
  constraint aml_reports_filed check ((status = 'filed') = (filed_at is not null)
    and (filed_at is null) = (reference is null) and (filed_at is null) = (filed_by is null))
);
create index aml_reports_status on aml_reports (status, id);
grant select on aml_reports to teller_app;

-- flags of accounts from before
insert into aml_flags (id, kind, status, severity, reason, subject_type, subject_id, customer_id, explanation,
    held, raised_by, last_hit_at, resolved_by, resolved_at, note, created_at, updated_at)
  select f.id, 'manual', case when f.cleared_at is null then 'open' else 'cleared' end, 'high', 'raised',
      'account', f.account_id, a.owner_id,
      jsonb_build_object('text', f.reason, 'leaves', '[]'::jsonb, 'movements', '[]'::jsonb), true,
      f.raised_by, f.raised_at, f.cleared_by, f.cleared_at, f.clear_reason, f.raised_at,
      coalesce(f.cleared_at, f.raised_at)
    from account_aml_flags f join accounts a on a.id = f.account_id;
insert into aml_flag_events (flag_id, at, by, kind)
  select f.id, f.created_at, f.raised_by, 'opened' from aml_flags f where f.kind = 'manual';
