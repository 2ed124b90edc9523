-- What people do about flags. Each function asks whether its caller may review; the application writes none
-- of these tables itself.

-- Adds to the history of a flag: 'assigned' (value: the person), 'escalated' or 'commented'.
create or replace function aml_flag_touch(
  flag uuid, actor uuid, wanted text, value text, why text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare f aml_flags; was text;
begin
  perform require_action(person => actor, action => 'aml:review');
  select * into f from aml_flags x where x.id = flag for update;
  refusal := case when f.id is null then 'not_found'
    when f.resolved_at is not null and wanted <> 'commented' then 'already_decided'
    when wanted = 'assigned' and value is not null
        and missing_action(value::uuid, array['aml:review']) is not null then 'assignee_unfit' end;
  if refusal is not null then return; end if;
  was := case wanted when 'assigned' then f.assignee_id::text else f.status end;
  update aml_flags x set updated_at = bank_now(),
      assignee_id = case wanted when 'assigned' then value::uuid else x.assignee_id end,
      status = case when wanted = 'escalated' then 'escalated'
        when wanted = 'assigned' and x.status = 'open' and value is not null then 'in_review'
        else x.status end
    where x.id = flag and x.resolved_at is null returning * into f;
  insert into aml_flag_events (flag_id, by, kind, before, after, note)
    values (flag, actor, wanted, was,
      case wanted when 'assigned' then value when 'commented' then null else f.status end, why);
end $$;
grant execute on function aml_flag_touch to teller_app;

-- Keeps a file with a flag, also after it is resolved: files are evidence. The same id again is the same
-- file. Returns a refusal.
create or replace function aml_flag_attach(
  flag uuid, actor uuid, file uuid, name text, type text, bytes int, digest bytea, key text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform require_action(person => actor, action => 'aml:review');
  perform 1 from aml_flags x where x.id = flag for no key update;
  refusal := case when not found then 'not_found'
    when (select count(*) from aml_attachments a where a.flag_id = flag and a.id <> file) >= 50
      then 'too_many_attachments' end;
  if refusal is not null then return; end if;
  with kept as (
    insert into aml_attachments (id, flag_id, file_name, content_type, size_bytes, sha256, object_key,
        attached_by)
      values (file, flag, name, type, bytes, digest, key, actor) on conflict (id) do nothing
      returning id
  ) insert into aml_flag_events (flag_id, by, kind, after, note)
      select flag, actor, 'attached', k.id::text, name from kept k;
end $$;
grant execute on function aml_flag_attach to teller_app;

-- Resolves a flag as 'cleared', 'false_positive' or 'confirmed'. A false positive of a screening is
-- remembered: the two are not the same. Nobody resolves what they have raised, what is about themselves, or
-- what they gain by. A critical flag takes a second, independent reviewer, and so does a suspicion that is
-- confirmed, unless a person has raised it, who is then the first. The second one must come to the same
-- result: whoever comes to another is the first one for that. Until then the answer is needs_second.
-- suppress_until leaves the rule out for the customer. Returns a refusal, or whether a second one is needed.
create or replace function aml_flag_resolve(
  flag uuid, wanted text, resolver uuid, why text, suppress_until timestamptz,
  out refusal text, out needs_second boolean
) language plpgsql security definer set search_path = public, pg_temp as $$
declare f aml_flags; first_eyes uuid;
begin
  perform require_action(resolver, 'aml:review');
  -- what books takes accounts before flags
  perform 1 from accounts a join aml_flags x on x.subject_id = a.id
    where x.id = flag and x.kind = 'manual' for no key update of a;
  select * into f from aml_flags x where x.id = flag for update;
  refusal := case
    when f.id is null then 'not_found'
    when f.resolved_at is not null then 'already_decided'
    when resolver in (f.raised_by, f.customer_id, f.first_by) or exists (
        select from account_aml_flags m where m.id = flag and m.frozen_by = resolver)
      or exists (select from aml_hits h join transfers t on t.id = h.subject_id
        left join accounts a on a.id = t.destination_account_id
        where h.flag_id = flag and resolver in (t.customer_id, a.owner_id)) then 'same_person'
    when suppress_until is not null and f.rule_id is null then 'not_suppressible' end;
  needs_second := false;
  if refusal is not null then return; end if;
  needs_second := f.first_resolution is distinct from wanted and (f.first_by is not null
    or f.severity = 'critical' and f.kind <> 'manual' or wanted = 'confirmed' and f.raised_by is null);
  first_eyes := coalesce(f.first_by, case wanted when 'confirmed' then f.raised_by end);
  if not needs_second and first_eyes is not null and not independent_of(resolver, first_eyes) then
    refusal := 'same_person';
    return;
  end if;
  if needs_second then
    update aml_flags x set first_by = resolver, first_at = bank_now(), first_resolution = wanted,
        updated_at = bank_now() where x.id = flag;
  else
    update aml_flags x set status = wanted, resolved_by = resolver, resolved_at = bank_now(), note = why,
        updated_at = bank_now() where x.id = flag;
    if suppress_until is not null then
      insert into aml_suppressions (rule_id, customer_id, until, flag_id, created_by)
        values (f.rule_id, f.customer_id, suppress_until, flag, resolver);
    end if;
    if wanted = 'false_positive' then
      insert into screening_clearances (flag_id, party_type, party_id, customer_id, source, refs, asked,
          entry, cleared_by)
        select s.flag_id, s.party_type, s.party_id, s.customer_id, s.source, s.refs, s.asked, s.entry,
            resolver
          from screening_hits s where s.flag_id = flag;
    end if;
    -- an account stays flagged if the suspicion is confirmed
    update account_aml_flags m
      set cleared_by = resolver, clear_reason = left(why, 500), cleared_at = bank_now()
      where m.id = flag and m.cleared_at is null and wanted <> 'confirmed';
    update accounts a set status = m.status_before from account_aml_flags m
      where m.id = flag and m.frozen and a.id = m.account_id and a.status = 'frozen'
        and wanted <> 'confirmed';
  end if;
  insert into aml_flag_events (flag_id, by, kind, before, after, note) values (flag, resolver,
    case when needs_second then 'second_review' when wanted = 'confirmed' then 'confirmed'
      else 'resolved' end,
    f.status, wanted, why);
end $$;
grant execute on function aml_flag_resolve to teller_app;

-- Returns the transfers that wait and that a flag holds.
create or replace function aml_held_transfers(flag uuid) returns setof transfers
language sql stable security definer set search_path = public, pg_temp as $$
  select t.* from transfers t where t.kind = 'transfer' and t.status in ('aml_review', 'pending_approval')
    and t.id in (select h.subject_id from aml_hits h where h.flag_id = flag and h.held
      union select f.subject_id from aml_flags f where f.id = flag and f.held)
  union
  select t.* from aml_flags f join transfers t on t.source_account_id = f.subject_id
    or t.destination_account_id = f.subject_id
    where f.id = flag and f.subject_type = 'account' and t.kind = 'transfer' and t.status = 'aml_review'
  union
  select t.* from screening_hits s join transfers t on t.customer_id = s.customer_id
    where s.flag_id = flag and s.party_type = 'beneficiary' and t.kind = 'transfer'
      and t.status in ('aml_review', 'pending_approval')
      and (t.beneficiary_id = s.party_id or s.asked = screening_asked('beneficiary', t.beneficiary_id))
  union
  select t.* from aml_flags f join accounts a on a.owner_id = f.customer_id join transfers t
    on t.source_account_id = a.id or t.destination_account_id = a.id
    where f.id = flag and flag_is_of_customer(f) and t.kind = 'transfer' and t.status = 'aml_review'
$$;
grant execute on function aml_held_transfers to teller_app;

-- Writes the rejection of a transfer into the history of each flag that held it. It counts as the first of
-- the two reviews that confirm a flag if whoever rejected it may review flags and is not their customer, the
-- flag holds no other transfer, and nobody has reviewed it before.
create or replace function aml_transfer_rejected(transfer uuid, decider uuid, why text) returns void
language plpgsql set search_path = public, pg_temp as $$
declare f aml_flags; reviews boolean; may_review boolean; was text;
begin
  may_review := missing_action(decider, array['aml:review']) is null;
  for f in select x.* from aml_flags x where x.resolved_at is null and x.kind <> 'manual'
      and x.id in (select h.flag_id from aml_hits h where h.subject_id = transfer and h.held)
      order by x.id for update loop
    was := f.status;
    reviews := may_review and f.first_by is null and decider is distinct from f.customer_id
      and not exists (select from aml_held_transfers(f.id) o where o.id <> transfer);
    update aml_flags x set updated_at = bank_now(),
        status = case x.status when 'open' then 'in_review' else x.status end,
        first_by = case when reviews then decider else x.first_by end,
        first_at = case when reviews then bank_now() else x.first_at end,
        first_resolution = case when reviews then 'confirmed' else x.first_resolution end
      where x.id = f.id;
    insert into aml_flag_events (flag_id, by, kind, before, after, note)
      values (f.id, decider, case when reviews then 'second_review' else 'commented' end,
        case when reviews then was end, case when reviews then 'confirmed' end,
        coalesce(nullif(why, ''), 'The transfer was rejected.'));
  end loop;
end $$;

-- Keeps since when a flag has been in each state.
create or replace function aml_flag_state() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into aml_flag_states (flag_id, status) values (new.id, new.status);
  return null;
end $$;
create or replace trigger aml_flags_begin after insert on aml_flags
  for each row execute function aml_flag_state();
create or replace trigger aml_flags_change_state after update of status on aml_flags
  for each row when (new.status is distinct from old.status) execute function aml_flag_state();

-- Opens the report on a confirmed flag, as a draft. Returns the one that there is already, or null.
create or replace function aml_report_open(flag uuid, actor uuid, story text) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare made uuid;
begin
  perform require_action(person => actor, action => 'aml:review');
  insert into aml_reports (flag_id, customer_id, narrative, created_by)
    select f.id, u.id, story, actor from aml_flags f left join users u on u.id = f.customer_id
      where f.id = flag and f.status = 'confirmed'
    on conflict (flag_id) do nothing;
  select r.id into made from aml_reports r where r.flag_id = flag;
  insert into aml_flag_events (flag_id, by, kind, after) values (flag, actor, 'report', made::text);
  return made;
end $$;
grant execute on function aml_report_open to teller_app;

-- Notes that a report was filed, once. Returns a refusal.
create or replace function aml_report_file(
  report uuid, actor uuid, text_of text, number_of text, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare r aml_reports;
begin
  perform require_action(person => actor, action => 'aml:review');
  select * into r from aml_reports drafted where drafted.id = report for update;
  refusal := case when r.id is null then 'not_found' when r.status = 'filed' then 'already_decided' end;
  if refusal is not null then return; end if;
  update aml_reports x set status = 'filed', reference = number_of,
      narrative = coalesce(text_of, x.narrative), filed_at = bank_now(), filed_by = actor where x.id = report;
  insert into aml_flag_events (flag_id, by, kind, before, after, note)
    values (r.flag_id, actor, 'report', 'draft', 'filed', number_of);
end $$;
grant execute on function aml_report_file to teller_app;

-- A flag of an account is a flag of kind manual: raised and cleared together.
create or replace function mirror_account_flag() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into aml_flags (id, kind, severity, reason, subject_type, subject_id, customer_id, explanation,
        held, raised_by, due_at)
      select new.id, 'manual', 'high', 'raised', 'account', new.account_id, a.owner_id,
          jsonb_build_object('text', new.reason, 'leaves', '[]'::jsonb, 'movements', '[]'::jsonb), true,
          new.raised_by, aml_due('high', bank_now())
        from accounts a where a.id = new.account_id;
    insert into aml_flag_events (flag_id, by, kind) values (new.id, new.raised_by, 'opened');
  elsif new.cleared_at is not null then
    with done as (
      update aml_flags f set status = 'cleared', resolved_by = new.cleared_by, resolved_at = new.cleared_at,
          note = new.clear_reason, updated_at = bank_now()
        where f.id = new.id and f.resolved_at is null returning f.id
    ) insert into aml_flag_events (flag_id, by, kind, after, note)
        select d.id, new.cleared_by, 'resolved', 'cleared', new.clear_reason from done d;
  end if;
  return null;
end $$;
create or replace trigger account_aml_flags_mirror after insert or update on account_aml_flags
  for each row execute function mirror_account_flag();
