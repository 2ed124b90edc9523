-- How long a flag has been in each state, and a full pass of screening that touches nobody's row.

-- Since when a flag has been in a state.
create table aml_flag_states (
  id uuid primary key default uuidv7(),
  flag_id uuid not null references aml_flags,
  status text not null
    check (status in ('open', 'in_review', 'escalated', 'cleared', 'false_positive', 'confirmed')),
  since timestamptz(3) not null default bank_now()
);
create index aml_flag_states_flag on aml_flag_states (flag_id, id);
grant select on aml_flag_states to teller_app;

-- what is known of the flags that there are
insert into aml_flag_states (flag_id, status, since) select f.id, 'open', f.created_at from aml_flags f;
insert into aml_flag_states (flag_id, status, since)
  select f.id, f.status, coalesce(f.resolved_at, f.updated_at) from aml_flags f where f.status <> 'open';

-- everybody who was screened before is due; null while nobody has asked for a full pass
alter table screening_state add column full_from timestamptz(3);
create index screening_parties_by_time on screening_parties (screened_at);
